"""Every Python block of the documentation and the README runs, page by page, and prints what the page says that it prints."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
# A fence, its language, and what is in it.
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"<!-- needs: (\w+) -->")


def blocks(text: str) -> list[tuple[int, str, str | None]]:
    """(line, code, expected output) of the Python blocks; the output stands in a `text` block right after."""
    found = list(FENCE.finditer(text))
    answer = []
    for at, fence in enumerate(found):
        if fence[1] != "python":
            continue
        after = found[at + 1] if at + 1 < len(found) else None
        is_output = after is not None and after[1] == "text" and not text[fence.end() : after.start()].strip()
        line = text[: fence.start(2)].count("\n") + 1
        answer.append((line, fence[2], after[2] if after is not None and is_output else None))
    return answer


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text()
    for needed in NEEDS.findall(text):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}, which is not installed: tests/torch/run has torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": "__main__"}
    for line, code, expected in blocks(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # So that a traceback has the page and the line.
            exec(compile("\n" * (line - 1) + code, os.fspath(page), "exec"), names)
        if expected is not None:
            assert printed.getvalue().strip() == expected.strip(), f"{page}:{line}"
