"""What cross-validation found."""

from __future__ import annotations

from dataclasses import dataclass

from ._columns import Floats, Integers

__all__ = ["Validation"]


@dataclass(frozen=True, eq=False)
class Validation:
    """What cross-validation found, a row for each penalty."""

    l2: Floats
    """The penalties."""
    held_out: Floats
    """The mean log-likelihood of demonstrations under fits that have not seen them."""
    standard_error: Floats
    """Its standard error."""
    in_sample: Floats
    """The mean log-likelihood of demonstrations under fits that have seen them."""
    shortfall: Floats
    """How much less `held_out` is than that of the best penalty."""
    shortfall_error: Floats
    """Its standard error, each demonstration compared with itself."""
    best_l2: float
    """The penalty with the largest held-out log-likelihood."""
    simplest_l2: float
    """The largest penalty that is worse than the best by at most one standard error."""
    fold_of: Integers
    """The fold of each demonstration; -1 for those of weight 0."""
