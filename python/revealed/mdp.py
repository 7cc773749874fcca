"""The world: states, actions, what they lead to, where paths begin and end."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native, tables
from ._columns import count, floats, integers, listed, number
from .features import Features, one_hot
from .planning import Planned
from .tables import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .demonstrations import Trajectories
    from .drawing.layout import Style

__all__ = ["Mdp"]


class Mdp(Planned):
    """A Markov decision process without its reward, and the features that a reward may be made of.

    An `Mdp` is checked when it is made and never changes. `from_gymnasium`, `from_dense`, `from_sparse`, `from_graph` and `load`
    make one from what you have; this constructor takes columns.

    Parameters
    ----------
    n_states, n_actions : int
        States and actions are numbered from 0.
    transitions : (from, action, to, p)
        Four columns, or a frame with columns `from`, `action`, `to` and `p`. The p of each (from, action) sum to 1; a state need
        not offer every action.
    start : int, mapping of state to probability, or vector over the states
        p0.
    terminal : iterable of int
        Where episodes end.
    discount : float
        gamma, in [0, 1].
    features : Features, matrix over the states, function of the state, or None
        None is an indicator for each state.
    reference : matrix (n_states, n_actions) or columns (state, action, p), optional
        A reference policy pi0: Relative Entropy IRL.
    grid : (rows, columns), optional
        State s is drawn in row s // columns, column s % columns.
    points : (x, y), optional
        Where each state is drawn.
    true_theta : vector, optional
        The weights behind the behaviour, where they are known.
    labels : sequence, optional
        A name for each state; `index(label)` finds it again.

    Examples
    --------
    A fork: from 0 to 1 (home) or to 2 (work).

    >>> import revealed
    >>> mdp = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1.0, 1.0]), start=0, terminal=[1, 2])
    >>> mdp
    Mdp(3 states, 2 actions, 2 transitions, 3 features, discount 1.0)
    """

    __slots__ = ()

    def __init__(
        self,
        n_states: int,
        n_actions: int,
        *,
        transitions: Any,
        start: Any,
        terminal: Iterable[int] = (),
        discount: float = 1.0,
        features: Any = None,
        reference: Any = None,
        grid: tuple[int, int] | None = None,
        points: tuple[Any, Any] | None = None,
        true_theta: Any = None,
        labels: Sequence[Hashable] | None = None,
    ) -> None:
        n_states, n_actions = count("n_states", n_states, most=2**63 - 1), count("n_actions", n_actions, most=2**63 - 1)
        source, action, target, p = rows = tables.columns(transitions)
        ends = integers("terminal", listed("terminal", terminal))
        tables.in_range(rows, n_states, n_actions)
        tables.no_dead_end(n_states, source, ends)
        if grid is not None and points is not None:
            raise ValueError("grid and points are both given: states are drawn in one of them")
        columns = _features(features, n_states)._columns(n_states, n_actions, (source, action, target))
        self._native = _native.Problem(
            n_states=n_states,
            n_actions=n_actions,
            n_features=columns.n_features,
            discount=number("discount", discount),
            start=tables.start(start, n_states),
            terminal=ends,
            transitions=rows,
            state_features=columns.state,
            state_action_features=columns.state_action,
            transition_features=columns.transition,
            names=columns.names,
            reference=tables.reference(reference, n_states, n_actions),
            grid=None if grid is None else tables.grid(grid),
            points=None if points is None else tables.points(points, n_states),
            true_theta=None if true_theta is None else floats("true_theta", true_theta, columns.n_features),
        )
        self._set_labels(labels)

    @classmethod
    def _of(cls, native: _native.Problem, labels: Sequence[Hashable] | None = None) -> Mdp:
        mdp = cls.__new__(cls)
        mdp._native = native
        mdp._set_labels(labels)
        return mdp

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Mdp:
        """Read a problem file (.json or .npz), as the command line writes it."""
        return cls._of(_native.Problem.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a problem file (.json or .npz) for the command line. Labels are not in it."""
        self._native.save(os.fspath(path))

    @classmethod
    def from_dense(cls, T: Any, *, axes: Sequence[Axis], start: Any, terminal: Iterable[int] = (), **options: Any) -> Mdp:
        """From one dense array of transition probabilities.

        `axes` names the axes of `T`, because they cannot be guessed: ("state", "action", "next") for T[s, a, s'], ("action",
        "state", "next") for T[a, s, s'], ("state", "next", "action") for T[s, s', a]. An action whose probabilities in a state
        are all 0 is not offered there. Transitions out of terminal states are dropped. `options` are those of the constructor.
        """
        n_states, n_actions, rows = tables.dense(T, axes)
        rows, ends = tables.without_leaving(rows, terminal)
        return cls(n_states, n_actions, transitions=rows, start=start, terminal=ends, **options)

    @classmethod
    def from_sparse(
        cls, T: Sequence[Any] | Mapping[int, Any], *, start: Any, terminal: Iterable[int] = (), **options: Any
    ) -> Mdp:
        """From one scipy.sparse (or dense) matrix T[a][s, s'] for each action. Rows without entries do not offer the action.

        Transitions out of terminal states are dropped. `options` are those of the constructor.
        """
        n_states, n_actions, rows = tables.matrices(T)
        rows, ends = tables.without_leaving(rows, terminal)
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
        """From a directed graph of networkx or rustworkx: nodes are states, and the k-th edge out of a node is its action k.

        Nodes without edges out are terminal, unless `terminal` says otherwise. `start` is a node, a mapping of nodes to
        probabilities, or None: every node that is not terminal, equally likely. `state_attributes` and `edge_attributes` name
        numbers of the nodes and edges that become features; without any, each node is a feature of its own. Nodes become
        `labels`. `options` are those of the constructor.
        """
        from .graphs import Graph

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
        """From a Gymnasium environment with a table `P`, such as FrozenLake-v1, Taxi-v4, CliffWalking-v1; through any wrappers.

        Terminal states are those that a transition enters with `terminated` set. With `action_masks`, actions that the
        environment's `action_mask(state)` rules out are not offered (Taxi). `start` is p0 for an environment that has no
        `initial_state_distrib`. `options` are those of the constructor.
        """
        from . import gymnasium

        table = gymnasium.read(env, bool(action_masks), start)
        if "grid" not in options and "points" not in options:
            options["grid"] = table.grid
        return cls(table.n_states, table.n_actions, transitions=table.rows, start=table.start, terminal=table.terminal, **options)

    def paths(self, sequences: Any, *, weights: Any = None) -> Trajectories:
        """Demonstrations from sequences of states (by label, where the world has labels), as lists of nodes are kept.

        The action of a step is the only one that leads there; where several do, give (state, action) pairs instead.

        >>> import revealed
        >>> rows = [0, 0], [0, 1], [1, 2], [1, 1]
        >>> fork = revealed.Mdp(3, 2, transitions=rows, start=0, terminal=[1, 2], labels=["a", "b", "c"])
        >>> fork.paths([["a", "c"], ["a", "b"]])[0]
        [(0, 1), (2, None)]
        """
        from . import labelled

        return labelled.paths(self, sequences, weights)

    def with_features(self, features: Any) -> Mdp:
        """The same world with other features. Rows of transition features are in the order of `transitions`."""
        parts = self._native.columns()
        columns = _features(features, self.n_states)._columns(self.n_states, self.n_actions, parts["transitions"][:3])
        parts.update(
            n_features=columns.n_features,
            names=columns.names,
            state_features=columns.state,
            state_action_features=columns.state_action,
            transition_features=columns.transition,
            true_theta=None,
        )
        return Mdp._of(_native.Problem(**parts), self._labels)

    def with_discount(self, discount: float) -> Mdp:
        """The same world and features with another discount."""
        parts = self._native.columns()
        parts["discount"] = number("discount", discount)
        return Mdp._of(_native.Problem(**parts), self._labels)

    def plot(
        self,
        values: Any = None,
        *,
        policy: Any = None,
        demonstrations: Any = None,
        path: Any = None,
        labels: Any = None,
        style: Style | None = None,
        ax: Axes | None = None,
        title: str | None = None,
        label: str | None = None,
        limits: tuple[float, float] | None = None,
        cmap: Any = None,
        norm: Any = None,
        colorbar: bool = True,
    ) -> Axes:
        """A picture of the world with matplotlib: a heat map of a grid, nodes of a chain or graph, lines of a road network.

        Parameters
        ----------
        values : vector over the states or the transitions, or table (n_states, n_actions), optional
            What is coloured. Where both signs occur, the map is centred on 0; -inf and NaN are grey.
        policy : table (n_states, n_actions), optional
            Drawn as arrows that are longer the likelier the action is, or as the width of lines.
        demonstrations : anything that `Trajectories` takes, optional
            Drawn as translucent lines; what was walked more often is wider.
        path : Path, list of them, (state, action) pairs, or states (by label or number), optional
            Pointed out.
        labels : bool, "values", or a text for each state, optional
            What stands in each state; names on a line and nothing elsewhere unless given. S, G and H mark starts, goals, and ends
            that are truly worth less; T ends of unknown worth.
        style : {"cells", "line", "network"}, optional
            Cells where states have a `grid`, or `points` that fill a lattice (y goes down); a network where they have other
            `points` (y goes up); nodes on a line for chains and for up to 50 states without a place.
        ax : Axes, optional
            Where to draw; a new figure unless given.
        title, label : str, optional
            Of the picture, and of its colour bar.
        limits : (low, high), optional
            Of the colours; the same for pictures that are to be compared.
        cmap, norm, colorbar
            Another colour map or scale of matplotlib (such as `LogNorm()`); whether there is a bar.
        """
        from .plot import plot

        return plot(
            self,
            values,
            policy=policy,
            demonstrations=demonstrations,
            path=path,
            labels=labels,
            style=style,
            ax=ax,
            title=title,
            label=label,
            limits=limits,
            cmap=cmap,
            norm=norm,
            colorbar=colorbar,
        )

    def _repr_html_(self) -> str:
        from .cards import mdp_card

        return mdp_card(self)

    def __reduce__(self) -> tuple[Callable[..., Mdp], tuple[dict[str, Any], list[Hashable] | None]]:
        return _unpickle, (self._native.columns(), self._labels)


def _unpickle(columns: dict[str, Any], labels: list[Hashable] | None) -> Mdp:
    return Mdp._of(_native.Problem(**columns), labels)


def _features(features: Any, n_states: int) -> Features:
    if features is None:
        return one_hot(n_states)
    return features if isinstance(features, Features) else Features(state=features)
