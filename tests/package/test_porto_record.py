"""What the pages say about Porto, against the record of `revealed reproduce porto`."""

from __future__ import annotations

import functools
import re

import pytest
from pages import ROOT

RECORD = "benchmarks/record/2026-11-17-porto.md"
SEEDS = (1, 2, 3)
WITH_U_TURNS = "Routes that were held out, network with U-turns"
WITHOUT = "Routes that were held out, network without U-turns"
BOUNDED = "paper's model, -10 to 0 per km"
MODEL = "recursive logit, more features"


def text(page: str) -> str:
    return " ".join((ROOT / page).read_text().split())


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@functools.cache
def tables() -> dict[str, dict[tuple[str, ...], list[float]]]:
    """The tables of the record: by title, and by the names of a row, the first number of each other cell."""
    found: dict[str, dict[tuple[str, ...], list[float]]] = {}
    for part in (ROOT / RECORD).read_text().split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        rows = [cells(line) for line in body.splitlines() if line.startswith("|")]
        if not rows:
            continue
        names = 2 if rows[0][1] == "quantity" else 1
        for row in rows[2:]:
            values = [float(re.match(r"-?[\d.]+", cell)[0]) for cell in row[names:] if re.match(r"-?[\d.]+", cell)]
            found.setdefault(title, {})[tuple(row[:names])] = values
    return found


def of(title: str, *names: str, seed: int = 1) -> float:
    return tables()[title][names][seed - 1]


def table_after(page: str, words: str) -> list[list[str]]:
    """The rows of the first table after these words of a page."""
    lines = (ROOT / page).read_text().partition(words)[2].splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("|"))
    end = next((place for place in range(start, len(lines)) if not lines[place].startswith("|")), len(lines))
    return [cells(line) for line in lines[start + 2 : end]]


def same(shown: str, value: float) -> None:
    """A number of a page is that of the record, rounded to the digits that it shows."""
    digits = len(shown.partition(".")[2])
    assert float(shown) == pytest.approx(value, abs=0.5 * 10**-digits + 1e-9), shown


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("title", [WITH_U_TURNS, WITHOUT])
def test_the_paper_s_order_is_in_the_record(title: str, seed: int) -> None:
    for quantity, better in [("distance match", 1), ("feature distance", -1)]:
        learned, shortest, ziebart, random = (
            better * of(title, name, quantity, seed=seed) for name in (BOUNDED, "shortest path", "Ziebart 2008", "random weights")
        )
        assert learned > shortest > max(ziebart, random), quantity


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("seen", [30, 50, 70])
def test_the_destination_model_wins_in_the_record(seen: int, seed: int) -> None:
    def found(name: str, quantity: str) -> float:
        return of("Destinations", f"{name}, {seen} % seen", quantity, seed=seed)

    assert found("model, prior, length", "error of the place") < found("current position", "error of the place")
    assert found("model, prior, length", "rank") < found("model with prior", "rank")


def test_the_readme_quotes_the_record() -> None:
    quote = re.search(
        r"a median of (\d+) % of the forecast route was driven, and (\d+) % of the driven route was forecast\. "
        r"Of the fastest path (\d+) % was driven, of the shortest (\d+) % \(\[record\]\((\S+)\), seed 1\)",
        text("README.md"),
    )
    assert quote is not None and quote[5] == RECORD
    same(quote[1], of(WITHOUT, MODEL, "distance match"))
    same(quote[2], of("The share of the driven route that was forecast", MODEL, "covered"))
    same(quote[3], of(WITHOUT, "fastest path", "distance match"))
    same(quote[4], of(WITHOUT, "shortest path", "distance match"))


def test_the_tables_of_the_page_on_roads_quote_the_record() -> None:
    page, models = "docs/design/roads.md", "Models, network without U-turns"
    rows = table_after(page, "A link constant, or the angle of turns, corrects it.")
    for row, name in zip(rows, ["recursive logit", MODEL], strict=True):
        values = [of(models, name, of_) for of_ in ("states expected", "states driven", "log-likelihood of trips held out")]
        for shown, value in zip(row[1:], [*values, of(WITHOUT, name, "distance match")], strict=True):
            same(shown.replace("−", "-").removesuffix(" %"), value)

    names = {
        "the paper's model, no bounds": "paper's model",
        "the paper's model, −10 to 0 per km, uniform start": BOUNDED,
        "the paper's model, more features, no bounds": "paper's model, more features",
    }
    rows = table_after(page, "The recursive logit is told where trips end, so it needs no bounds.")
    assert len(rows) == 7
    for name, shown in rows:
        same(shown.removesuffix(" %"), of(WITHOUT, names.get(name, name), "distance match"))

    rows = table_after(page, "Median metres from the forecast place to the end")
    columns = ["model, prior, length", "model with prior", "prior alone", "current position", "straight on"]
    assert [row[0] for row in rows] == ["10 %", "30 %", "50 %", "70 %"]
    for seen, *found in rows:
        for name, shown in zip(columns, found, strict=True):
            for seed, one in zip(SEEDS, shown.split(", "), strict=True):
                same(one, of("Destinations", f"{name}, {seen} seen", "error of the place", seed=seed))


def test_times_and_scores_in_other_pages_quote_the_record() -> None:
    seconds, quoted = tables()["Seconds"], 0
    for page, words, title, *names in [
        ("any-length", r"takes ([\d.]+) to ([\d.]+) s with the recursive logit and", "", "learning, recursive logit"),
        ("any-length", r"and ([\d.]+) to ([\d.]+) s with the paper's model of whole trips", "", "learning, paper's model"),
        ("baselines", r"learning with Ziebart 2008 takes ([\d.]+) to ([\d.]+) s", "", "learning, Ziebart 2008"),
        ("baselines", r"s, the paper's model ([\d.]+) to ([\d.]+) s", "", "learning, paper's model"),
        ("baselines", r"by Ziebart 2008 match ([\d.]+) to ([\d.]+) %", WITHOUT, "Ziebart 2008", "distance match"),
        ("baselines", r"those of random weights ([\d.]+) to ([\d.]+) %", WITHOUT, "random weights", "distance match"),
        ("routes", r"in Porto take ([\d.]+) to ([\d.]+) s with the recursive logit", "", "forecasts, recursive logit"),
        ("routes", r"logit and ([\d.]+) to ([\d.]+) s with the paper's model", "", "forecasts, paper's model"),
    ]:
        found = re.search(words, text(f"docs/design/{page}.md"))
        assert found is not None, words
        values = tables()[title][tuple(names)] if title else seconds[tuple(names)]
        same(found[1], min(values))
        same(found[2], max(values))
        quoted += 1
    assert quoted == 8


def test_the_whole_time_is_that_of_the_record() -> None:
    record, page = text(RECORD), text("docs/design/reproduce.md")
    found = re.search(r"A full run takes (\d+ min \d+ s) on two cores, of which `porto` takes (\d+ min \d+ s)", page)
    assert found is not None
    assert f"All of it takes {found[1]}." in record and f"`porto` took 984.9 s, {found[2]}." in record


def test_the_page_on_reproducing_says_what_the_study_found() -> None:
    study = tables()["The study of readings (seed 1)"]
    fits = [name for name, values in study.items() if values[0] > values[1] and values[3] < values[4]]
    holds = {name[0] for name in fits}
    page = text("docs/reproduce.md")
    assert "Without a lower bound, or with service roads, its model is worse than the shortest path" in page
    for (name,) in study:
        if any(word in name for word in ("no bounds", "weights at most 0", "service roads")):
            assert name not in holds, name
    for network in ("no U-turns", "U-turns"):
        assert f"{network}; weights from -10 to 0 per km; uniform start; discount 1" in holds
