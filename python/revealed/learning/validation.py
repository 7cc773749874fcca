"""The result of cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

from ..display.cards import card, html_table
from ..inputs.columns import Floats, Integers

__all__ = ["Validation"]


@dataclass(frozen=True, eq=False)
class Validation:
    """The result of cross-validation. Vectors have an entry for each penalty."""

    l2: Floats
    """The penalties."""
    held_out: Floats
    """The mean log-likelihood of demonstrations under fits that did not use them."""
    standard_error: Floats
    """Its standard error."""
    in_sample: Floats
    """The mean log-likelihood of demonstrations under fits that used them."""
    shortfall: Floats
    """The difference of `held_out` from that of the best penalty."""
    shortfall_error: Floats
    """Its standard error, from differences demonstration by demonstration."""
    best_l2: float
    """The penalty with the largest held-out log-likelihood."""
    simplest_l2: float
    """The largest penalty that is worse than the best by at most one standard error."""
    fold_of: Integers
    """The fold of each demonstration; -1 for demonstrations of weight 0."""

    def _repr_html_(self) -> str:
        columns = zip(self.l2, self.held_out, self.standard_error, self.in_sample, self.shortfall)
        rows = [
            [f"{l2:g}", f"{out:.6g}", f"{error:.2g}", f"{within:.6g}", f"{less:.3g}"] for l2, out, error, within, less in columns
        ]
        best = [at for at, l2 in enumerate(self.l2) if l2 == self.best_l2]
        below = html_table(["l2", "held out", "standard error", "in sample", "short of the best"], rows, best)
        found: list[tuple[str, object]] = [
            ("best l2", f"{self.best_l2:g}"),
            ("simplest within one standard error", f"{self.simplest_l2:g}"),
            ("folds", int(self.fold_of.max(initial=-1)) + 1),
        ]
        return card("Validation", found, below)
