"""The result of cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

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
