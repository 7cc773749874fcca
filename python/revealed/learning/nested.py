"""Nested and discounted recursive logits."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..demonstrations.trips import trip_column
from ..inputs.columns import Floats
from ..inputs.numbers import optional_count
from ..mdp.demonstrations import check_mdp, checked, trajectories_in
from ..mdp.mdp import Mdp

__all__ = ["NestedFit", "nested_logit"]


def _column(values: list[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


class NestedFit:
    """The result of `nested_logit`; `print` shows the table. Vectors have an entry for each parameter."""

    def __init__(self, record: dict[str, Any], table: str) -> None:
        self.names: list[str] = record["names"]
        """The features, those of the scale (`scale` and a colon before the name), and `discount`."""
        self.parameters: Floats = np.array(record["parameters"])
        """theta, the weights of the scale, and the discount."""
        self.standing: list[str] = record["standing"]
        """The status of each: "estimated", or why it has no standard error."""
        self.standard_errors: Floats = _column(record["standard_errors"])
        """Standard errors; NaN where there is none."""
        robust = record["robust_standard_errors"]
        self.robust_standard_errors: Floats | None = None if robust is None else _column(robust)
        """From the sandwich, clustered if there are clusters; None for a single demonstration."""
        self.errors: str = record["errors"]
        """Which errors the z-values and p-values use: "model" or "robust"."""
        self.z_values: Floats = _column(record["z_values"])
        """The parameters in units of their standard errors."""
        self.p_values: Floats = _column(record["p_values"])
        """`P(|Z| > |z|)`."""
        self.covariance: Floats = np.array(record["covariance"])
        """The covariance of the parameters; 0 where there is no standard error."""
        self.log_likelihood: float = record["log_likelihood"]
        """The log-likelihood of all demonstrations together."""
        self.plain_log_likelihood: float = record["plain_log_likelihood"]
        """That of the plain recursive logit."""
        self.likelihood_ratio: float = record["likelihood_ratio"]
        """Twice the difference of the two."""
        self.degrees_of_freedom: int = record["degrees_of_freedom"]
        """How many parameters the plain recursive logit lacks."""
        self.likelihood_ratio_p_value: float = record["likelihood_ratio_p_value"]
        """The p-value of the ratio by chi-squared."""
        self.aic: float = record["aic"]
        """Akaike's criterion."""
        self.converged: bool = record["converged"]
        """Whether the search converged."""
        self.stopped_because: str = record["stopped_because"]
        """Why it ended."""
        self._record = record
        self._table = table

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._table)}</pre>"


def nested_logit(
    mdp: Mdp,
    demonstrations: Any,
    *,
    scale: Iterable[str | int] = (),
    discounted: bool = False,
    errors: Literal["model", "robust"] | None = None,
    cluster: Any = None,
    threads: int | None = None,
    memory: int | None = None,
) -> NestedFit:
    """Learn a nested or discounted recursive logit, and test it against the plain one.

    In the nested one (Mai, Fosgerau and Frejinger 2015), the errors at a state have the scale exp(sum of weights times
    the features that `scale` names), so that routes which share states are alike. In the discounted one (Oyama and
    Hato 2017), a traveller discounts what lies ahead.

    Parameters
    ----------
    mdp : Mdp
        A world without chance.
    demonstrations
        Anything that `Trajectories` takes.
    scale : features, optional
        The names or numbers of features of states.
    discounted : bool
        Whether to learn the discount.
    errors : "model" or "robust", optional
        The errors of the z-values and p-values. By default "model", and "robust" with `cluster`.
    cluster : str or vector, optional
        Robust errors then let demonstrations of one cluster depend on each other: "origin-destination", the name of a
        column of `Trajectories.trip`, or a label for each demonstration.
    threads, memory : int, optional
        How the work is done.
    """
    check_mdp(mdp)
    features = [mdp._feature(feature) for feature in ([scale] if isinstance(scale, str) else scale)]
    if not features and not discounted:
        raise ValueError("there is nothing to learn besides theta: name features for scale, or set discounted")
    paths = trajectories_in(mdp, demonstrations)
    if cluster is not None and not isinstance(cluster, str):
        paths = Trajectories(paths, trip={**paths.trip, "cluster": trip_column("cluster", cluster, len(paths))})
        cluster = "cluster"
    native = checked(mdp, paths)
    reported = errors or ("model" if cluster is None else "robust"), cluster
    work = optional_count("threads", threads), optional_count("memory", memory)
    record, table = _native.fit_nested(mdp._native, native, features, bool(discounted), reported, *work)
    return NestedFit(json.loads(record), table)
