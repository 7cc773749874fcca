"""The ways to an MDP that have to look for its states: environments that run, functions, and observed paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..inputs.numbers import count
from ..inputs.seeds import Seed
from . import from_gymnasium
from .env_states import reader_of
from .extras import Extras
from .from_counts import counted
from .from_env import EnvSettings, enumerate_env
from .from_function import enumerate_function
from .parts import MdpParts

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ExplorableMdp"]


class ExplorableMdp(MdpParts):
    """An MDP with the constructors that explore."""

    __slots__ = ()

    @classmethod
    def _found(cls, parts: dict[str, Any], extras: Extras, options: dict[str, Any]) -> Self:
        """From parts that were explored; options replace them."""
        made: Any = cls
        mdp: Self = made(**{**parts, **options})
        if "true_reward" in options:
            extras = replace(extras, true_reward=mdp._extras.true_reward)
        mdp._extras = extras
        return mdp

    @classmethod
    def from_env(
        cls,
        env: Any,
        *,
        state: Callable[[Any], Any] | None = None,
        samples: int = 200,
        resets: int | None = None,
        max_states: int = 200_000,
        action_masks: bool = True,
        seed: Seed = 0,
        reset_options: dict[str, Any] | None = None,
        progress: bool | None = None,
        **options: Any,
    ) -> Self:
        """From any Gymnasium environment with discrete actions, by trying every action in every state.

        States are found breadth-first: copies of the environment go on from each state that was reached. Time limits are
        ignored. A step that draws no random number is tried once, and its outcome is certain. Others are tried `samples`
        times and counted: `transition_errors` has the standard errors. An environment with a table `P` is read exactly.

        The labels of states are the observations, and whole numbers from 0 need none. A terminal state that shows the
        same observation as another state is `End(observation)`. In MiniGrid worlds, whose observation shows a part, the
        label is the whole state. The reward of the environment becomes `true_reward`: the mean for each transition.

        Parameters
        ----------
        env : gymnasium.Env
            Its observations are whole numbers, or tuples, dicts and arrays of them. It is copied, not changed.
        state : function of the environment, optional
            What the label of a state is, if the observation does not say all: `lambda env: env.unwrapped.position`.
        samples : int
            How often an action with chance is tried, and how many resets are counted.
        resets : int, optional
            How many resets are counted. With 1, only the world of the first reset is explored, if each makes another.
        max_states : int
            More states are an error.
        action_masks : bool
            Whether actions that `info["action_mask"]`, `action_masks()` or `action_mask(state)` rule out are not offered.
        seed
            The seed of the first reset: None, a whole number, a SeedSequence or a Generator.
        reset_options : dict, optional
            The options of `env.reset(options=...)`.
        progress : bool, optional
            Whether to show a tqdm bar; by default in a notebook or terminal if it takes more than a second.
        options
            Those of the constructor: `features`, `discount`, ...

        Examples
        --------
        >>> import gymnasium, revealed
        >>> world = revealed.Mdp.from_env(gymnasium.make("Taxi-v4"), discount=0.99)
        >>> world.n_states, world.true_reward.max()
        (500, np.float64(20.0))
        """
        if isinstance(env, str):
            raise TypeError(f"env is {env!r}: give the environment itself, gymnasium.make({env!r})")
        if state is None and _has_table(env):
            masked = bool(action_masks) and hasattr(env.unwrapped, "action_mask")
            table = from_gymnasium.read(env, masked)
            parts: dict[str, Any] = {"n_states": table.n_states, "n_actions": table.n_actions, "transitions": table.rows}
            parts |= {"start": table.start, "terminal": table.terminal}
            if "grid" not in options and "points" not in options:
                parts["grid"] = table.grid
            return cls._found(parts, Extras(true_reward=table.rewards, states_of=reader_of(env, None)), options)
        chosen = EnvSettings(state, samples, resets, max_states, bool(action_masks), seed, reset_options, progress)
        return cls._found(*enumerate_env(env, chosen), options)

    @classmethod
    def from_function(
        cls,
        start: Any,
        step: Callable[[Any, Any], Any],
        actions: Any,
        *,
        terminal: Any = None,
        max_states: int = 1_000_000,
        progress: bool | None = None,
        **options: Any,
    ) -> Self:
        """From the rules of a world: every state that can be reached from the start.

        Parameters
        ----------
        start : state, or mapping of states to probabilities
            Where paths begin. A state is any hashable value; it becomes the label.
        step : function of (state, action)
            What happens: the next state; or {state: p}; or a list of outcomes (p, state), (p, state, reward) or (p,
            state, reward, terminated). The rewards become `true_reward`.
        actions : list, or function of a state
            The actions, by any label; or those that a state offers. A state without actions is terminal.
        terminal : function of a state, or container, optional
            Which states end an episode.
        max_states : int
            More states are an error.
        progress : bool, optional
            Whether to show a tqdm bar; by default in a notebook or terminal if it takes more than a second.
        options
            Those of the constructor: `features`, `discount`, ...

        Examples
        --------
        A queue: while one waits, somebody joins half of the time, until there are three.

        >>> import revealed
        >>> step = lambda n, action: n - 1 if action == "serve" else [(0.5, n), (0.5, n + 1)]
        >>> offered = lambda n: ["serve"] * (n > 0) + ["wait"] * (n < 3)
        >>> queue = revealed.Mdp.from_function(0, step, offered)
        >>> queue, queue.action_labels
        (Mdp(4 states, 2 actions, 9 transitions, 4 features, discount 1.0), ['wait', 'serve'])
        """
        found = enumerate_function(start, step, actions, terminal, count("max_states", max_states), progress)
        return cls._found(*found, options)

    @classmethod
    def from_counts(cls, trajectories: Any, *, prior: float = 0.0, terminal: Iterable[Any] | None = None, **options: Any) -> Self:
        """From paths alone: transition probabilities are the shares of the observed steps.

        `transition_counts` and `transition_errors` say how sure they are: the number of observed steps of each choice,
        and the posterior standard deviation (with Jeffreys' prior if `prior` is 0).

        Parameters
        ----------
        trajectories
            Anything that `Trajectories` takes; states and actions may be labels.
        prior : float
            How many observations each outcome of a choice has before any was made. Outcomes are the states that
            followed the state, after any action. An action that was never taken in a state is not offered there.
        terminal : iterable of states, optional
            Further terminal states, besides those that no path leaves.
        options
            Those of the constructor: `features`, `discount`, ...

        Examples
        --------
        >>> import revealed
        >>> seen = [[("nest", "fly"), ("field", None)]] * 3 + [[("nest", "fly"), ("nest", None)]]
        >>> birds = revealed.Mdp.from_counts(seen)
        >>> birds.labels, birds.transitions[3].tolist(), birds.transition_errors.round(2).tolist()
        (['field', 'nest'], [0.75, 0.25], [0.19, 0.19])
        """
        return cls._found(*counted(trajectories, prior, terminal), options)


def _has_table(env: Any) -> bool:
    """Whether the table P of the environment speaks of what the environment shows and takes."""
    inner = getattr(env, "unwrapped", env)
    if getattr(inner, "P", None) is None or getattr(inner, "fickle_passenger", False):
        return False
    if getattr(inner, "initial_state_distrib", getattr(inner, "isd", None)) is None:
        return False
    spaces = ("observation_space", "action_space")
    return all(getattr(env, name, None) == getattr(inner, name, 0) for name in spaces)
