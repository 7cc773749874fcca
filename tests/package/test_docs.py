"""Every Python block of the documentation and the README runs, page by page, and prints what the page says that it prints."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
from pathlib import Path

import pytest
from pages import ROOT, blocks

PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
NEEDS = re.compile(r"<!-- needs: (\w+) -->")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text()
    for needed in NEEDS.findall(text):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}, which is not installed: tests/torch/run has torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": "__main__"}
    for line, code, expected in blocks(text, "python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # So that a traceback has the page and the line.
            exec(compile("\n" * (line - 1) + code, os.fspath(page), "exec"), names)
        if expected is not None:
            assert printed.getvalue().strip() == expected.strip(), f"{page}:{line}"
