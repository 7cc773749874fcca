"""The blocks of code in the pages of the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# A fence, its language, and what is in it.
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of code, and the output that the page shows right after it."""

    line: int
    code: str
    output: str | None


def page(name: str) -> str:
    """The text of a page, by its path from the root of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[Block]:
    """The blocks in a language; the output of one stands in a `text` block right after it."""
    found = list(_FENCE.finditer(text))
    answer = []
    for at, fence in enumerate(found):
        if fence[1] != language:
            continue
        after = found[at + 1] if at + 1 < len(found) else None
        is_output = after is not None and after[1] == "text" and not text[fence.end() : after.start()].strip()
        line = text[: fence.start(2)].count("\n") + 1
        answer.append(Block(line, fence[2], after[2] if after is not None and is_output else None))
    return answer
