"""Mdp: states, actions, transitions, where paths begin and end, and features."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import floats, integers, listed
from ..inputs.numbers import count, number, optional_count
from . import from_gymnasium, from_tables
from .demonstrations import checked, trajectories_in, trajectories_of_sequences
from .exploring import ExplorableMdp
from .extras import Extras
from .features import features_of
from .frames import frame_of
from .from_graph import Graph
from .from_tables import Axis
from .naming import Naming
from .planning import PlannableMdp
from .plotting import DrawableMdp

__all__ = ["Mdp"]


class Mdp(ExplorableMdp, PlannableMdp, DrawableMdp):
    """A Markov decision process without its reward, and the features that a reward is linear in.

    An `Mdp` is checked when it is made and never changes. `from_env` and `from_function` make one from what runs,
    `from_counts` from what was observed, and `from_gymnasium`, `from_dense`, `from_sparse`, `from_graph` and `load` from
    other formats; this constructor takes columns.

    Parameters
    ----------
    n_states, n_actions : int, optional
        States and actions are numbered from 0. By default there are as many as the transitions have.
    transitions : (from, action, to, p)
        Four columns, or a frame with columns `from`, `action`, `to` and `p` (1 if there is none). The p of each (from,
        action) sum to 1. A state need not offer every action. States and actions are numbers or labels; here whole
        numbers are always numbers.
    start : state, mapping of state to probability, or vector over the states
        The distribution p0 of the first state.
    terminal : iterable of states
        The states that end an episode.
    discount : float
        gamma, in [0, 1].
    features : Features, matrix over the states, function of the state, or None
        The features; by default an indicator for each state.
    reference : matrix (n_states, n_actions) or columns (state, action, p), optional
        A reference policy pi0. With it, learning is Relative Entropy IRL.
    grid : (rows, columns), optional
        State s is drawn in row s // columns, column s % columns.
    points : (x, y), optional
        The place where each state is drawn.
    true_theta : vector, optional
        The true weights, if they are known.
    true_reward : vector, optional
        The true reward of each transition, in the order in which they are given.
    labels, action_labels : sequence, optional
        A name for each state, and for each action; by default those in `transitions`, in the order in which they come,
        if these are not numbers. `index(label)` gives the number of the state.

    Examples
    --------
    A fork: from 0 to 1 (home) or to 2 (work).

    >>> import revealed
    >>> mdp = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1.0, 1.0]), start=0, terminal=[1, 2])
    >>> mdp
    Mdp(3 states, 2 actions, 2 transitions, 3 features, discount 1.0)

    The same by label:

    >>> rows = ["fork", "fork"], ["left", "right"], ["home", "work"], [1.0, 1.0]
    >>> named = revealed.Mdp(transitions=rows, start="fork", terminal=["home", "work"])
    >>> named == mdp, named.labels, named.action_labels
    (True, ['fork', 'home', 'work'], ['left', 'right'])
    """

    __slots__ = ()

    def __init__(
        self,
        n_states: int | None = None,
        n_actions: int | None = None,
        *,
        transitions: Any,
        start: Any,
        terminal: Iterable[Any] = (),
        discount: float = 1.0,
        features: Any = None,
        reference: Any = None,
        grid: tuple[int, int] | None = None,
        points: tuple[Any, Any] | None = None,
        true_theta: Any = None,
        true_reward: Any = None,
        labels: Sequence[Hashable] | None = None,
        action_labels: Sequence[Hashable] | None = None,
    ) -> None:
        rows, by = from_tables.columns(transitions, labels, action_labels)
        ends = integers("terminal", by.states("terminal", listed("terminal", terminal)))
        n_states, n_actions = from_tables.sizes(n_states, n_actions, rows, ends, by)
        from_tables.in_range(rows, n_states, n_actions)
        from_tables.no_dead_end(n_states, rows[0], ends)
        by.sized(n_states, n_actions)
        if grid is not None and points is not None:
            raise ValueError("grid and points are both given: give one of them")
        columns = features_of(features, n_states, by.labels)._columns(n_states, n_actions, rows[:3], by)
        self._native = _native.Problem(
            n_states=n_states,
            n_actions=n_actions,
            discount=number("discount", discount),
            start=from_tables.start(by.start(start), n_states),
            terminal=ends,
            transitions=rows,
            reference=from_tables.reference(reference, n_states, n_actions),
            grid=None if grid is None else from_tables.grid(grid),
            points=None if points is None else from_tables.points(points, n_states),
            true_theta=None if true_theta is None else floats("true_theta", true_theta, columns.n_features),
            **columns.native(),
        )
        paid = None if true_reward is None else from_tables.in_engine_order("true_reward", true_reward, rows)
        self._set_names(by, Extras(true_reward=paid))

    @classmethod
    def _of(cls, native: _native.Problem, names: Naming | None = None, extras: Extras | None = None) -> Mdp:
        mdp = cls.__new__(cls)
        mdp._native = native
        mdp._set_names(Naming(None, None) if names is None else names, Extras() if extras is None else extras)
        return mdp

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Mdp:
        """Read a problem file (.json or .npz), as the command line writes it."""
        return cls._of(_native.Problem.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a problem file (.json or .npz) for the command line. It does not keep labels."""
        self._native.save(os.fspath(path))

    @classmethod
    def from_dense(cls, T: Any, *, axes: Sequence[Axis], start: Any, terminal: Iterable[int] = (), **options: Any) -> Mdp:
        """From one dense array of transition probabilities.

        `axes` names the axes of `T`, because they cannot be guessed: ("state", "action", "next") for T[s, a, s'],
        ("action", "state", "next") for T[a, s, s'], ("state", "next", "action") for T[s, s', a]. An action whose
        probabilities in a state are all 0 is not offered there. Transitions out of terminal states are dropped.
        `options` are those of the constructor.
        """
        n_states, n_actions, rows = from_tables.dense(T, axes)
        rows, ends = from_tables.without_leaving(rows, terminal)
        return cls(n_states, n_actions, transitions=rows, start=start, terminal=ends, **options)

    @classmethod
    def from_sparse(
        cls, T: Sequence[Any] | Mapping[int, Any], *, start: Any, terminal: Iterable[int] = (), **options: Any
    ) -> Mdp:
        """From one scipy.sparse (or dense) matrix T[a][s, s'] for each action.

        A state whose row has no entries does not offer the action. Transitions out of terminal states are dropped.
        `options` are those of the constructor.
        """
        n_states, n_actions, rows = from_tables.matrices(T)
        rows, ends = from_tables.without_leaving(rows, terminal)
        return cls(n_states, n_actions, transitions=rows, start=start, terminal=ends, **options)

    @classmethod
    def from_graph(
        cls,
        graph: Any,
        *,
        start: Any = None,
        terminal: Iterable[Hashable] | None = None,
        state_attributes: Sequence[str] = (),
        edge_attributes: Sequence[str] = (),
        **options: Any,
    ) -> Mdp:
        """From a directed graph of networkx or rustworkx.

        Nodes are states and become `labels`; the k-th edge out of a node is its action k. Nodes without an outgoing
        edge are terminal, unless `terminal` is given. `start` is a node or a mapping of nodes to probabilities; by
        default every node that is not terminal is equally likely. `state_attributes` and `edge_attributes` name the
        attributes of nodes and edges that become features; without any, each node has its own feature. `options`
        are those of the constructor.
        """
        made = Graph(graph, start, terminal, state_attributes, edge_attributes)
        options.setdefault("features", made.features)
        return cls(
            len(made.labels),
            made.n_actions,
            transitions=made.rows,
            start=made.start,
            terminal=made.terminal,
            labels=made.labels,
            **options,
        )

    @classmethod
    def from_gymnasium(cls, env: Any, *, action_masks: bool = False, start: Any = None, **options: Any) -> Mdp:
        """From a Gymnasium environment with a table `P`, such as FrozenLake-v1, Taxi-v4 and CliffWalking-v1.

        Wrappers are looked through. Terminal states are those that a transition enters with `terminated` set. With
        `action_masks`, actions that the environment's `action_mask(state)` rules out are not offered (Taxi). `start` is
        p0 for an environment that has no `initial_state_distrib`. The reward of the environment becomes `true_reward`.
        `options` are those of the constructor.
        """
        table = from_gymnasium.read(env, bool(action_masks), start)
        if "grid" not in options and "points" not in options:
            options["grid"] = table.grid
        parts: dict[str, Any] = {"transitions": table.rows, "start": table.start, "terminal": table.terminal}
        options.setdefault("true_reward", table.rewards)
        return cls(table.n_states, table.n_actions, **parts, **options)

    def paths(self, sequences: Any, *, weights: Any = None) -> Trajectories:
        """Demonstrations from sequences of states, by label if states have labels.

        The action of a step is the only one that leads to the next state. Where several do, give (state, action) pairs.

        >>> import revealed
        >>> rows = [0, 0], [0, 1], [1, 2], [1, 1]
        >>> fork = revealed.Mdp(3, 2, transitions=rows, start=0, terminal=[1, 2], labels=["a", "b", "c"])
        >>> fork.paths([["a", "c"], ["a", "b"]])[0]
        [(0, 1), (2, None)]
        """
        return trajectories_of_sequences(self, sequences, weights)

    def trajectories(self, demonstrations: Any, *, weights: Any = None) -> Trajectories:
        """Demonstrations of any kind in this MDP, by number: by label if states or actions have labels.

        >>> import revealed
        >>> rows = ["fork", "fork"], ["left", "right"], ["home", "work"], [1, 1]
        >>> fork = revealed.Mdp(transitions=rows, start="fork", terminal=["home", "work"])
        >>> fork.trajectories([[("fork", "right"), ("work", None)]])[0]
        [(0, 1), (2, None)]
        """
        return trajectories_in(self, demonstrations, weights, name="weights")

    def to_frame(self, values: Any = None, *, name: str = "value") -> Any:
        """Numbers of states, choices or transitions as a pandas frame with labels.

        A vector over the states becomes a column with the labels as index; a table (n_states, n_actions) has a column
        for each action; a vector over the transitions becomes a column beside `from`, `action`, `to` and `p`. Without
        values, it is the frame of the transitions.

        >>> import revealed
        >>> rows = ["fork", "fork"], ["left", "right"], ["home", "work"], [1, 1]
        >>> fork = revealed.Mdp(transitions=rows, start="fork", terminal=["home", "work"])
        >>> fork.to_frame([0.0, 1.0, 2.0], name="reward")["reward"]["work"]
        np.float64(2.0)
        """
        return frame_of(self, values, name)

    def with_features(self, features: Any) -> Mdp:
        """The same MDP with other features. Rows of transition features are in the order of `transitions`."""
        parts = self._native.columns()
        chosen = features_of(features, self.n_states, self._labels)
        columns = chosen._columns(self.n_states, self.n_actions, parts["transitions"][:3], self._names)
        parts.update(columns.native(), true_theta=None)
        return Mdp._of(_native.Problem(**parts), self._names, replace(self._extras, true_reward=self.true_reward))

    def with_trip_features(
        self,
        demonstrations: Any,
        *,
        products: Iterable[tuple[str | int, str]] = (),
        link_size: Any = None,
        memory: int | None = None,
    ) -> tuple[Mdp, Trajectories]:
        """An MDP with features that depend on the trip, and the demonstrations in it.

        Each kind of trip gets a copy of the MDP. Learn with `inference="recursive-logit"`, `ends="goal"` or a causal
        model.

        Parameters
        ----------
        demonstrations
            Anything that `Trajectories` takes, with columns in `trip` if there are products.
        products : pairs (feature, column)
            The product of a feature (its name or number) and a column of the trips becomes a feature: ("length",
            "night"). The column has a number for each path.
        link_size : vector or fitted estimator, optional
            The weights of a first recursive logit. The expected visits of each trip in it become the feature "link
            size" (Fosgerau, Frejinger and Karlström 2013), which corrects for routes that overlap.
        memory : int, optional
            The memory for the copies in bytes; 1 GiB by default.

        >>> import revealed
        >>> rows = [0, 0, 1, 2], [0, 1, 0, 0], [1, 2, 3, 3], [1, 1, 1, 1]
        >>> roads = revealed.Mdp(4, 2, transitions=rows, start=0, terminal=[3])
        >>> trips = revealed.Trajectories([([0, 1, 3], [0, 0]), ([0, 2, 3], [1, 0])], trip={"night": [0, 1]})
        >>> by_trip, moved = roads.with_trip_features(trips, products=[(1, "night")])
        >>> by_trip.n_states, by_trip.feature_names[-1], moved.trip["origin-destination"]
        (8, 'feature 1*night', ['0-3', '0-3'])
        """
        pairs = [(self._feature(feature), str(column)) for feature, column in products]
        weights = getattr(link_size, "theta_", link_size)
        if not pairs and weights is None:
            raise ValueError("there is nothing to add: give products or link_size")
        theta = None if weights is None else floats("link_size", weights, self.n_features)
        paths = trajectories_in(self, demonstrations)
        native = checked(self, paths)
        problem, columns = _native.trip_world(self._native, native, pairs, theta, optional_count("memory", memory))
        return Mdp._of(problem), Trajectories._of(columns)

    def _feature(self, feature: str | int) -> int:
        """The number of a feature."""
        if isinstance(feature, str):
            if feature not in self.feature_names:
                known = ", ".join(self.feature_names[:20])
                raise ValueError(f"there is no feature {feature!r}: there are {known}")
            return self.feature_names.index(feature)
        return count("the feature", feature, least=0, most=self.n_features - 1)

    def with_discount(self, discount: float) -> Mdp:
        """The same MDP and features with another discount."""
        parts = self._native.columns()
        parts["discount"] = number("discount", discount)
        return Mdp._of(_native.Problem(**parts), self._names, self._extras)

    def __reduce__(self) -> tuple[Callable[..., Mdp], tuple[Any, ...]]:
        return _unpickle, (self._native.columns(), self._labels, self._names.actions, self._extras.kept())


def _unpickle(
    columns: dict[str, Any],
    labels: list[Hashable] | None,
    actions: list[Hashable] | None = None,
    extras: Extras | None = None,
) -> Mdp:
    return Mdp._of(_native.Problem(**columns), Naming(labels, actions), extras)
