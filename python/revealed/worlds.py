"""MDPs whose true reward is known: environments of Gym and Gymnasium, chains, road-like networks.

Each function returns an `Mdp` whose `true_theta` has the reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import _native
from .inputs.columns import listed
from .inputs.numbers import count, number
from .inputs.seeds import Seed, seed_of
from .mdp.mdp import Mdp

__all__ = ["cliff_walking", "frozen_lake", "linear_chain", "n_chain", "random_lake", "road_like", "taxi"]

StepFeatures = Literal["kinds", "state-actions", "transitions"]


def frozen_lake(map: str | Sequence[str] = "4x4", *, slippery: bool = True, discount: float = 1.0) -> Mdp:
    """Gymnasium's FrozenLake-v1: "4x4", "8x8", or the rows of a map of the letters S, F, H and G.

    On ice that is `slippery`, a step goes to either side of the intended direction with probability 1/3 each.

    >>> import revealed
    >>> revealed.worlds.frozen_lake("4x4")
    Mdp(16 states, 4 actions, 128 transitions, 16 features, discount 1.0)
    """
    if isinstance(map, str):
        sizes = {"4x4": 4, "8x8": 8}
        if map not in sizes:
            raise ValueError(f"map is {map!r}: it must be '4x4', '8x8' or a list of rows")
        rows = _native.lake_map(sizes[map], None, 0)
    else:
        rows = [str(row) for row in listed("map", map)]
    return Mdp._of(_native.frozen_lake(rows, bool(slippery), number("discount", discount)))


def random_lake(size: int = 8, *, p_frozen: float = 0.8, seed: Seed = 0) -> list[str]:
    """The rows of a random map of `size` rows in which the goal can be reached, for `frozen_lake`.

    A cell is frozen with probability `p_frozen`, and a hole otherwise.
    """
    return _native.lake_map(count("size", size), number("p_frozen", p_frozen), seed_of(seed))


def cliff_walking(*, slippery: bool = False, features: StepFeatures = "state-actions", discount: float = 1.0) -> Mdp:
    """Gymnasium's CliffWalking-v1, where it may be `slippery`. The features are as in `taxi`."""
    return Mdp._of(_native.cliff_walking(bool(slippery), features, number("discount", discount)))


def taxi(*, features: StepFeatures = "state-actions", discount: float = 1.0) -> Mdp:
    """Gymnasium's Taxi-v3. There is a feature for each kind of payment, each choice (s, a), or each transition."""
    return Mdp._of(_native.taxi(features, number("discount", discount)))


def n_chain(
    n: int = 5,
    *,
    slip: float = 0.2,
    small: float = 2.0,
    large: float = 10.0,
    features: StepFeatures = "state-actions",
    discount: float = 1.0,
) -> Mdp:
    """Gym's NChain-v0: n states, many steps forward to a `large` reward, or one step back to a `small` one.

    With probability `slip` the other action happens. The features are as in `taxi`.
    """
    amounts = number("slip", slip), number("small", small), number("large", large)
    return Mdp._of(_native.n_chain(count("n", n), *amounts, features, number("discount", discount)))


def linear_chain(n: int = 4, *, discount: float = 1.0) -> Mdp:
    """The chain of the paper's worked example: one action, which leads from each state to the next."""
    return Mdp._of(_native.linear_chain(count("n", n), number("discount", discount)))


def road_like(n_states: int = 1000, n_transitions: int = 2000, *, seed: Seed = 0, discount: float = 1.0) -> Mdp:
    """A network like a city's roads, with `n_states` segments, `n_transitions` turns and the paper's 14 features.

    It is for measurements.
    """
    sizes = count("n_states", n_states), count("n_transitions", n_transitions)
    return Mdp._of(_native.road_like(*sizes, seed_of(seed), number("discount", discount)))
