"""`compare` finds what differs, puts it into its class, and passes over what differs in every run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

COMPARE = Path(__file__).parent / "compare"
MODEL = (
    '{"theta": [0.1, 0.2], "notes": ["at a bound: left"], "stopped_because": "converged", "seconds": 0.02, "version": "0.1.0"}\n'
)
MAP = '<svg><path d="M 0 1 L 2 3"/><text x="5">flow, 12 trips</text></svg>'

# What is written into both folders, what is written into the new one instead, and what is to be found.
CASES = {
    "nothing": ("a/learn.json", MODEL, MODEL, "same"),
    "time": ("a/learn.json", MODEL, MODEL.replace("0.02", "3.1e-5"), "same"),
    "version": ("a/learn.json", MODEL, MODEL.replace("0.1.0", "0.2.0"), "same"),
    "time in words": ("a/learn.txt", "search 3 iterations, 0.02 s\n", "search 3 iterations, 1.5 s\n", "same"),
    "progress": ("a/learn.txt.err", "note\n", "fits: 3 of 9 (1.0/s), about 6 s to go\nnote\n", "same"),
    "measurements": ("reproduce/padding/padding.timings.csv", "1\n", "2\n", "same"),
    "a number": ("a/learn.json", MODEL, MODEL.replace("0.2]", "0.20000000000000004]"), "answers"),
    "a space": ("a/learn.json", MODEL, MODEL.replace("0.1, 0.2", "0.1,0.2"), "answers"),
    "a field": ("a/learn.json", MODEL, MODEL.replace("theta", "weights"), "answers"),
    "a travel time": ("roads/forecast.json", '{"seconds":12.5}', '{"seconds":12.6}', "answers"),
    "an exit code": ("a/codes.txt", "learn.json 0\n", "learn.json 1\n", "answers"),
    "a table": ("a/judged.csv", "trip,match\n1,0.5\n", "trip,match\n1,0.6\n", "answers"),
    "an archive": ("a/city.npz", "\x00\x01", "\x00\x02", "answers"),
    "a missing file": ("a/city.npz", "\x00\x01", None, "answers"),
    "a line of a map": ("a/flows.svg", MAP, MAP.replace("L 2 3", "L 2 4"), "answers"),
    "a picture": ("a/flows.png", "\x00\x01", "\x00\x02", "answers"),
    "a value in Python": ("python/lake.answers", 'value: "0x1.8p+1"\n', 'value: "0x1.8000000000001p+1"\n', "answers"),
    "another error in Python": (
        "python/lake.answers",
        'value: {"raises": "ValueError", "message": "no"}\n',
        'value: {"raises": "TypeError", "message": "no"}\n',
        "answers",
    ),
    "a note": ("a/learn.json", MODEL, MODEL.replace("at a bound: left", "a bound holds left"), "words"),
    "a reason": ("a/learn.json", MODEL, MODEL.replace("converged", 'it \\"converged\\"'), "words"),
    "help": ("help/learn.txt", "Learn what there is\n", "Learn a reward\n", "words"),
    "an error": ("a/learn.txt.err", "error: no\n", "error: there is no such file\n", "words"),
    "a new note": ("a/learn.txt.err", None, "note: something\n", "words"),
    "words of a map": ("a/flows.svg", MAP, MAP.replace("flow,", "flows of"), "words"),
    "words of Python": ("python/lake.answers", 'a: {"text": "x [1]"}\n', 'a: {"text": "y [1]"}\n', "words"),
    "numbers in words": ("a/learn.txt", "log-likelihood -1.25\n", "log-likelihood -1.26\n", "numbers"),
}


def found(old: Path, new: Path) -> str:
    done = subprocess.run([sys.executable, COMPARE, old, new], capture_output=True, text=True)
    assert done.stderr == "" and done.returncode in (0, 1)
    numbers, words = map(int, re.findall(r"^words.*: (\d+) changes$", done.stdout, re.MULTILINE))
    if done.returncode == 1:
        assert " 0 with other answers" not in done.stdout and not numbers and not words
        return "answers"
    return "numbers" if numbers else "words" if words else "same"


@pytest.mark.parametrize("case", CASES)
def test_each_difference_has_its_class(case: str, tmp_path: Path) -> None:
    name, old, new, expected = CASES[case]
    for folder, content in (("old", old), ("new", new)):
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True)
        if content is not None:
            path.write_text(content, encoding="latin-1" if content[0] == "\x00" else "utf-8")
    assert found(tmp_path / "old", tmp_path / "new") == expected


def test_a_picture_of_words_that_changed_is_no_answer(tmp_path: Path) -> None:
    for folder, words, picture in (("old", "flow", b"\x89a"), ("new", "flows", b"\x89b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "flows.svg").write_text(MAP.replace("flow", words))
        (tmp_path / folder / "flows.png").write_bytes(picture)
    assert found(tmp_path / "old", tmp_path / "new") == "words"
