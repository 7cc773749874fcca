"""The pages besides their Python blocks: commands run, links lead somewhere, and quoted numbers are in records."""

from __future__ import annotations

import functools
import json
import operator
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import revealed
from binary import Revealed
from pages import ROOT, blocks, page

DOCS = [page for page in sorted((ROOT / "docs").rglob("*")) if page.suffix in (".md", ".ipynb") and "_build" not in page.parts]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "README.md", *DOCS]
FENCE = re.compile(r"^( *)(```+|:::+).*?^\1\2", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def markdown(page: Path) -> str:
    """The text of a page, without its code blocks."""
    if page.suffix == ".md":
        return FENCE.sub("", page.read_text())
    cells = json.loads(page.read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files(page: Path) -> None:
    targets = [target.partition("#")[0] for target in LINK.findall(markdown(page)) if "://" not in target]
    # The pictures of the tutorial are drawn when the site is built.
    missing = [target for target in targets if target and "_build" not in target and not (page.parent / target).exists()]
    assert not missing


@functools.cache
def helps() -> dict[str, str]:
    """The help of every command by its name, such as `roads import`."""
    command, found = Revealed(), {}
    for group in ([], ["roads"]):
        text = command.run(*group, "--help").stdout
        commands = re.findall(r"^  ([a-z-]+)  ", text.partition("Commands:")[2].partition("Options:")[0], re.MULTILINE)
        for name in commands:
            if name != "help":
                found[" ".join([*group, name])] = command.run(*group, name, "--help").stdout
    return found


def test_the_commands_of_the_command_line_run(command: Revealed, tmp_path: Path) -> None:
    lines = [line for block in blocks(page("docs/command-line.md"), "sh") for line in block.code.splitlines() if line]
    assert len(lines) > 10
    for line in lines:
        assert command.shell(line, tmp_path), line


def test_every_command_is_listed() -> None:
    text = page("docs/command-line.md")
    assert len(helps()) > 20
    assert not [name for name in helps() if not re.search(rf"^\| `{name}\b", text, re.MULTILINE)]


def quoted() -> Iterator[tuple[str, str]]:
    """(a table row, a list item or a paragraph of the benchmarks, where it must stand)."""
    block = (ROOT / "benchmarks" / "README.md").read_text().split("<!-- benchmark -->")[1].split("<!-- /benchmark -->")[0]
    for paragraph in re.split(r"\n\n|\n(?=[|-])", block):
        if not paragraph.startswith(("#", "\n#")) and paragraph.strip():
            yield one_line(paragraph), "2026-11-15.md"


def test_the_benchmark_is_quoted_from_its_record() -> None:
    quotes = list(quoted())
    assert len(quotes) > 15 and any(text.startswith("202") for text, _ in quotes)
    for text, record in quotes:
        assert text in one_line((ROOT / "benchmarks" / "record" / record).read_text()), text


def test_the_comparison_of_the_readme_is_quoted_from_its_record() -> None:
    found = re.search(r"<!-- record: (\S+) -->\n\|.*\n\|.*\n((?:\|.*\n)+)", (ROOT / "README.md").read_text())
    assert found is not None
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in found[2].splitlines()]
    record = (ROOT / found[1]).read_text().split("not slippery")[1].splitlines()
    for package, *cells in rows:
        (line,) = [line for line in record if line.startswith(f"| {package} |")]
        assert all(f"| {cell} |" in line for cell in cells), (package, cells)


def rows_of_the_glossary() -> list[list[str]]:
    lines = (ROOT / "docs" / "glossary.md").read_text().splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").replace("\\mid", "").split(" | ")] for line in lines if line.startswith("| ")
    ]
    return [row for row in rows if row[0] != "the paper"]


def test_the_names_of_the_glossary_exist() -> None:
    sources = "\n".join(path.read_text() for path in sorted((ROOT / "crates").rglob("src/**/*.rs")))
    rows = rows_of_the_glossary()
    assert len(rows) > 30
    for row in rows:
        _, _, rust, python, command_line = row
        for name in re.findall(r"`([\w:]+)`", rust):
            assert re.search(rf"\bpub (struct |enum |fn )?{name.rpartition(':')[2]}\b", sources), name
        for name in re.findall(r"`([A-Z]\w*(?:\.\w+)?)`", python):
            operator.attrgetter(name)(revealed)
        for name in re.findall(r"`([a-z][a-z -]*?)(?: --.*?)?`", command_line):
            assert name in helps() or name == "roads", name
        for option in re.findall(r"--[a-z][a-z-]*", command_line):
            assert any(option in text for text in helps().values()), option
