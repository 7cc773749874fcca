"""Several models side by side, as papers print them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from .. import _native
from .summary import Summary

__all__ = ["table"]


def table(models: Mapping[str, Summary], *, style: Literal["text", "latex", "csv"] = "text") -> str:
    """A table with a column for each summary and a row for each parameter.

    Standard errors are those that the summaries report, in parentheses. `style` is "text", "latex" (a tabular) or
    "csv" (a row for each parameter of each model).

    >>> import revealed
    >>> fork = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1, 1]), start=0, terminal=[1, 2],
    ...                     features=[[0.0], [1.0], [0.0]])
    >>> seen = [[(0, 0), (1, None)]] * 30 + [[(0, 1), (2, None)]] * 10
    >>> fit = revealed.MaxEntIRL(ends="terminal").fit(fork, seen)
    >>> print(revealed.table({"left": fit.summary(seen)}).splitlines()[2])
    feature 0       1.09861**
    """
    for title, summary in models.items():
        if not isinstance(summary, Summary):
            raise TypeError(f"{title!r} is a {type(summary).__name__}: give summaries, as summary(demonstrations) makes them")
    if not models:
        raise ValueError("there are no models: give at least one summary")
    return _native.side_by_side([(str(title), json.dumps(summary._model)) for title, summary in models.items()], style)
