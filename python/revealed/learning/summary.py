"""Standard errors and statistics of a fit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _native
from ..display.cards import card, html_table, notes_below
from ..inputs.columns import Floats

__all__ = ["Summary"]

# How many parameters the table of a notebook shows.
_MOST_ROWS = 60


def _column(values: Any) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


class Summary:
    """Standard errors, intervals and statistics of a fit, as econometricians print them; `print` shows the table.

    Vectors have an entry for each parameter. It is NaN if there is none: `standing` then gives the reason ("at
    bound", "not identified" or "no optimum").
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        record = model["summary"]
        self.theta: Floats = np.array(model["theta"])
        """The learned weights."""
        names = list(model["names"])
        self.names: list[str] = names or [f"feature {k}" for k in range(len(self.theta))]
        """The names of the features."""
        self.standing: list[str] = record["standing"]
        """The status of each estimate: "estimated", or why it has no standard error."""
        self.standard_errors: Floats = _column(record["standard_errors"])
        """From the information matrix."""
        robust = record["robust_standard_errors"]
        self.robust_standard_errors: Floats | None = None if robust is None else _column(robust)
        """From the sandwich, clustered if there are clusters; None for a single demonstration."""
        self.errors: str = record["errors"]
        """Which of the two the z-values, p-values and intervals use: "model" or "robust"."""
        self.cluster: str | None = record.get("cluster")
        """The clusters of the robust errors: "origin-destination" or the name of a column; None without."""
        self.n_clusters: int | None = record.get("n_clusters")
        """How many clusters there are."""
        self.z_values: Floats = _column(record["z_values"])
        """theta in units of its standard error."""
        self.p_values: Floats = _column(record["p_values"])
        """`P(|Z| > |z|)`."""
        self.level: float = record["level"]
        """The confidence level of the intervals."""
        self.intervals: Floats = np.array([pair or (np.nan, np.nan) for pair in record["intervals"]], dtype=np.float64)
        """Confidence intervals, (n_features, 2)."""
        covariance = record["covariance"]
        self.covariance: Floats | None = None if covariance is None else np.array([_column(row) for row in covariance])
        """The covariance matrix of the estimates; None for more than 100 parameters."""
        robust_covariance = record.get("robust_covariance")
        self.robust_covariance: Floats | None = None if robust_covariance is None else np.array(robust_covariance)
        """The same from the sandwich; None for more than 500 parameters or a single demonstration."""
        self.n: float = record["n"]
        """The sum of the demonstrations' weights."""
        self.log_likelihood: float = record["log_likelihood"]
        """The log-likelihood of all demonstrations together."""
        self.null_log_likelihood: float | None = record["null_log_likelihood"]
        """The same at theta = 0; None if there is no model at 0, as for the recursive logit with loops."""
        self.likelihood_ratio: float | None = record["likelihood_ratio"]
        """Twice the difference of the two."""
        self.likelihood_ratio_p_value: float | None = record["likelihood_ratio_p_value"]
        """The probability of a larger ratio if theta = 0, by chi-squared; unreliable with weights at bounds."""
        self.degrees_of_freedom: int = record["degrees_of_freedom"]
        """The degrees of freedom of the likelihood-ratio test: the directions of theta that the data identify.

        Weights that ended at a bound count, because they were free to leave 0, although chi-squared holds for weights
        that are free on both sides. Weights whose two bounds are equal do not count.
        """
        self.rho_squared: float | None = record["rho_squared"]
        """McFadden's rho squared."""
        self.aic: float = record["aic"]
        """Akaike's criterion."""
        self.bic: float = record["bic"]
        """Schwarz's criterion."""
        self.notes: list[str] = record["notes"]
        """Remarks that are needed to read the table."""
        self._model = dict(model)
        self._table = _native.summary_table(json.dumps(model))

    def to_frame(self) -> Any:
        """A pandas frame with a row for each parameter."""
        import pandas

        columns = {
            "estimate": self.theta,
            "std_err": self.standard_errors,
            "z": self.z_values,
            "p": self.p_values,
            "low": self.intervals[:, 0],
            "high": self.intervals[:, 1],
        }
        if self.robust_standard_errors is not None:
            columns["robust_std_err"] = self.robust_standard_errors
        return pandas.DataFrame({**columns, "standing": self.standing}, index=self.names)

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        level = f"{100.0 * self.level:g} % interval"
        head = ["feature", "estimate", "std err", "robust", "z", "p", level, ""]
        robust = self.robust_standard_errors
        rows = []
        for at, name in enumerate(self.names[:_MOST_ROWS]):
            numbers = [self.theta[at], self.standard_errors[at], np.nan if robust is None else robust[at], self.z_values[at]]
            low, high = self.intervals[at]
            interval = "" if np.isnan(low) else f"[{low:.4g}, {high:.4g}]"
            p = "" if np.isnan(self.p_values[at]) else f"{self.p_values[at]:.4f}"
            why = "" if self.standing[at] == "estimated" else self.standing[at]
            rows.append([name, *("" if np.isnan(value) else f"{value:.4g}" for value in numbers), p, interval, why])
        below = html_table(head, rows)
        if len(self.names) > _MOST_ROWS:
            below += f"<div><small>and {len(self.names) - _MOST_ROWS:,} more; to_frame() has all</small></div>"
        facts: list[tuple[str, Any]] = [("demonstrations", f"{self.n:g}"), ("log-likelihood", f"{self.log_likelihood:.6g}")]
        if self.rho_squared is not None:
            facts.append(("rho squared", f"{self.rho_squared:.4f}"))
        facts += [("AIC, BIC", f"{self.aic:.6g}, {self.bic:.6g}"), ("z, p and intervals", f"{self.errors} errors")]
        return card("Summary", facts, below + notes_below(self.notes))
