"""What the pages say about public data, against the record of `revealed bench`."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pages import ROOT

RECORD = "benchmarks/record/2026-11-18-labyrinth.json"


def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / RECORD).read_text())
    return found


def text(page: str) -> str:
    return " ".join((ROOT / page).read_text().split())


def same(shown: str, value: float) -> None:
    """A number of a page is that of the record, rounded to the digits that it shows."""
    digits = len(shown.partition(".")[2])
    assert float(shown.replace("−", "-")) == pytest.approx(value, abs=0.5 * 10**-digits + 1e-9), shown


def test_the_table_of_the_page_is_that_of_the_record() -> None:
    lines = [line for line in (ROOT / "docs/bench.md").read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    rows = record()["rows"]
    assert [row[0] for row in cells] == [row["name"] for row in rows]
    for (_, validated, held_out), row in zip(cells, rows, strict=True):
        same(held_out, row["held_out"])
        if row["cross_validated"] is None:
            assert validated == ("as published" if row["published"] else "")
        else:
            same(validated, row["cross_validated"])


def test_what_the_page_says_of_the_choice_is_in_the_record() -> None:
    found, page = record(), text("docs/bench.md")
    chosen, split = found["chosen"], found["split"]
    quote = re.search(r"chooses order (\d+), a penalty of ([\d.]+) and a shrinkage of (\d+)", page)
    assert quote is not None
    assert [float(part) for part in quote.groups()] == [chosen["order"], chosen["penalty"], chosen["shrinkage"]]
    sizes = re.search(r"(\d+) sequences train and (\d+) test", page)
    assert sizes is not None and [int(part) for part in sizes.groups()] == [split["train"], split["test"]]
    product = re.search(r"has ([\d,]+) states and ([\d,]+) features", page)
    assert product is not None
    assert [int(part.replace(",", "")) for part in product.groups()] == [found["product"]["states"], found["product"]["features"]]
    seconds = re.search(r"took ([\d.]+) s", page)
    assert seconds is not None
    same(seconds[1], found["seconds"])


def test_the_chosen_order_is_the_best_of_those_compared() -> None:
    found = record()
    best = max(row["cross_validated"] for row in found["compared"])
    chosen = [row for row in found["compared"] if all(row[key] == value for key, value in found["chosen"].items())]
    assert [row["cross_validated"] for row in chosen] == [best]
    assert found["held_out"] >= -0.650
