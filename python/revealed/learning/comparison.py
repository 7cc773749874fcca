"""Which model explains demonstrations: the four models, fitted and compared by the likelihood of the choices."""

from __future__ import annotations

import html
import json
from typing import Any

import numpy as np

from .. import _native
from ..display.cards import card
from ..display.progress import Counter
from ..inputs.numbers import count
from ..inputs.options import Bounds, Ends, Horizon
from ..inputs.seeds import Seed, seed_of
from ..mdp.demonstrations import check_mdp, native_demonstrations
from ..mdp.mdp import Mdp
from .maxent import MaxEntIRL

__all__ = ["Comparison", "compare"]


class Comparison:
    """The result of `compare`; `print` shows the table and the verdict."""

    def __init__(self, record: dict[str, Any], table: str, best: MaxEntIRL | None) -> None:
        self.best: MaxEntIRL | None = best
        """The fitted model to take; it answers questions. None if no model explains all demonstrations."""
        self.chosen: str | None = record["chosen"]
        """Its name: "paths", "paths-any-length", "causal" or "causal-any-length"."""
        self.preference: str = record["preference"]
        """Why it is taken.

        "better" and "largest": its held-out log-likelihood is the largest, and Vuong's test can or cannot tell it from
        the others. "causal": the test cannot tell it from the largest, and outcomes are chance. "only": no other was
        fitted.
        """
        self.verdict: list[str] = record["verdict"]
        """Which model explains the choices, and what each is for."""
        self.models: list[dict[str, Any]] = record["models"]
        """The four models, with all numbers; `reason` says why one was not fitted."""
        self.ends: str = record["ends"]
        """Where paths end, in all models."""
        self.has_chance: bool = record["has_chance"]
        """Whether actions have outcomes that are chance."""
        self.fold_of = np.array([-1 if fold is None else fold for fold in record["fold_of"]], dtype=np.int64)
        """The fold of each demonstration; -1 for demonstrations of weight 0."""
        self._table = table

    def __getitem__(self, name: str) -> dict[str, Any]:
        """The numbers of the model of this name."""
        for model in self.models:
            if model["model"] == name:
                return model
        raise KeyError(f"{name!r}: the models are {', '.join(model['model'] for model in self.models)}")

    def to_frame(self) -> Any:
        """A pandas frame with a row for each model that was fitted."""
        import pandas

        fitted = [model for model in self.models if model["reason"] is None]
        names = ("in_sample", "held_out", "luck", "luck_share", "parameters", "aic", "bic", "converged")
        columns: dict[str, Any] = {name: [model[name] for model in fitted] for name in names}
        for name in ("statistic", "p_value"):
            columns[f"vuong_{name}"] = [None if model["vuong"] is None else model["vuong"][name] for model in fitted]
        return pandas.DataFrame(columns, index=[model["model"] for model in fitted])

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        below = f"<pre>{html.escape(self._table)}</pre>"
        return card("Comparison", [("take", self.chosen), ("because", self.preference)], below)


def compare(
    mdp: Mdp,
    demonstrations: Any,
    *,
    horizon: Horizon | None = None,
    ends: Ends | None = None,
    folds: int = 5,
    seed: Seed = 0,
    bounds: Bounds | None = None,
    l2: float = 0.001,
    sample_weight: Any = None,
    tolerance: float = 1e-8,
    max_iter: int = 10_000,
    threads: int | None = None,
    memory: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Fit the models that make sense, compare them, and say which explains the demonstrations.

    The four models are distributions over paths, or causal (chance decides the outcomes of actions), within a horizon
    or without one. All are compared by the same quantity: the log-likelihood of the choices, held out. The parameters
    are those of `MaxEntIRL`, except:

    Parameters
    ----------
    horizon : int or "any", optional
        With "any", only the models without a horizon are fitted.
    ends : {"anywhere", "horizon", "terminal", "goal"}, optional
        Where paths end, in all models. By default "horizon" if all demonstrations end in a terminal state or at the
        horizon, and "anywhere" otherwise.
    folds, seed
        The division of the demonstrations, which is the same for all models.
    l2 : float
        The penalty of all models. It is not 0, because choices without exceptions have no finite optimum otherwise.

    Examples
    --------
    >>> import revealed
    >>> lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
    >>> found = revealed.compare(lake, lake.rollouts(lake.plan().policy, 50, seed=1))
    >>> found.best.inference_
    'causal'
    """
    check_mdp(mdp)
    settings: dict[str, Any] = {"bounds": bounds, "l2": l2, "tolerance": tolerance, "max_iter": max_iter}
    work: dict[str, Any] = {"threads": threads, "memory": memory, "progress": progress}
    template = MaxEntIRL(horizon=horizon, **settings, **work)
    paths = native_demonstrations(mdp, demonstrations, sample_weight)
    chosen = ends, count("folds", folds), seed_of(seed)
    with Counter(progress, "fits") as counter:
        found = _native.compare(mdp._native, paths, template._settings(mdp), *chosen, counter)
    assert found is not None  # the counter never asks to stop
    record, table, model = found
    best = None
    if model is not None:
        learned, null_directions = json.loads(model[0]), model[1]
        paths_of = {name: learned[name] for name in ("ends", "inference", "horizon")}
        best = MaxEntIRL(**paths_of, **settings, **work)
        best._set([mdp], np.array(learned["theta"]), learned, null_directions)
    return Comparison(json.loads(record), table, best)
