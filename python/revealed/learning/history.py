"""Rewards that depend on how a path came to a state: features of the last states and the next step."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from ..inputs.numbers import count, number
from ..mdp.mdp import Mdp

__all__ = ["History", "history_of"]

Function = Callable[[tuple[Any, ...], int], "float | Sequence[float]"]


class History:
    """Features of the last states of a path and of the step that follows, for `MaxEntIRL(history=...)`.

    Parameters
    ----------
    order : int
        The most states of a window, with the present one. `MaxEntIRL(history=3)` is `History(3)`.
    shrinkage : float
        Without `function` and `table`: there is an indicator of each step after each window of 1, ..., `order` states that
        occurs in the demonstrations. `l2` is `shrinkage` times as strong for windows that are one state longer, so that
        long windows are pulled towards what short ones say.
    function : function of (states, action), optional
        Features of every window that can occur, in place of indicators: one number, or one for each of `names`. The
        function gets the last `order` states, fewer at the beginning of a path, and the number of the action. What
        depends on fewer states costs no more than they do.
    table : list of dicts, optional
        The windows, in place of indicators: dicts with `states`, and optionally `action`, `to` (the next state), `feature`
        (one of `names`, or a number) and `value` (by default 1).
    names : list of str, optional
        The names of the features of `function` or `table`.

    Examples
    --------
    On a ring, a walker goes on as it came.

    >>> import revealed
    >>> rows = [(s, a, (s + 1 - 2 * a) % 4, 1.0) for s in range(4) for a in range(2)]
    >>> ring = revealed.Mdp(4, 2, transitions=tuple(zip(*rows)), start=[0.25] * 4)
    >>> right, left = [(0, 0), (1, 0), (2, 0), (3, 0), (0, None)], [(0, 1), (3, 1), (2, 1), (1, 1), (0, None)]
    >>> irl = revealed.MaxEntIRL(inference="causal", history=2, l2=0.01).fit(ring, [right, left])
    >>> came_from_0 = irl.policy_after([(0, 0), (1, None)])
    >>> bool(came_from_0[0] > 0.9)
    True
    """

    def __init__(
        self,
        order: int,
        *,
        shrinkage: float = 3.0,
        function: Function | None = None,
        table: Sequence[dict[str, Any]] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        if function is not None and table is not None:
            raise ValueError("give function or table, not both")
        self.order = order
        self.shrinkage = shrinkage
        self.function = function
        self.table = table
        self.names = names

    def __repr__(self) -> str:
        how = "function" if self.function is not None else "table" if self.table is not None else "indicators"
        return f"History({self.order}, {how})"

    def _record(self, mdp: Mdp, paths: _native.Demonstrations) -> str:
        """The windows, as a model file has them."""
        order = count("the order of the history", self.order)
        if self.function is not None:
            names = list(self.names or ["history"])
            return _native.history_of_function(mdp._native, order, names, self._asked(mdp))
        if self.table is not None:
            return _native.history_of_table(mdp._native, json.dumps(self._columns(mdp, order)))
        return _native.history_of_indicators(mdp._native, paths, order, number("shrinkage", self.shrinkage))

    def _asked(self, mdp: Mdp) -> Callable[[list[int], int], list[float]]:
        function, labels = self.function, mdp.labels
        assert function is not None

        def ask(states: list[int], action: int) -> list[float]:
            named = tuple(states) if labels is None else tuple(labels[state] for state in states)
            value = function(named, action)
            return [float(value)] if isinstance(value, (int, float)) else [float(one) for one in value]

        return ask

    def _columns(self, mdp: Mdp, order: int) -> dict[str, Any]:
        names = list(self.names or [])
        columns: dict[str, list[Any]] = {"states": [], "action": [], "to": [], "feature": [], "value": []}
        for row, window in enumerate(self.table or []):
            unknown = set(window) - set(columns)
            if unknown or "states" not in window:
                raise ValueError(
                    f"window {row}: give states, and optionally action, to, feature and value, not {sorted(unknown)}"
                )
            feature = window.get("feature", 0)
            if isinstance(feature, str):
                if feature not in names:
                    raise ValueError(f"window {row}: {feature!r} is not one of the names {names}")
                feature = names.index(feature)
            columns["states"].append([mdp._state(f"window {row}: the state", state) for state in window["states"]])
            columns["action"].append(None if window.get("action") is None else int(window["action"]))
            columns["to"].append(None if window.get("to") is None else mdp._state(f"window {row}: to", window["to"]))
            columns["feature"].append(int(feature))
            columns["value"].append(number(f"window {row}: the value", window.get("value", 1.0)))
        n_features = len(names) or 1 + max(columns["feature"], default=0)
        return {"order": order, "n_features": n_features, "names": names, "windows": columns}


def history_of(history: Any, mdp: Mdp, paths: _native.Demonstrations) -> str | None:
    """The windows of `history=`, as a model file has them; None without a history."""
    if history is None:
        return None
    if isinstance(history, (History, int)) and not isinstance(history, bool):
        return (history if isinstance(history, History) else History(history))._record(mdp, paths)
    raise TypeError(f"history is {history!r}: give the number of states, or a revealed.History")
