"""Numbers of an MDP as frames with labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.columns import reals
from .parts import MdpParts

__all__ = ["frame_of"]


def frame_of(mdp: MdpParts, values: Any, name: str) -> Any:
    """A pandas frame: a row for each state, or for each transition."""
    import pandas

    labels, acts = mdp._labels, mdp._action_labels
    states: Any = np.arange(mdp.n_states) if labels is None else pandas.Index(labels, tupleize_cols=False)
    actions: Any = list(range(mdp.n_actions)) if acts is None else pandas.Index(acts, tupleize_cols=False)
    array = None if values is None else reals("values", values)
    if array is not None and array.shape == (mdp.n_states,):
        return pandas.DataFrame({name: array}, index=states).rename_axis("state")
    if array is not None and array.shape == (mdp.n_states, mdp.n_actions):
        return pandas.DataFrame(array, index=states, columns=actions).rename_axis("state")
    if array is not None and array.shape != (mdp.n_transitions,):
        raise ValueError(
            f"values has shape {array.shape}: give one for each of the {mdp.n_states} states, a table ({mdp.n_states}, "
            f"{mdp.n_actions}), or one for each of the {mdp.n_transitions} transitions"
        )
    source, action, target, p = mdp.transitions
    columns: dict[str, Any] = {
        "from": source if labels is None else [labels[at] for at in source.tolist()],
        "action": action if acts is None else [acts[at] for at in action.tolist()],
        "to": target if labels is None else [labels[at] for at in target.tolist()],
        "p": p,
    }
    return pandas.DataFrame(columns if array is None else {**columns, name: array})
