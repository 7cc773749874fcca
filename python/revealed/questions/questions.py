"""All queries in one class."""

from __future__ import annotations

from .completion import Completions
from .pictures import PictureQuestions

__all__ = ["Questions"]


class Questions(PictureQuestions, Completions):
    """The queries that `MaxEntIRL` answers once it is fitted.

    Arguments name states by label if the MDP has labels, and by number otherwise: `start`, `to`, the pairs of a
    prefix, lists and frames of demonstrations. Answers, and `Trajectories`, have numbers. `start` is a state, a mapping
    of states to weights, or a vector over the states; by default it is p0. A prefix is the beginning of a path: (state,
    action) pairs that end in (state, None), or `Trajectories` of one path.
    """
