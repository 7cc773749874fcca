"""Several models side by side, as papers print them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from .. import _native
from .mixed import MixedFit
from .nested import NestedFit
from .summary import Summary

__all__ = ["table"]


def table(models: Mapping[str, Summary | NestedFit | MixedFit], *, style: Literal["text", "latex", "csv"] = "text") -> str:
    """A table with a column for each summary, nested or mixed logit, and a row for each parameter.

    Standard errors are those that the models report, in parentheses. `style` is "text", "latex" (a tabular) or
    "csv" (a row for each parameter of each model).

    >>> import revealed
    >>> fork = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1, 1]), start=0, terminal=[1, 2],
    ...                     features=[[0.0], [1.0], [0.0]])
    >>> seen = [[(0, 0), (1, None)]] * 30 + [[(0, 1), (2, None)]] * 10
    >>> fit = revealed.MaxEntIRL(ends="terminal").fit(fork, seen)
    >>> print(revealed.table({"left": fit.summary(seen)}).splitlines()[2])
    feature 0       1.09861**
    """
    contents = [(str(title), json.dumps(_content(title, model))) for title, model in models.items()]
    if not contents:
        raise ValueError("there are no models: give at least one summary")
    return _native.side_by_side(contents, style)


def _content(title: object, model: object) -> dict[str, Any]:
    if isinstance(model, Summary):
        return model._model
    if isinstance(model, (NestedFit, MixedFit)):
        return model._record
    problem = f"{title!r} is a {type(model).__name__}"
    raise TypeError(f"{problem}: give summaries, as summary(demonstrations) makes them, or nested or mixed logits")
