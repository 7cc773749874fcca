"""Copies of what an environment is in the middle of, so that it can go on from there again and again."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np

__all__ = ["Snapshots"]

_RANDOM = (np.random.Generator, np.random.RandomState, random.Random)
# What has no copy and is no part of a state: windows of a picture, and what describes the environment.
_LEFT_ALONE = {"env", "spec", "metadata", "window", "screen", "clock", "font", "surface", "render_mode", "renderer", "viewer"}
_VALUES = (int, float, str, bytes, bool, type(None), complex, np.generic)
# Wrappers that count steps or check calls. Copies go without: they take most of the time, and time limits are no state.
_IDLE = {"TimeLimit", "OrderEnforcing", "PassiveEnvChecker"}

# How many steps are watched for draws from the generators of the whole process.
_ASK_ALL = 4000

Taken = tuple[dict[str, Any], Any]


class Snapshots:
    """An environment of its own, a copy of the user's, that can be taken back to any moment.

    What is copied are the attributes of the environment and of its wrappers. Generators of random numbers are not:
    each try draws new numbers.
    """

    def __init__(self, env: Any) -> None:
        name = type(env.unwrapped).__name__
        try:
            self.env = _without_idle(copy.deepcopy(env))
        except Exception as error:
            remedy = "make it without render_mode, or give its rules to Mdp.from_function"
            raise ValueError(f"{name} cannot be copied ({error}): {remedy}") from None
        self._layers = [layer.__dict__ for layer in _layers(self.env)]
        self._by_pickle = True
        self._asked, self._draws_globally = 0, False

    def _fixed(self, key: str, value: Any) -> bool:
        """Whether an attribute is shared by all copies."""
        return key in _LEFT_ALONE or isinstance(value, _RANDOM) or _is_space(value) or callable(value)

    def take(self) -> list[Taken]:
        """A copy of all attributes."""
        taken = []
        for layer in self._layers:
            plain: dict[str, Any] = {}
            deep: dict[str, Any] = {}
            for key, value in layer.items():
                if type(value) in (int, float, str, bool, type(None)) or _is_plain(value):
                    plain[key] = value
                elif not self._fixed(key, value):
                    deep[key] = value
            taken.append((plain, self._copied(deep)))
        return taken

    def _copied(self, deep: dict[str, Any]) -> Any:
        """As bytes, which are small and fast; as a copy where the attributes do not pickle."""
        if not deep:
            return None
        if self._by_pickle:
            try:
                return pickle.dumps(deep, protocol=5)
            except Exception:
                self._by_pickle = False
        return copy.deepcopy(deep)

    def back_to(self, taken: list[Taken]) -> None:
        """Sets all attributes as they were."""
        for layer, (plain, deep) in zip(self._layers, taken):
            layer.update(plain)
            if deep is not None:
                layer.update(pickle.loads(deep) if isinstance(deep, bytes) else copy.deepcopy(deep))

    def chance(self) -> tuple[Any, ...]:
        """The state of every generator that the environment may draw from: if it changes, there was chance."""
        found = [_drawn(value) for layer in self._layers for value in layer.values() if isinstance(value, _RANDOM)]
        # Whoever draws from the generators of the whole process does so soon; asking them takes longer than a step.
        if self._asked < _ASK_ALL or self._draws_globally:
            self._asked += 1
            found += [random.getstate()[1][-1], np.random.get_state(legacy=False)["state"]["pos"]]  # noqa: NPY002
        return tuple(found)

    def drew(self, before: tuple[Any, ...]) -> bool:
        """Whether there was chance since then."""
        now = self.chance()
        shared = min(len(before), len(now))
        if len(now) == len(before) and now[-2:] != before[-2:] and self._asked <= _ASK_ALL:
            self._draws_globally = True
        return now[:shared] != before[:shared]


def _drawn(generator: Any) -> Any:
    """What changes whenever a generator draws."""
    if isinstance(generator, np.random.Generator):
        state = generator.bit_generator.state
        return repr(state) if isinstance(state["state"].get("key"), np.ndarray) else state
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)["state"]["pos"]
    return generator.getstate()[1][-1]


def _is_space(value: Any) -> bool:
    return hasattr(value, "contains") and hasattr(value, "sample") and hasattr(value, "seed")


def _is_plain(value: Any) -> bool:
    """Whether a value never changes in place."""
    return isinstance(value, _VALUES) or (type(value) is tuple and all(map(_is_plain, value)))


def _layers(env: Any) -> list[Any]:
    """The wrappers from outside in, and the environment itself."""
    found = [env]
    while env is not env.unwrapped and hasattr(env, "env"):
        env = env.env
        found.append(env)
    return found


def _without_idle(env: Any) -> Any:
    """The environment without wrappers that do nothing for a single step."""
    while type(env).__name__ in _IDLE and hasattr(env, "env"):
        env = env.env
    for layer in _layers(env):
        while type(getattr(layer, "env", None)).__name__ in _IDLE:
            layer.env = layer.env.env
    return env
