"""Questions about paths: the likeliest, their destinations and lengths, samples, and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats, Integers, floats
from ..inputs.numbers import count, number, optional_count
from ..inputs.options import Horizon
from ..inputs.seeds import Seed, seed_of
from ..mdp.demonstrations import native_demonstrations
from .model import FittedModel

__all__ = ["Path", "PathQuestions"]


@dataclass(frozen=True, eq=False)
class Path:
    """A path and its weight."""

    states: Integers
    """s_1 ... s_l."""
    actions: Integers
    """a_1 ... a_(l-1)."""
    log_weight: float
    """log of q(tau) e^R(tau), without the probability of the first state; for a causal model the log-probability given it.

    Minus `value(to)` at the first state, the former is the log-probability of the path given its first and last state.
    """

    mdp: Any = field(default=None, repr=False)
    """The MDP, for the labels."""

    def __len__(self) -> int:
        return len(self.states)

    @property
    def labels(self) -> list[Any]:
        """The states by label; by number if they have no labels."""
        known = None if self.mdp is None else self.mdp._labels
        return self.states.tolist() if known is None else [known[state] for state in self.states.tolist()]

    @property
    def action_labels(self) -> list[Any]:
        """The actions by label; by number if they have no labels."""
        known = None if self.mdp is None else self.mdp._action_labels
        return self.actions.tolist() if known is None else [known[action] for action in self.actions.tolist()]

    def pairs(self) -> list[tuple[int, int | None]]:
        """The path as `Trajectories` takes it: (state, action) pairs that end in (state, None)."""
        return list(zip(self.states.tolist(), [*self.actions.tolist(), None]))


class PathQuestions(FittedModel):
    """The queries about paths."""

    @overload
    def predict_path(
        self,
        start: Any,
        to: Any = None,
        *,
        k: None = None,
        horizon: Horizon | None = None,
        any_length: bool = False,
        loopless: bool = False,
    ) -> Path: ...
    @overload
    def predict_path(
        self,
        start: Any,
        to: Any = None,
        *,
        k: int,
        horizon: Horizon | None = None,
        any_length: bool = False,
        loopless: bool = False,
    ) -> list[Path]: ...
    def predict_path(
        self,
        start: Any,
        to: Any = None,
        *,
        k: int | None = None,
        horizon: Horizon | None = None,
        any_length: bool = False,
        loopless: bool = False,
    ) -> Path | list[Path]:
        """The likeliest path between two states (or distributions over states), or the `k` likeliest, best first.

        The number of states of a path is at most `horizon`, by default the model's horizon. With `horizon="any"` or
        `any_length` there is no maximum. With `loopless`, no path visits a state twice.
        """
        model = self._path_model(horizon)
        begin, end = self._first(start), None if to is None else self.mdp_._weights("to", to)
        n = 1 if k is None else count("k", k)
        found = model.best_paths(begin, end, n, not any_length, bool(loopless), self._threads())
        paths = [Path(*path, self.mdp_) for path in found]
        return paths[0] if k is None else paths

    def different_paths(self, start: Any, to: Any, *, k: int = 3, overlap: float = 0.7, lengths: Any = None) -> list[Path]:
        """Likely paths of any length that differ: no two share more than `overlap` of the length of the shorter one.

        The likeliest comes first. `lengths` has the length of each state, by default 1. Candidates are the paths that are
        likeliest to some state and from there on, so there may be fewer than `k`.
        """
        model, n = self._path_model(), count("k", k)
        sizes = np.ones(self.mdp_.n_states) if lengths is None else floats("lengths", lengths)
        begin, end = self._first(start), self.mdp_._weights("to", to)
        found = model.different_paths(begin, end, n, sizes.tolist(), number("overlap", overlap), self._threads())
        return [Path(*path, self.mdp_) for path in found]

    def predict_paths(self, start: Any, to: Any, *, any_length: bool = False) -> list[Path | None]:
        """The likeliest path between each of many pairs of states; None if there is no path.

        The network is prepared once, so this is the fast choice for thousands of pairs. `start` and `to` are vectors of
        states. With `any_length`, paths may be longer than the horizon of the model.
        """
        self._fitted()
        if self.chance_ == "fixed":
            problem = "the paths of a causal model have no weights to search by"
            raise ValueError(f"{problem}: ask predict_path for one pair at a time")
        pairs = self.mdp_._states("start", start), self.mdp_._states("to", to)
        if len(pairs[0]) != len(pairs[1]):
            raise ValueError(f"start has {len(pairs[0])} states and to has {len(pairs[1])}: they must be pairs")
        found = _native.Routes(self._path_model(), not any_length, self._threads()).find(*pairs, self._threads())
        return [None if path is None else Path(*path, self.mdp_) for path in found]

    def predict_destination(self, prefix: Any, *, prior: Any = None, follow: bool = False) -> Floats:
        """The posterior probability of each state to be the last, given the beginning of a path.

        `prior` is "model" (the model's own), "uniform", or a weight for each state. With ends = "goal" the model has no
        prior, and the default is uniform. With `follow`, the result is an array with a row for each state of
        the prefix: the posterior after it.
        """
        self._fitted()
        if prior is None:
            prior = "uniform" if self.ends_ == "goal" else "model"
        known = prior if isinstance(prior, str) else floats("prior", prior, self.mdp_.n_states)
        posterior = self._path_model().posterior(*self._prefix(prefix), known, bool(follow), self._threads())
        return posterior.reshape(-1, self.mdp_.n_states) if follow else posterior

    def lengths(self, start: Any = None, to: Any = None, *, prefix: Any = None) -> Floats:
        """The probability of each length: entry l is that of a path of l states (entry 0 is 0).

        If the paths of the model have any length, the entries end where the probability of longer paths is below 1e-12.
        """
        model, goal = self._path_model(), self._to(to)
        first, p, _, _ = model.lengths(self._beginning(start, prefix), goal, self._threads())
        return np.concatenate([np.zeros(first), p])

    def mean_length(self, start: Any = None, to: Any = None, *, prefix: Any = None) -> tuple[float, float]:
        """The mean and the standard deviation of the number of states of a path, exactly, also for paths of any length.

        >>> import revealed
        >>> chain = revealed.worlds.linear_chain(3)
        >>> even = revealed.MaxEntIRL.from_theta(chain, [0.0, 0.0, 0.0], horizon="any")
        >>> round(even.mean_length()[0], 12)
        2.0
        """
        model, goal = self._path_model(), self._to(to)
        _, _, mean, variance = model.lengths(self._beginning(start, prefix), goal, self._threads())
        return mean, float(np.sqrt(variance))

    def sample(
        self,
        n: int = 1,
        *,
        seed: Seed = 0,
        start: Any = None,
        to: Any = None,
        prefix: Any = None,
        states: int | None = None,
    ) -> Trajectories:
        """Exact samples of paths: from p0 or `start`, or after a prefix; to any end or to a destination.

        With `states`, only so many states of each path are drawn. Paths that may never end, as those of a causal model
        without a horizon, are sampled in this way.
        """
        n, seed, most = count("n", n, least=0), seed_of(seed), optional_count("states", states)
        model, goal = self._path_model(), self._to(to)
        return Trajectories._of(model.sample(self._beginning(start, prefix), goal, n, seed, most, self._threads()))

    def score_samples(self, demonstrations: Any) -> Floats:
        """The log-likelihood of each demonstration; minus infinity if it is not a path of the model.

        For the recursive logit, it is conditional on the first and last state of the demonstration, among paths of any
        length.
        """
        self._fitted()
        paths = native_demonstrations(self.mdp_, demonstrations)
        return self._path_model().scores(paths, self._threads())

    def score_parts(self, demonstrations: Any) -> dict[str, Floats]:
        """The log-likelihood of each demonstration by what its factors describe, as arrays.

        `start`, `choices`, `outcomes` and `stop` add up to `score_samples`. `chance` is the log-probability of the same
        outcomes in the world, and `luck` is `outcomes` minus `chance`: how much likelier the model makes the outcomes. In
        a causal model it is 0.

        >>> import revealed
        >>> coin = revealed.Mdp(3, 1, transitions=([0, 0], [0, 0], [1, 2], [0.5, 0.5]), start=0, terminal=[1, 2])
        >>> hopes = revealed.MaxEntIRL.from_theta(coin, [0.0, 0.0, 1.0986122886681098], horizon=2, ends="terminal")
        >>> parts = hopes.score_parts([[(0, 0), (2, None)]])
        >>> [round(float(parts[name][0]), 6) for name in ("outcomes", "chance", "luck")]
        [-0.287682, -0.693147, 0.405465]
        """
        self._fitted()
        paths = native_demonstrations(self.mdp_, demonstrations)
        found = self._path_model().score_parts(paths, self._threads())
        parts = dict(zip(("start", "choices", "outcomes", "stop", "chance"), found, strict=True))
        with np.errstate(invalid="ignore"):
            return parts | {"luck": parts["outcomes"] - parts["chance"]}
