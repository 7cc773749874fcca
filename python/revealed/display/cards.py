"""Cards that a notebook shows for an object: a small table, and bars for the largest weights."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["card", "html_table", "notes_below", "weight_bars"]

# How many weights are shown.
_BARS = 8
_CELL = 'style="text-align:left;padding:1px 12px 1px 0"'


def card(title: str, rows: Sequence[tuple[str, Any]], more: str = "") -> str:
    """A title, a table with a row for each name and value, and HTML below it."""
    texts = [(html.escape(name), html.escape(str(value))) for name, value in rows]
    lines = "".join(f"<tr><td {_CELL}>{name}</td><td {_CELL}>{value}</td></tr>" for name, value in texts)
    return f"<div><strong>{html.escape(title)}</strong><table>{lines}</table>{more}</div>"


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], bold: Sequence[int] = ()) -> str:
    """A table of texts with a head; the first column is to the left, and rows in `bold` stand out."""
    cells = "".join(
        f'<th style="text-align:{"right" if at else "left"}">{html.escape(name)}</th>' for at, name in enumerate(head)
    )
    lines = []
    for number, row in enumerate(rows):
        weight = ";font-weight:bold" if number in bold else ""
        line = "".join(
            f'<td style="text-align:{"right" if at else "left"}{weight}">{html.escape(text)}</td>' for at, text in enumerate(row)
        )
        lines.append(f"<tr>{line}</tr>")
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def notes_below(notes: Sequence[str]) -> str:
    """Notes in small print."""
    return "".join(f"<div><small>{html.escape(note)}</small></div>" for note in notes)


def weight_bars(theta: Any, names: Sequence[str]) -> str:
    """The largest weights, left and right of a line, in the colours of the pictures."""
    order = np.argsort(-np.abs(theta), kind="stable")[:_BARS]
    largest = float(np.abs(theta[order]).max(initial=0.0)) or 1.0
    rows = []
    for at in order:
        share = 45.0 * abs(theta[at]) / largest
        left, colour = (50.0 - share, "#b2182b") if theta[at] < 0.0 else (50.0, "#2166ac")
        place = f"position:absolute;left:{left:.1f}%;width:{share:.1f}%;height:100%;background:{colour}"
        name = html.escape(names[at] if names else f"feature {at}")
        rows.append(
            f"<tr><td {_CELL}>{name}</td><td {_CELL}>{theta[at]:.4g}</td>"
            '<td style="padding:1px 0"><div style="position:relative;width:160px;height:10px">'
            f'<div style="{place}"></div></div></td></tr>'
        )
    rest = len(theta) - len(order)
    more = f"<div><small>and {rest:,} smaller weights</small></div>" if rest else ""
    return f"<table>{''.join(rows)}</table>{more}"
