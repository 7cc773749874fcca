"""What a notebook shows of an object: a small table, and bars for the largest weights."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .demonstrations import Trajectories
    from .mdp import Mdp

__all__: list[str] = []

# How many weights are shown.
_BARS = 8
# What is told of a fit, and how.
_FITTED = (
    ("log-likelihood", "log_likelihood_", "{:.6g} (mean of a demonstration)"),
    ("iterations", "n_iter_", "{}"),
    ("horizon", "horizon_", "{} states"),
    ("ends", "ends_", "{}"),
)


def _card(title: str, rows: Sequence[tuple[str, Any]], more: str = "") -> str:
    cell = 'style="text-align:left;padding:1px 12px 1px 0"'
    told = [(html.escape(name), html.escape(str(value))) for name, value in rows]
    lines = "".join(f"<tr><td {cell}>{name}</td><td {cell}>{value}</td></tr>" for name, value in told)
    return f"<div><strong>{html.escape(title)}</strong><table>{lines}</table>{more}</div>"


def mdp_card(mdp: Mdp) -> str:
    """A world: its sizes, where paths begin and end, what a reward may depend on."""
    n_start = int(np.count_nonzero(mdp.start))
    begins = f"{n_start} states" if n_start != 1 else f"state {int(mdp.start.argmax())}"
    places = "none"
    if mdp.grid is not None:
        places = f"grid of {mdp.grid[0]} × {mdp.grid[1]}"
    elif mdp.points is not None:
        places = "points"
    names = mdp.feature_names
    features = f"{mdp.n_features:,}"
    if names:
        features += f" ({', '.join(names[:4])}{', …' if len(names) > 4 else ''})"
    rows = [
        ("states", f"{mdp.n_states:,}, of which {len(mdp.terminal):,} terminal"),
        ("actions", f"{mdp.n_actions:,}"),
        ("transitions", f"{mdp.n_transitions:,}"),
        ("features", features),
        ("discount", f"{mdp.discount:g}"),
        ("start", begins),
        ("places", places),
    ]
    return _card("Mdp", rows)


def trajectories_card(paths: Trajectories) -> str:
    """Paths: how many, how long, and the first of them."""
    n = len(paths)
    rows: list[tuple[str, Any]] = [("paths", f"{n:,}")]
    if n:
        lengths = paths.lengths
        rows.append(("states", f"{lengths.min()} to {lengths.max()} each, {lengths.mean():.1f} on average"))
        if not np.all(paths.weights == 1.0):
            rows.append(("weight", f"{paths.weights.sum():g} in all"))
        first = paths.states[: lengths[0]].tolist()
        name = f" ({paths.ids[0]})" if paths.ids[0] is not None else ""
        rows.append((f"the first{name}", " → ".join(map(str, first[:12])) + (" → …" if len(first) > 12 else "")))
    return _card("Trajectories", rows)


def estimator_card(irl: Any, settings: Mapping[str, Any]) -> str:
    """An estimator: its settings and, once it is fitted, how that went and the largest weights."""
    rows = [(name, _short(value)) for name, value in settings.items()]
    if not hasattr(irl, "theta_"):
        return _card(type(irl).__name__, [*rows, ("fitted", "not yet")])
    rows.append(("converged", "yes" if irl.converged_ else f"no: {irl.stopped_because_}"))
    # What is there depends on the kind of estimator.
    for name, attribute, form in _FITTED:
        if hasattr(irl, attribute):
            rows.append((name, form.format(getattr(irl, attribute))))
    names = irl.mdp_.feature_names if hasattr(irl, "mdp_") else []
    return _card(type(irl).__name__, rows, _bars(irl.theta_, names) + _notes(irl.notes_))


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _notes(notes: Sequence[str]) -> str:
    return "".join(f"<div><small>{html.escape(note)}</small></div>" for note in notes)


def _bars(theta: Any, names: Sequence[str]) -> str:
    """The largest weights, left and right of a line, in the colours of the pictures."""
    order = np.argsort(-np.abs(theta), kind="stable")[:_BARS]
    largest = float(np.abs(theta[order]).max(initial=0.0)) or 1.0
    rows = []
    for at in order:
        share = 45.0 * abs(theta[at]) / largest
        left, colour = (50.0 - share, "#b2182b") if theta[at] < 0.0 else (50.0, "#2166ac")
        bar = f'<div style="position:absolute;left:{left:.1f}%;width:{share:.1f}%;height:100%;background:{colour}"></div>'
        name = html.escape(names[at] if names else f"feature {at}")
        cell = 'style="text-align:left;padding:1px 12px 1px 0"'
        rows.append(
            f"<tr><td {cell}>{name}</td><td {cell}>{theta[at]:.4g}</td>"
            f'<td style="padding:1px 0"><div style="position:relative;width:160px;height:10px">{bar}</div></td></tr>'
        )
    rest = len(theta) - len(order)
    more = f"<div><small>and {rest:,} smaller weights</small></div>" if rest else ""
    return f"<table>{''.join(rows)}</table>{more}"
