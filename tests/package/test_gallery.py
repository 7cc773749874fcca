"""The scripts of the gallery: at most 15 lines each, and they print what they promise."""

from __future__ import annotations

import ast
import importlib.util
import re
import runpy
from pathlib import Path

import pytest
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


def test_there_are_fourteen_and_the_page_has_them() -> None:
    assert {script.stem for script in SCRIPTS} == set(PRINTED) and len(SCRIPTS) == 14
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
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_runs(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    missing = sorted(name for name in needed(script) if importlib.util.find_spec(name) is None)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}, which the tests do not install")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    assert re.search(PRINTED[script.stem], printed, re.MULTILINE), printed
