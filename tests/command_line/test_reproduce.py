"""`revealed reproduce --quick`: its numbers against stored tolerances, its files, and the same bytes on any number of threads."""

import json
import re
from pathlib import Path

import pytest

TOLERANCES = json.loads((Path(__file__).resolve().parents[1] / "fixtures/reproduce_quick.json").read_text())


@pytest.fixture(scope="module")
def quick(revealed, tmp_path_factory):
    """The folder of a quick run of everything on one thread, and what it printed."""
    folder = tmp_path_factory.mktemp("reproduce")
    return folder, revealed("reproduce", "--quick", "--seed", 1, "--threads", 1, "--out", folder)


def test_every_experiment_is_there(quick):
    assert {experiment["name"] for experiment in quick[1]["experiments"]} == set(TOLERANCES)


@pytest.mark.parametrize("name", TOLERANCES)
def test_numbers_are_within_their_tolerances(quick, name):
    found = next(experiment for experiment in quick[1]["experiments"] if experiment["name"] == name)
    numbers = {number["name"]: number["ours"] for number in found["numbers"]}
    outside = {
        key: (numbers.get(key), low, high)
        for key, (low, high) in TOLERANCES[name].items()
        if numbers.get(key) is None or not low <= numbers[key] <= high
    }
    assert not outside


def test_two_threads_give_the_same_bytes_and_finished_work_is_kept(revealed, quick, tmp_path):
    folder, _ = quick
    revealed("reproduce", "--quick", "--seed", 1, "--threads", 2, "--out", tmp_path)
    tables = sorted(path.name for path in folder.glob("*.csv") if not path.name.endswith(".timings.csv"))
    assert tables == sorted(f"{name}.csv" for name in TOLERANCES)
    for table in tables:
        assert (folder / table).read_bytes() == (tmp_path / table).read_bytes(), table
    again = revealed("reproduce", "--quick", "--seed", 1, "--out", folder)
    assert all(experiment["done"] == 0 and experiment["kept"] == experiment["units"] for experiment in again["experiments"])


def test_the_page_needs_no_network(quick):
    page = (quick[0] / "index.html").read_text(encoding="utf-8")
    links = re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?([^\"')>\s]+)", page)
    assert links and all(link.startswith("#") or (quick[0] / link).is_file() for link in links), links
    assert "NaN" not in page and "@import" not in page and "<script" not in page
    for name in TOLERANCES:
        assert f'id="{name}"' in page
