"""Mixed recursive logits."""

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
from ..inputs.numbers import count, optional_count
from ..inputs.seeds import Seed, seed_of
from ..mdp.demonstrations import check_mdp, checked, trajectories_in
from ..mdp.mdp import Mdp

__all__ = ["MixedFit", "mixed_logit"]


def _column(values: list[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


class MixedFit:
    """The result of `mixed_logit`; `print` shows the table. Vectors have an entry for each parameter."""

    def __init__(self, record: dict[str, Any], table: str) -> None:
        self.names: list[str] = record["names"]
        """The features (`log` and a colon before the name for the location of a lognormal coefficient), and the spreads
        (`sd` and a colon before the name)."""
        self.parameters: Floats = np.array(record["parameters"])
        """theta, or the locations of random coefficients, and the spreads."""
        self.standing: list[str] = record["standing"]
        """The status of each: "estimated", or why it has no standard error."""
        self.standard_errors: Floats = _column(record["standard_errors"])
        """Standard errors, from the second derivatives of the simulated log-likelihood; NaN where there is none."""
        robust = record["robust_standard_errors"]
        self.robust_standard_errors: Floats | None = None if robust is None else _column(robust)
        """From the sandwich of these and the travellers' scores; None for a single traveller."""
        self.errors: str = record["errors"]
        """Which errors the z-values and p-values use: "model" or "robust"."""
        self.z_values: Floats = _column(record["z_values"])
        """The parameters in units of their standard errors."""
        self.p_values: Floats = _column(record["p_values"])
        """`P(|Z| > |z|)`. That of a spread is only a rough guide, because 0 is its bound."""
        self.covariance: Floats = np.array(record["covariance"])
        """The covariance of the parameters; 0 where there is no standard error."""
        self.n_travellers: int = record["n_travellers"]
        """How many travellers have their own coefficients."""
        self.log_likelihood: float = record["log_likelihood"]
        """The simulated log-likelihood of all demonstrations together."""
        self.plain_log_likelihood: float = record["plain_log_likelihood"]
        """The log-likelihood of the plain recursive logit."""
        self.likelihood_ratio: float = record["likelihood_ratio"]
        """Twice the difference of the two."""
        self.degrees_of_freedom: int = record["degrees_of_freedom"]
        """How many parameters the plain recursive logit lacks."""
        self.likelihood_ratio_p_value: float = record["likelihood_ratio_p_value"]
        """The p-value of the ratio by chi-squared: an upper bound, because the spreads of the plain model are at their
        bound 0."""
        self.aic: float = record["aic"]
        """Akaike's criterion."""
        self.bic: float = record["bic"]
        """Schwarz's criterion, by the number of travellers."""
        self.diverged: float = record["diverged"]
        """The share of draws whose loops cost too little for a finite sum over paths. They have probability 0."""
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


def mixed_logit(
    mdp: Mdp,
    demonstrations: Any,
    *,
    random: str | int | Iterable[str | int] = (),
    positive: str | int | Iterable[str | int] = (),
    negative: str | int | Iterable[str | int] = (),
    panel: Any = None,
    draws: int = 200,
    common_draws: bool = False,
    seed: Seed = 0,
    errors: Literal["model", "robust"] = "model",
    threads: int | None = None,
    memory: int | None = None,
) -> MixedFit:
    """Learn a mixed recursive logit, and test it against the plain one.

    Some coefficients differ from traveller to traveller. Their distribution is learned by simulated maximum likelihood:
    the likelihood of a traveller is the mean over draws of the coefficients.

    Parameters
    ----------
    mdp : Mdp
        A world without discount.
    demonstrations
        Anything that `Trajectories` takes.
    random : features, optional
        The names or numbers of features whose coefficients are normal.
    positive, negative : features, optional
        The same for lognormal coefficients, which are always positive, or with a minus always negative.
    panel : str or vector, optional
        The demonstrations of one traveller, who has the same coefficients in all of them: the name of a column of
        `Trajectories.trip`, "origin-destination", or a label for each demonstration. By default each is of another
        traveller.
    draws : int
        Draws of each traveller. More give a more exact likelihood; the time is in proportion.
    common_draws : bool
        The same draws for all travellers. An evaluation then takes one elimination for each draw, instead of one for
        each draw and traveller. The errors of the simulation do not average out, so take more draws.
    seed
        The same seed gives the same draws.
    errors : "model" or "robust"
        The errors of the z-values and p-values.
    threads, memory : int, optional
        How the work is done.
    """
    check_mdp(mdp)
    kinds = {"normal": random, "positive lognormal": positive, "negative lognormal": negative}
    coefficients = [(mdp._feature(feature), kind) for kind, given in kinds.items() for feature in _several(given)]
    if not coefficients:
        raise ValueError("no coefficient is random: name features for random, positive or negative")
    paths = trajectories_in(mdp, demonstrations)
    if panel is not None and not isinstance(panel, str):
        paths = Trajectories(paths, trip={**paths.trip, "panel": trip_column("panel", panel, len(paths))})
        panel = "panel"
    native = checked(mdp, paths)
    drawn = count("draws", draws), bool(common_draws), seed_of(seed)
    work = optional_count("threads", threads), optional_count("memory", memory)
    record, table = _native.fit_mixed(mdp._native, native, coefficients, drawn, panel, errors, *work)
    return MixedFit(json.loads(record), table)


def _several(features: str | int | Iterable[str | int]) -> Iterable[str | int]:
    return [features] if isinstance(features, (str, int)) else features
