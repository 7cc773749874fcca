"""The scripts of the gallery: at most 15 lines each, and they print what they promise."""

from __future__ import annotations

import ast
import gzip
import importlib.util
import re
import runpy
from pathlib import Path

import networkx
import numpy as np
import pandas
import pytest
import revealed
from pages import ROOT

GALLERY = ROOT / "docs" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))
# What each prints, as a regular expression.
PRINTED = {
    "against_imitation": r"largest difference of the visits: \d\S*e-1\d",
    "cartpole": r"effective sample size: [1-9]\d+ of 500",
    "cliff_with_weights": r"the top row is visited",
    "flax_reward": r"the best cell is 15",
    "history": r"'turned back': -",
    "kept_data": r"^True True True True$",
    "labelled_frame": r"food\s+0\.\d+\s+0\.\d+",
    "long_horizon": r"a path of 100000 states",
    "many_states": r"100489 states: {'shade': 0\.5\d*, 'mud': -(1\.0|0\.9)",
    "minigrid_and_tuples": r"carrying yellow key; yellow door \(open\)[\s\S]*the best is End[\s\S]*5 states; the best is 5",
    "taxi_with_masks": r"lost by planning with it: 0\.0",
    "transfer": r"lost there: 0\.0 of",
    "warm_start": r"^True stopped by the callback[\s\S]*True and saved: True and no longer partial: True",
    "wikispeedia": r"same subject +0\.\d+ +0\.\d+\nAsteroid > (.* > )?Viking\n",
    "windy_grid": r"mud\s+-[23]\.\d",
}


def needed(script: Path) -> set[str]:
    """The packages that a script imports."""
    found = set()
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_there_are_fifteen_and_the_page_has_them() -> None:
    assert {script.stem for script in SCRIPTS} == set(PRINTED) and len(SCRIPTS) == 15
    page = (GALLERY / "index.md").read_text()
    assert set(re.findall(r"literalinclude} (\w+)\.py", page)) == set(PRINTED)


def test_the_page_shows_what_scripts_print_and_their_pictures() -> None:
    """What is shown was printed by `docs/pictures/gallery.py`, and is what a run prints."""
    page = (GALLERY / "index.md").read_text()
    printed = {file.stem: file.read_text() for file in (GALLERY / "printed").glob("*.txt")}
    # That script needs torch, by way of `imitation`: `tests/torch/run` runs it.
    assert set(printed) == set(PRINTED) - {"against_imitation"}
    assert set(re.findall(r"literalinclude} printed/(\w+)\.txt", page)) == set(printed)
    for name, text in printed.items():
        assert re.search(PRINTED[name], text, re.MULTILINE), name
    drawn = {picture.stem for picture in (ROOT / "docs" / "pictures" / "gallery").glob("*.png")}
    assert set(re.findall(r"pictures/gallery/(\w+)\.png", page)) == drawn <= set(PRINTED) and len(drawn) >= 10


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_has_at_most_15_lines(script: Path) -> None:
    assert len(script.read_text().splitlines()) <= 15


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("script", [script for script in SCRIPTS if script.stem != "wikispeedia"], ids=lambda script: script.stem)
def test_a_script_runs(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    missing = sorted(name for name in needed(script) if importlib.util.find_spec(name) is None)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}, which the tests do not install")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    assert re.search(PRINTED[script.stem], printed, re.MULTILINE), printed


PLANTED = {"click": -3.0, "log links": -0.5, "log linked": 0.6, "same subject": 0.8}


def write_web(folder: Path) -> None:
    """Sixty invented articles, and games of players with the planted weights, in the files of Wikispeedia."""
    rng = np.random.default_rng(0)
    names = [{0: "Asteroid", 30: "Viking"}.get(at, f"Article_{at}") for at in range(60)]
    subjects = [f"subject.{'Science' if at % 3 else 'History'}.More" for at in range(60)]
    ring = {(at, (at + 1) % 60) for at in range(60)}  # so that every article can be found
    web = sorted(
        ring | {(a, int(b)) for a in range(60) for b in rng.choice(60, rng.integers(1, 9), p=np.arange(1, 61) / 1830) if a != b}
    )
    out, into = np.bincount([a for a, _ in web]), np.bincount([b for _, b in web])
    graph = networkx.DiGraph()
    for a, b in web:
        worth = [1.0, np.log1p(out[b]), np.log1p(into[b]), float(subjects[a] == subjects[b])]
        graph.add_edge(a, b, **dict(zip(PLANTED, worth)))
    world = revealed.Mdp.from_graph(graph, edge_attributes=list(PLANTED))
    players = revealed.MaxEntIRL.from_theta(world, list(PLANTED.values()), horizon="any", ends="goal")
    pairs = [rng.choice(60, 2, replace=False).tolist() for _ in range(600)]
    games = [players.sample(1, start=a, to=b, seed=seed)[0] for seed, (a, b) in enumerate(pairs)]
    # The script takes every 50th game; the others are no games that anybody would play.
    listed = [[world.labels[state] for state, _ in game] for game in games]
    noise = [0, web[0][1]]
    played = [game for real in listed for game in [real, *[noise] * 49]]
    visits = [page for game in played for page in game]
    files = {
        "articles.tsv": ["# The list of all articles.", "", *names],
        "categories.tsv": ["# Categories.", "", *(f"{name}\t{subject}" for name, subject in zip(names, subjects))],
        "edges_only.txt": [f"{len(web)}\t0", *(f"{at}\t{a}\t{b}" for at, (a, b) in enumerate(web))],
        "observations.txt": [f"{len(visits)}\t1", *(f"{page}\t1.0" for page in visits)],
        "lengths.txt": [f"{at}\t{len(game)}" for at, game in enumerate(played)],
    }
    for name, lines in files.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))


def test_wikispeedia_finds_what_players_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an invented web with the same files: the page shows the real one, which is not ours to keep here."""
    write_web(tmp_path)
    monkeypatch.setenv("WIKISPEEDIA", str(tmp_path))
    table = runpy.run_path(str(GALLERY / "wikispeedia.py"), run_name="__main__")["summary"].to_frame()
    assert re.search(PRINTED["wikispeedia"], capsys.readouterr().out, re.MULTILINE)
    assert (table["std_err"] < 0.3).all(), table
    assert (abs(table["estimate"] - pandas.Series(PLANTED)) < 4 * table["std_err"]).all(), table
