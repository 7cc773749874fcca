"""What an MDP knows besides what the engine needs: labels of actions, the true reward, how sure its transitions are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..inputs.columns import Floats

__all__ = ["Extras"]


@dataclass(frozen=True, eq=False)
class Extras:
    """Columns have an entry for each transition, in the order of `Mdp.transitions`."""

    true_reward: Floats | None = None
    """The reward of the environment."""
    counts: Floats | None = None
    """How many observed steps each probability is estimated from; 0 where it is exact, None if all are."""
    errors: Floats | None = None
    """The standard error of each probability; None if all are exact."""
    states_of: Any = None
    """How the label of a state is read from an environment; None for worlds that are not from one."""

    def kept(self) -> Extras:
        """What a copy in a file of pickle has: functions of the user need not pickle."""
        return replace(self, states_of=None)
