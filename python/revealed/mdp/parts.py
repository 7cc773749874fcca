"""The parts of an MDP once it is checked: sizes, names, start, transitions, places, rewards."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from ..display.cards import card
from ..inputs.columns import Floats, Integers, floats, integers, listed
from ..inputs.labels import label_of, not_among
from ..inputs.numbers import count, number
from .extras import Extras
from .naming import Naming

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MdpParts"]


class MdpParts:
    """An MDP that was checked and never changes: its properties, and how its states are found by label or number."""

    __slots__ = ("_extras", "_names", "_native")

    _native: _native.Problem
    _names: Naming
    _extras: Extras

    def _set_names(self, names: Naming, extras: Extras) -> None:
        names.sized(self.n_states, self.n_actions)
        self._names, self._extras = names, extras

    @property
    def _labels(self) -> list[Hashable] | None:
        return self._names.labels

    @property
    def _action_labels(self) -> list[Hashable] | None:
        return self._names.actions

    @property
    def _index(self) -> dict[Hashable, int] | None:
        return self._names.index

    @property
    def n_states(self) -> int:
        """The number of states."""
        return self._native.sizes[0]

    @property
    def n_actions(self) -> int:
        """The number of actions."""
        return self._native.sizes[1]

    @property
    def n_transitions(self) -> int:
        """The number of transitions of positive probability."""
        return self._native.sizes[3]

    @property
    def n_features(self) -> int:
        """The length of theta."""
        return self._native.sizes[4]

    @property
    def discount(self) -> float:
        """gamma."""
        return self._native.discount

    @property
    def feature_names(self) -> list[str]:
        """The names of the features; empty where none were given."""
        return self._native.names

    @property
    def labels(self) -> Sequence[Hashable]:
        """The labels of the states; their numbers, `range(n_states)`, if they have none."""
        return range(self.n_states) if self._labels is None else list(self._labels)

    @property
    def action_labels(self) -> Sequence[Hashable]:
        """The labels of the actions; their numbers, `range(n_actions)`, if they have none."""
        return range(self.n_actions) if self._action_labels is None else list(self._action_labels)

    def index(self, label: Hashable) -> int:
        """The number of the state with this label. Where states have no labels, the number itself."""
        return self._state("label", label)

    @property
    def start(self) -> Floats:
        """p0, a probability for each state."""
        p0 = np.zeros(self.n_states)
        states, p = self._native.start()
        p0[states] = p
        return p0

    @property
    def terminal(self) -> Integers:
        """The states that end an episode."""
        return self._native.terminal()

    @property
    def transitions(self) -> tuple[Integers, Integers, Integers, Floats]:
        """T as four columns (from, action, to, p), ordered by state, then action, then next state."""
        return self._native.transitions()

    @property
    def grid(self) -> tuple[int, int] | None:
        """(rows, columns) where states are cells of a grid; None otherwise."""
        return self._native.grid

    @property
    def true_theta(self) -> Floats | None:
        """The true weights, if they are known; None otherwise."""
        return self._native.true_theta

    @property
    def true_reward(self) -> Floats | None:
        """The true reward of each transition, in the order of `transitions`; None if it is not known.

        `from_gymnasium`, `from_env` and `from_function` keep the reward of the environment. Where only `true_theta` is
        known, the reward of a state is paid on arrival, as Gymnasium pays it.
        """
        known = self._extras.true_reward
        if known is not None:
            return known.copy()
        theta = self.true_theta
        if theta is None:
            return None
        own, along = self._native.reward(theta)
        paid: Floats = own[self.transitions[2]]
        return paid + along if len(along) else paid

    @property
    def transition_counts(self) -> Floats | None:
        """How many observed steps each probability is estimated from, in the order of `transitions`.

        0 where it is exact; None if all are.
        """
        counts = self._extras.counts
        return None if counts is None else counts.copy()

    @property
    def transition_errors(self) -> Floats | None:
        """The standard error of each probability, in the order of `transitions`: 0 where it is exact, None if all are."""
        errors = self._extras.errors
        return None if errors is None else errors.copy()

    @property
    def digest(self) -> str:
        """A fingerprint of the MDP and its features, the same as the command line's."""
        return self._native.digest

    @property
    def points(self) -> tuple[Floats, Floats] | None:
        """(x, y) of each state where states are points; None otherwise."""
        return self._native.points

    def reward(self, theta: Any) -> Floats:
        """The reward of each state under theta, without that of choices (s, a) and transitions."""
        return self._native.reward(floats("theta", theta))[0]

    def transition_reward(self, theta: Any) -> Floats:
        """The reward of each transition under theta, in the order of `transitions`, without that of states."""
        along = self._native.reward(floats("theta", theta))[1]
        return along if len(along) else np.zeros(self.n_transitions)

    def _state(self, name: str, label: Any) -> int:
        if self._index is None:
            try:
                return count(name, label, least=0, most=self.n_states - 1)
            except (TypeError, ValueError):
                known: Any = range(self.n_states)
        else:
            try:
                return self._index[label_of(label)]
            except (KeyError, TypeError):
                known = self._index
        raise ValueError(f"{name} is {label!r}: {not_among(label, known, 'state')}")

    def _action(self, name: str, action: Any) -> Any:
        """The number of an action. Numbers, and what is no label at all, are returned unchanged."""
        index = self._names.action_index
        if index is None:
            return action
        try:
            found = index.get(label_of(action))
        except TypeError:
            return action
        if found is None and isinstance(action, (str, tuple)):
            raise ValueError(f"{name} is {action!r}: {not_among(action, index, 'action')}")
        return action if found is None else found

    def _name(self, state: int) -> Any:
        """The label of a state, or its number."""
        return state if self._labels is None else self._labels[state]

    def _states(self, name: str, values: Any) -> Integers:
        """The numbers of several states."""
        if self._index is not None:
            return np.array([self._state(name, label) for label in listed(name, values)], dtype=np.int64)
        states = integers(name, values)
        bad = np.flatnonzero((states < 0) | (states >= self.n_states))
        if len(bad):
            raise ValueError(f"{name}[{bad[0]}] is {states[bad[0]]}: there is no such state among the {self.n_states}")
        return states

    def _weights(self, name: str, value: Any) -> list[tuple[int, float]]:
        """States with their weights: a state, a mapping, a vector over the states, or None for p0."""
        if value is None:
            states, p = self._native.start()
            return list(zip(states.tolist(), p.tolist()))
        if isinstance(value, Mapping):
            weights = [(self._state(name, label), number(name, weight)) for label, weight in value.items()]
        elif isinstance(value, list) or len(getattr(value, "shape", ())) > 0:
            vector = floats(name, value, self.n_states)
            weights = [(int(state), float(vector[state])) for state in np.flatnonzero(vector != 0.0)]
        else:
            return [(self._state(name, value), 1.0)]
        for state, weight in weights:
            if not 0.0 <= weight < np.inf:
                raise ValueError(f"{name} gives state {state} the weight {weight}: it must be finite and not negative")
        if not any(weight for _, weight in weights):
            raise ValueError(f"{name} gives no state a weight above 0: name at least one")
        return weights

    def __repr__(self) -> str:
        sizes = f"{self.n_states} states, {self.n_actions} actions, {self.n_transitions} transitions, {self.n_features} features"
        return f"{type(self).__name__}({sizes}, discount {self.discount})"

    def _repr_html_(self) -> str:
        n_start = int(np.count_nonzero(self.start))
        begins = f"{n_start} states" if n_start != 1 else f"state {self._name(int(self.start.argmax()))}"
        places = "none"
        if self.grid is not None:
            places = f"grid of {self.grid[0]} × {self.grid[1]}"
        elif self.points is not None:
            places = "points"
        names = self.feature_names
        features = f"{self.n_features:,}"
        if names:
            features += f" ({', '.join(names[:4])}{', …' if len(names) > 4 else ''})"
        rows = [
            ("states", f"{self.n_states:,}, of which {len(self.terminal):,} terminal"),
            ("actions", f"{self.n_actions:,}"),
            ("transitions", f"{self.n_transitions:,}"),
            ("features", features),
            ("discount", f"{self.discount:g}"),
            ("start", begins),
            ("places", places),
        ]
        errors = self._extras.errors
        if errors is not None:
            rows.append(("estimated", f"p has a standard error of at most {errors.max():.2g}, {errors.mean():.2g} on average"))
        return card("Mdp", rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MdpParts):
            return NotImplemented
        return self._native.digest == other._native.digest

    def __hash__(self) -> int:
        return hash(self._native.digest)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
