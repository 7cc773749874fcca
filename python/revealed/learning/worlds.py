"""Several worlds with the same features: the evidence for one theta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import listed
from ..mdp.demonstrations import check_mdp, checked, trajectories_in
from ..mdp.mdp import Mdp

__all__ = ["native_worlds", "same_names", "several", "worlds_of"]


def several(given: Any) -> bool:
    """Whether it is a list of pairs (Mdp, demonstrations)."""
    if not isinstance(given, (list, tuple)) or isinstance(given, Mdp) or not given:
        return False
    return isinstance(given[0], (list, tuple)) and len(given[0]) == 2 and isinstance(given[0][0], Mdp)


def worlds_of(given: Sequence[Any], weights: Any, discount: float | None = None) -> list[tuple[Mdp, Trajectories]]:
    """The worlds with their demonstrations, checked."""
    pairs = list(given)
    each = [None] * len(pairs) if weights is None else listed("sample_weight", weights)
    if len(each) != len(pairs):
        raise ValueError(f"sample_weight has {len(each)} vectors, and there are {len(pairs)} worlds: give one for each")
    found: list[tuple[Mdp, Trajectories]] = []
    for number, (pair, weight) in enumerate(zip(pairs, each)):
        if not (isinstance(pair, (list, tuple)) and len(pair) == 2):
            raise TypeError(f"world {number} is {type(pair).__name__}: give pairs (mdp, demonstrations)")
        mdp, demonstrations = pair
        check_mdp(mdp)
        if found:
            same_names(f"world {number}", found[0][0].feature_names, mdp, "world 0", found[0][0].n_features)
        if discount is not None:
            mdp = mdp.with_discount(discount)
        try:
            found.append((mdp, trajectories_in(mdp, demonstrations, weight)))
        except (TypeError, ValueError) as error:
            raise type(error)(f"world {number}: {error}") from None
    return found


def native_worlds(worlds: Sequence[tuple[Mdp, Trajectories]]) -> list[tuple[_native.Problem, _native.Demonstrations]]:
    """The worlds as the engine has them. Among several, an error says which one has it."""
    found = []
    for number, (mdp, paths) in enumerate(worlds):
        try:
            found.append((mdp._native, checked(mdp, paths)))
        except ValueError as error:
            raise ValueError(f"world {number}: {error}" if len(worlds) > 1 else str(error)) from None
    return found


def same_names(what: str, names: Sequence[str], mdp: Mdp, of: str = "the model", n_features: int | None = None) -> None:
    """Rejects a world whose features are others."""
    remedy = "worlds of one reward have the same features in the same order"
    for feature, (expected, found) in enumerate(zip(names, mdp.feature_names)):
        if expected != found:
            raise ValueError(f"{what}: feature {feature} is {found!r}, but that of {of} is {expected!r}: {remedy}")
    expected_number = len(names) if n_features is None else n_features
    if len(names) != len(mdp.feature_names) or (expected_number and expected_number != mdp.n_features):
        raise ValueError(f"{what}: there are {mdp.n_features} features, and {of} has {expected_number}: {remedy}")
