"""Standard errors of a model that was learned from rollouts, and where they come from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.cards import card, html_table, notes_below
from ..inputs.columns import Floats
from ..inputs.numbers import number
from .rollouts import Estimate, Rollouts

__all__ = ["ModelFreeSummary", "demonstration_errors"]

_NORMAL = NormalDist()


def demonstration_errors(
    rollouts: Rollouts, theta: Floats, demonstrations: Floats, weights: Floats, l2: float, free: NDArray[np.bool_]
) -> Floats:
    """The standard errors of theta that come from having few demonstrations; NaN for a single one.

    They are those of the sandwich H^-1 C H^-1. H is the covariance of the features in the learned model, estimated from
    the weighted rollouts, and C that of the mean features of the demonstrations. It is valid for misspecified models,
    too.
    """
    spread = rollouts.features.std(axis=0)
    units = np.where(spread > 0.0, spread, 1.0)
    counted = weights > 0.0
    n, share = int(counted.sum()), weights[counted] / weights.sum()
    errors = np.zeros(len(theta))
    if n < 2:
        errors[free] = np.nan
        return errors
    shares = rollouts.shares(theta)
    away = (rollouts.features - shares @ rollouts.features) / units
    curvature = (away * shares[:, None]).T @ away + np.diag(l2 / units**2)
    from_mean = (demonstrations[counted] - share @ demonstrations[counted]) / units * share[:, None]
    noise = n / (n - 1.0) * from_mean.T @ from_mean
    inverse = np.linalg.pinv(curvature[np.ix_(free, free)], rcond=1e-12, hermitian=True)
    variance = np.diag(inverse @ noise[np.ix_(free, free)] @ inverse)
    errors[free] = np.sqrt(np.maximum(variance, 0.0)) / units[free]
    return errors


class ModelFreeSummary:
    """Estimates with their standard errors and intervals, and the effective sample size; `print` shows the table.

    Vectors have an entry for each parameter. Errors are 0 for parameters that a bound holds, and NaN where they are
    unknown.
    """

    def __init__(
        self,
        theta: Floats,
        names: Sequence[str],
        sampling_errors: Floats,
        demonstration_errors: Floats,
        estimate: Estimate,
        level: float,
        texts: Sequence[str],
        notes: Sequence[str],
    ) -> None:
        if not 0.0 < number("level", level) < 1.0:
            raise ValueError(f"level is {level}: it must be between 0 and 1, 0.95 say")
        self.theta = theta
        """The learned weights."""
        self.names = list(names) or [f"feature {k}" for k in range(len(theta))]
        """The names of the features."""
        self.sampling_errors = sampling_errors
        """The standard errors due to the finite number of rollouts."""
        self.demonstration_errors = demonstration_errors
        """The standard errors due to the finite number of demonstrations."""
        self.standard_errors: Floats = np.hypot(sampling_errors, demonstration_errors)
        """Both combined."""
        self.z_values: Floats = np.divide(
            theta, self.standard_errors, out=np.full(len(theta), np.nan), where=self.standard_errors > 0.0
        )
        """theta in units of its standard error."""
        self.p_values: Floats = np.array([math.erfc(abs(z) / math.sqrt(2.0)) for z in self.z_values.tolist()])
        """`P(|Z| > |z|)`."""
        self.level = float(level)
        """The confidence level of the intervals."""
        reach = _NORMAL.inv_cdf(0.5 + self.level / 2.0) * self.standard_errors
        self.intervals: Floats = np.stack([theta - reach, theta + reach], axis=1)
        """Confidence intervals, (n_features, 2)."""
        self.estimate = estimate
        """What the rollouts estimate at theta: effective sample size, log Z, expected features."""
        self.notes = list(notes)
        """Remarks that are needed to read the table."""
        self._texts = list(texts)

    def to_frame(self) -> Any:
        """A pandas frame with a row for each parameter."""
        import pandas

        columns = {
            "estimate": self.theta,
            "std_err": self.standard_errors,
            "sampling": self.sampling_errors,
            "demonstrations": self.demonstration_errors,
            "z": self.z_values,
            "p": self.p_values,
            "low": self.intervals[:, 0],
            "high": self.intervals[:, 1],
        }
        return pandas.DataFrame(columns, index=self.names)

    def __str__(self) -> str:
        wide = max(7, *(len(name) for name in self.names))
        level = f"{100.0 * self.level:g} % interval"
        columns = (("estimate", 10), ("std err", 9), ("sampling", 9), ("demos", 9), ("z", 8), ("p", 7))
        head = " ".join([f"{'feature':<{wide}}", *(f"{name:>{width}}" for name, width in columns), f"  {level}"])
        rows = []
        for k, name in enumerate(self.names):
            errors = self.standard_errors[k], self.sampling_errors[k], self.demonstration_errors[k]
            numbers = " ".join(f"{error:>9.4f}" for error in errors)
            low, high = self.intervals[k]
            tested = f"{self.z_values[k]:>8.2f} {self.p_values[k]:>7.4f}"
            rows.append(f"{name:<{wide}} {self.theta[k]:>10.4f} {numbers} {tested}   [{low:.4f}, {high:.4f}]")
        size, share = self.estimate.effective_sample_size, 100.0 * self.estimate.largest_share
        weights = f"effective sample size {size:.1f}; the heaviest rollout has {share:.1f} % of the weight"
        return "\n".join([*self._texts, weights, "", head, *rows, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = ["feature", "estimate", "std err", "sampling", "demos", "z", "p", f"{100.0 * self.level:g} % interval"]
        rows = []
        for k, name in enumerate(self.names):
            errors = self.standard_errors[k], self.sampling_errors[k], self.demonstration_errors[k]
            low, high = self.intervals[k]
            tested = f"{self.z_values[k]:.2f}", f"{self.p_values[k]:.4f}", f"[{low:.4g}, {high:.4g}]"
            rows.append([name, f"{self.theta[k]:.4g}", *(f"{error:.4g}" for error in errors), *tested])
        facts = [("", text) for text in self._texts]
        facts.append(("effective sample size", f"{self.estimate.effective_sample_size:.1f}"))
        return card("ModelFreeSummary", facts, html_table(head, rows) + notes_below(self.notes))
