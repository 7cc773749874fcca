"""The design pages name files and functions that exist, and no line of prose is too long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DESIGN = [ROOT / "DESIGN.md", *sorted((ROOT / "docs" / "design").glob("*.md"))]
LONGEST = 120
SOURCES = ("crates", "python", "tests", "docs", "benchmarks")
# The site is built, records are kept as a program printed them, and packages are those of others.
NOT_WRITTEN = {"_build", "record", "node_modules"}


def ours(pattern: str) -> Iterator[Path]:
    """The files at the top and in the folders of sources that match, but for what is hidden or built."""
    yield from sorted(ROOT.glob(pattern))
    for path in sorted(path for folder in SOURCES for path in (ROOT / folder).rglob(pattern)):
        if not any(part in NOT_WRITTEN or part.startswith(".") for part in path.relative_to(ROOT).parts):
            yield path


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def without_code(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines outside of fences and displayed formulas."""
    fence = formula = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fence = not fence
        elif line.strip().startswith("$$") or line.strip().endswith("$$"):
            # A formula on one line opens and closes.
            formula ^= line.count("$$") == 1
        elif not fence and not formula:
            yield number, line


def spans(page: Path) -> list[tuple[int, str]]:
    """(line, text) of what stands between backticks."""
    return [(number, span) for number, line in without_code(page.read_text()) for span in re.findall(r"`([^`]+)`", line)]


def test_everything_is_where_the_list_says() -> None:
    _, section = (ROOT / "DESIGN.md").read_text().split("## Where things live", 1)
    rows = re.findall(r"^\| ([^|]+) \| `([^`]+)` \|$", section, re.MULTILINE)
    assert len(rows) >= 10
    missing = [f"{what}: {path}" for what, path in rows if not (ROOT / path).exists()]
    assert not missing, missing
    folders = [path for _, path in rows if path.endswith("/") and not (ROOT / path).is_dir()]
    assert not folders, folders


@cache
def sources() -> list[str]:
    return ["/" + name_of(path) for ending in ("*.rs", "*.py", "*.pyi", "*.md") for path in ours(ending)]


@cache
def identifiers() -> set[str]:
    """Every word in Rust sources, but for comments, and the names of their files."""
    found: set[str] = set()
    for path in ours("*.rs"):
        found.update(re.findall(r"\w+", re.sub(r"//[^\n]*", "", path.read_text())))
        found.add(path.stem)
    return found


@pytest.mark.parametrize("page", DESIGN, ids=name_of)
def test_a_page_names_what_exists(page: Path) -> None:
    faults = []
    for number, span in spans(page):
        if span.startswith(tuple(f"{folder}/" for folder in SOURCES)):
            # As it is, but for the arguments of a command.
            fault = not (ROOT / span.split()[0]).exists()
        elif re.fullmatch(r"[\w/]+\.(rs|pyi?)", span):
            fault = not any(path.endswith("/" + span) for path in sources())
        elif re.fullmatch(r"\w+(::\w+)+", span):
            fault = any(part not in identifiers() for part in span.split("::")[1:])
        elif re.fullmatch(r"[a-z]+(_[a-z0-9]+){3,}", span):
            fault = span not in identifiers()
        else:
            continue
        if fault:
            faults.append(f"{name_of(page)}:{number}: {span}")
    assert not faults, faults


@pytest.mark.parametrize("page", list(ours("*.md")), ids=name_of)
def test_lines_of_prose_are_short(page: Path) -> None:
    long = []
    for number, line in without_code(page.read_text()):
        # A link counts as its text, and a table is as wide as its cells.
        seen = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
        seen = re.sub(r"https?://\S+", "", seen)
        if len(seen) > LONGEST and not line.lstrip().startswith(("|", "<!--")):
            long.append(f"{name_of(page)}:{number}: {len(seen)} characters")
    assert not long, long
