"""Episodes of a policy in an environment that runs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.progress import Counter
from ..inputs.columns import Floats
from ..inputs.labels import label_of
from ..inputs.numbers import count, optional_count
from ..inputs.running import reset, step
from ..inputs.seeds import Seed, seed_of
from .env_states import actions_of, reader_of
from .from_env import mask_of

__all__ = ["Episode", "collect"]


@dataclass(frozen=True, eq=False)
class Episode:
    """One episode, as `fit` and `Trajectories` take it; `ModelFreeIRL` takes its observations."""

    states: list[Hashable]
    """The label of each state: what the environment shows, or its whole state where `Mdp.from_env` says so."""
    observations: NDArray[Any] | list[Any]
    """What the environment showed, a row for each state; a list if it shows no arrays."""
    actions: NDArray[Any]
    """The action of each step."""
    rewards: Floats
    """The reward of each step."""
    terminated: bool
    """Whether the episode ended by itself; otherwise it was cut short."""

    def __len__(self) -> int:
        return len(self.states)


def collect(
    env: Any,
    policy: Any,
    n: int,
    *,
    mdp: Any = None,
    seed: Seed = None,
    max_steps: int | None = None,
    reset_seed: int | None = None,
    reset_options: dict[str, Any] | None = None,
    progress: bool | None = None,
) -> list[Episode]:
    """Episodes of a policy in a Gymnasium environment, as demonstrations.

    Parameters
    ----------
    env : gymnasium.Env
        The environment. Episodes end where it terminates or truncates, or after `max_steps`.
    policy
        A table (n_states, n_actions) of probabilities, such as `mdp.plan().policy`; or a function of the observation
        that returns an action; or an object with `predict(observation)` (as in Stable-Baselines3) or with
        `sample(observation, rng)`; or None for actions at random.
    n : int
        The number of episodes.
    mdp : Mdp, optional
        The world of the environment. A table needs it, unless observations are the numbers of the states.
    seed
        The seed of the environment and of the policy: None, a whole number, a SeedSequence or a Generator.
    max_steps : int, optional
        The most steps of an episode.
    reset_seed : int, optional
        The seed of every reset. In environments whose resets make other worlds, all episodes are then in the same.
    reset_options : dict, optional
        The options of `env.reset(options=...)`.
    progress : bool, optional
        Whether to show a tqdm bar; by default in a notebook or terminal if it takes more than a second.

    Examples
    --------
    >>> import gymnasium, revealed
    >>> env = gymnasium.make("CliffWalking-v1")
    >>> world = revealed.Mdp.from_env(env)
    >>> episodes = revealed.collect(env, world.plan().policy, 5, mdp=world, seed=0)
    >>> episodes[0].rewards.sum(), episodes[0].terminated
    (np.float64(-13.0), True)
    """
    for name in ("reset", "step", "action_space", "unwrapped"):
        if not hasattr(env, name):
            raise TypeError(f"env is a {type(env).__name__} without `{name}`: give a Gymnasium environment")
    first, most = seed_of(seed), optional_count("max_steps", max_steps)
    rng = np.random.default_rng([3, first])
    known = None if mdp is None else mdp._extras.states_of
    reader = reader_of(env, None) if known is None else known
    choose = _chooser(env, policy, mdp)
    episodes = []
    with Counter(progress, "episodes") as counter:
        for at in range(count("n", n, least=0)):
            again = reset_seed if reset_seed is not None else first % 2**31 if at == 0 else None
            observation, info = reset(env, again, reset_options)
            episodes.append(_episode(env, choose, reader, rng, observation, info, most))
            counter(at + 1, n)
    return episodes


def _episode(env: Any, choose: Any, reader: Any, rng: Any, observation: Any, info: Any, most: int | None) -> Episode:
    seen, rewards, over = [observation], [], False
    actions: list[Any] = []
    states = [_label(reader, env, observation)]
    while most is None or len(actions) < most:
        action = choose(observation, states[-1], mask_of(env, info), rng)
        observation, reward, over, truncated, info = step(env, action, "the policy")
        seen.append(observation)
        states.append(_label(reader, env, observation))
        actions.append(action)
        rewards.append(float(reward))
        if over or truncated:
            break
    stacked = np.array(seen) if all(isinstance(one, (int, float, np.generic, np.ndarray)) for one in seen) else seen
    return Episode(states, stacked, np.array(actions), np.array(rewards), bool(over))


def _label(reader: Any, env: Any, observation: Any) -> Hashable:
    try:
        label: Hashable = reader.label(env, observation)
    except ValueError:
        return label_of(observation)  # real numbers: no world of ours, but observations all the same
    return label


def _chooser(env: Any, policy: Any, mdp: Any) -> Any:
    """A function of (observation, label, mask, rng) that returns an action."""
    if policy is None:
        return lambda observation, label, mask, rng: _random(env, mask, rng)
    if callable(getattr(policy, "predict", None)):
        return lambda observation, label, mask, rng: _first(policy.predict(observation))
    if callable(getattr(policy, "sample", None)) and callable(getattr(policy, "log_prob", None)):
        return lambda observation, label, mask, rng: policy.sample(observation, rng)
    if callable(policy) and not hasattr(policy, "shape"):
        return lambda observation, label, mask, rng: policy(observation)
    table = np.asarray(policy, dtype=np.float64)
    if table.ndim != 2 or (mdp is not None and table.shape != (mdp.n_states, mdp.n_actions)):
        sizes = "(n_states, n_actions)" if mdp is None else f"({mdp.n_states}, {mdp.n_actions})"
        raise ValueError(f"policy has shape {table.shape}: it must be a table {sizes}, or a function of the observation")
    given = actions_of(env, reader_of(env, None))[0]
    if table.shape[1] != len(given):
        raise ValueError(f"policy has {table.shape[1]} columns, but {type(env.unwrapped).__name__} has {len(given)} actions")

    def of_table(observation: Any, label: Hashable, mask: Any, rng: np.random.Generator) -> Any:
        if mdp is None and not isinstance(label, int):
            raise ValueError(f"the policy is a table, and the observation {observation!r} is no number: give mdp=")
        try:
            at: Any = label if mdp is None else mdp._state("the state of the environment", label)
        except ValueError as error:
            raise ValueError(f"{error}; if the MDP is from from_env, give that more samples or resets") from None
        row = table[at]
        total = row.sum()
        if not total > 0.0:
            raise ValueError(f"the policy has no action in state {label!r}: its row is 0")
        return given[int(rng.choice(len(row), p=row / total))]

    return of_table


def _first(found: Any) -> Any:
    """The action of `predict`, which may return (action, state)."""
    action = found[0] if isinstance(found, tuple) else found
    return action.item() if isinstance(action, np.ndarray) and action.ndim == 0 else action


def _random(env: Any, mask: Any, rng: np.random.Generator) -> Any:
    space = env.action_space
    n = getattr(space, "n", None)
    if n is None or np.ndim(n):
        space.seed(int(rng.integers(2**31)))
        return space.sample()
    allowed = np.arange(int(n)) if mask is None else np.flatnonzero(mask)
    return int(getattr(space, "start", 0)) + int(rng.choice(allowed))
