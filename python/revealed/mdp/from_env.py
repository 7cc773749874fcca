"""Worlds from environments that run: breadth-first over copies, with counts where there is chance."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..display.progress import Counter
from ..inputs.labels import End
from ..inputs.numbers import count
from ..inputs.running import reset, step
from ..inputs.seeds import seed_of
from .env_states import StatesOf, actions_of, reader_of
from .explored import Explored
from .extras import Extras
from .snapshots import Snapshots, Taken

__all__ = ["EnvSettings", "enumerate_env", "mask_of"]

# How many copies of one state are kept: they may differ in what the observation does not show.
_COPIES = 32
# Resets are counted until none of so many, in samples, began in a new state; and at most so many. Resets are cheap, and an
# episode that begins in a state that no reset showed is refused.
_RESETS_WITHOUT_NEWS = 25
_MOST_RESETS = 200
# How many states without chance are tried from a second copy, to see that the label says all.
_TRIED_TWICE = 300
# After so many resets, if so few of them were alike, some of their worlds are explored, each up to this part of max_states.
_MANY_RESETS, _ALIKE = 500, 0.2
_PROBES, _PROBED = 3, 0.02


@dataclass(frozen=True, eq=False)
class EnvSettings:
    """How an environment is enumerated."""

    state: Any
    samples: int
    resets: int | None
    max_states: int
    action_masks: bool
    seed: Any
    reset_options: dict[str, Any] | None
    progress: bool | None


class _Found:
    """A state that was found: copies of the environment in it, and the actions that it offers."""

    __slots__ = ("copies", "first", "mask", "seen", "targets")

    def __init__(self, mask: Any) -> None:
        self.copies: list[list[Taken]] | None = []
        self.seen, self.mask = 0, mask
        self.first: list[Taken] = []
        # Where each action led without chance.
        self.targets: dict[int, int] = {}


def enumerate_env(env: Any, chosen: EnvSettings) -> tuple[dict[str, Any], Extras]:
    """Every state that the environment can get into, with its actions and their outcomes."""
    return _Enumeration(env, chosen).run()


def mask_of(env: Any, info: Any) -> Any:
    """Which actions are allowed, as a vector of truth values; None if the environment does not say."""
    mask = info.get("action_mask") if hasattr(info, "get") else None
    if mask is None and callable(getattr(env.unwrapped, "action_masks", None)):
        mask = env.unwrapped.action_masks()
    return None if mask is None else np.ravel(np.asarray(mask)).astype(bool)


class _Enumeration:
    def __init__(self, env: Any, chosen: EnvSettings) -> None:
        for name in ("reset", "step", "action_space", "unwrapped"):
            if not hasattr(env, name):
                raise TypeError(f"env is a {type(env).__name__} without `{name}`: give a Gymnasium environment")
        if hasattr(env, "num_envs"):
            raise TypeError("env is a vector environment: give a single one")
        self.chosen = chosen
        self.samples = count("samples", chosen.samples)
        self.reader: StatesOf = reader_of(env, chosen.state)
        self.given, self.action_labels = actions_of(env, self.reader)
        self.snapshots = Snapshots(env)
        self.env = self.snapshots.env
        self.name = type(env.unwrapped).__name__
        remedy = "give a larger max_states, or state=, a function of the environment that says less"
        if chosen.resets is None:
            remedy += ", or resets=1 if each reset makes another world"
        self.world = Explored(count("max_states", chosen.max_states), remedy)
        self.states: dict[int, _Found] = {}
        self.waiting: deque[int] = deque()
        self.seed = seed_of(chosen.seed) % 2**31
        self.rng = np.random.default_rng([1, self.seed])
        self.tried_twice = 0
        # Other copies of states whose actions were tried before.
        self.again: list[tuple[int, list[Taken]]] = []
        # As long as no step draws anything, two copies are enough: the second is for a check.
        self.copies = _COPIES

    def run(self) -> tuple[dict[str, Any], Extras]:
        """The parts of the MDP."""
        self._starts()
        self.copies, done = 2, 0
        with Counter(self.chosen.progress, "states") as counter:
            while self.waiting:
                self._expand(self.waiting.popleft())
                while self.again:
                    self._try_again(*self.again.pop())
                done += 1
                counter(done, len(self.world.labels))
        parts, extras = self.world.parts(len(self.given), self.action_labels)
        return parts, Extras(extras.true_reward, extras.counts, extras.errors, self.reader)

    def _starts(self) -> None:
        """Resets until the first states are counted; once if a reset draws nothing."""
        resets = self.chosen.resets
        most = _MOST_RESETS * self.samples if resets is None else count("resets", resets)
        starts: dict[int, int] = {}
        news = 0
        for at in range(most):
            before = self.snapshots.chance()
            observation, info = reset(self.env, self.seed if at == 0 else None, self.chosen.reset_options)
            state = self._arrived(observation, info, False)
            news = news if state in starts else at
            starts[state] = starts.get(state, 0) + 1
            # The first reset makes the generators anew, so only the second shows whether it draws.
            if at == 1 and not self.snapshots.drew(before) and len(starts) == 1:
                break
            if resets is None and at == _MANY_RESETS and len(starts) > (1.0 - _ALIKE) * at:
                self._refuse_other_worlds(starts)
            # Until nothing was new for long: other first states are then rare.
            if resets is None and at - news >= _RESETS_WITHOUT_NEWS * self.samples:
                break
        total = sum(starts.values())
        self.world.start = {state: times / total for state, times in starts.items()}

    def _refuse_other_worlds(self, starts: dict[int, int]) -> None:
        """Rejects an environment whose resets make other worlds, too many to explore, before it is tried for minutes."""
        limit, sizes = int(self.chosen.max_states * _PROBED), []
        known = [self.world.labels[start] for start in starts]
        for at in range(_PROBES):
            settings = replace(self.chosen, resets=1, samples=1, seed=self.seed + 1 + at, max_states=limit, progress=False)
            probe = _Enumeration(self.env, settings)
            try:
                probe.run()
            except ValueError:
                return  # one large world, perhaps, or what the exploration itself will find
            sizes.append(len(probe.world.labels) * len(known) / (1 + sum(label in probe.world.index for label in known)))
        if min(sizes) > self.chosen.max_states:
            raise ValueError(
                f"{self.name}: each reset makes another world: {len(known)} of {_MANY_RESETS} resets would have about "
                f"{min(sizes):,.0f} states: give resets=1 to explore one of them (and collect(reset_seed=) to walk in it), a "
                "larger max_states, or state=, a function of the environment that says less"
            )

    def _arrived(self, observation: Any, info: Any, over: bool) -> int:
        """The state that the environment is in. A new one waits to be expanded."""
        label: Hashable = self.reader.label(self.env, observation)
        at = self.world.number(End(label) if over else label)
        if over:
            self.world.ends.add(at)
            return at
        found = self.states.get(at)
        if found is None:
            found = self.states[at] = _Found(mask_of(self.env, info) if self.chosen.action_masks else None)
            self.waiting.append(at)
        found.seen += 1
        if found.copies is not None:
            if len(found.copies) < self.copies:
                found.copies.append(self.snapshots.take())
            elif self.copies == _COPIES and self.rng.random() * found.seen < _COPIES:
                found.copies[int(self.rng.integers(len(found.copies)))] = self.snapshots.take()
        elif found.targets and self.tried_twice < _TRIED_TWICE:
            taken = self.snapshots.take()
            if taken != found.first:
                self.tried_twice += 1
                self.again.append((at, taken))
        return at

    def _expand(self, at: int) -> None:
        """Tries every action that a state offers."""
        found = self.states[at]
        copies = found.copies or []
        for action, given in enumerate(self.given):
            if found.mask is not None and not found.mask[action]:
                continue
            before = self.snapshots.chance()
            target, reward = self._try(copies[0], given)
            if not self.snapshots.drew(before):
                found.targets[action] = target
                self.world.add(at, action, [(1.0, target, reward, 0)])
                continue
            self.copies = _COPIES
            outcomes: dict[int, list[float]] = {target: [1.0, reward]}
            for trial in range(1, self.samples):
                target, reward = self._try(copies[trial % len(copies)], given)
                tally = outcomes.setdefault(target, [0.0, 0.0])
                tally[0] += 1.0
                tally[1] += reward
            n = self.samples
            rows = [(times / n, to, paid / times, n) for to, (times, paid) in outcomes.items()]
            self.world.add(at, action, rows)
        if found.mask is not None and not found.mask.any():
            raise ValueError(
                f"{self.name}: the action mask of state {_short(self.world.labels[at])} allows nothing, but it is not an end"
            )
        found.first = copies[0] if self.tried_twice < _TRIED_TWICE else []
        found.copies = None
        if len(copies) > 1 and found.targets and self.tried_twice < _TRIED_TWICE:
            self.tried_twice += 1
            self.again.append((at, copies[-1]))

    def _try(self, copy: list[Taken], given: Any) -> tuple[int, float]:
        """One step from a copy: the next state and the reward."""
        self.snapshots.back_to(copy)
        self.reader.prepare(self.env)
        observation, reward, terminated, _, info = step(self.env, given, "the enumeration")
        return self._arrived(observation, info, bool(terminated)), float(reward)

    def _try_again(self, at: int, copy: list[Taken]) -> None:
        """The same steps from another copy must lead to the same states."""
        for action, target in self.states[at].targets.items():
            given = self.given[action]
            again, _ = self._try(copy, given)
            if again == target:
                continue
            labels = self.world.labels
            raise ValueError(
                f"{self.name}: without chance, action {given!r} leads from {_short(labels[at])} to {_short(labels[target])} "
                f"or to {_short(labels[again])}: what the environment shows is not its whole state, so give state=, a "
                "function of the environment that returns all of it"
            )


def _short(label: Hashable) -> str:
    text = repr(label)
    return text if len(text) <= 80 else text[:77] + "..."
