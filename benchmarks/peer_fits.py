"""The fits of python_peers.py: each package learns rewards on FrozenLake, with settings that favour it.

The input is a Gymnasium environment and lists of (state, action) pairs.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1", JAX_PLATFORMS="cpu")

import contextlib
import signal
import time
from dataclasses import dataclass, field

import econirl
import gymnasium
import numpy as np
import pandas
import revealed
import torch
from imitation.algorithms.mce_irl import MCEIRL
from imitation.util import logger
from imitation_baseline import Linear
from irl_maxent import optimizer, trajectory
from seals.base_envs import TabularModelPOMDP

torch.set_num_threads(1)

# imitation's own linf_eps.
GAP = 1e-3


@dataclass
class Fit:
    """The result of a fit: the gap in the package's own model, theta if there is one, and a note."""

    gap: float
    theta: np.ndarray | None
    note: str
    seconds: float | None = None
    """The time at which it reached this gap, if not at the end."""


@dataclass
class Case:
    env: gymnasium.Env
    paths: list
    iterations: int
    seconds: float
    mdp: revealed.Mdp = field(init=False)
    longest: int = field(init=False)

    def __post_init__(self):
        self.mdp = revealed.Mdp.from_gymnasium(self.env)
        self.longest = max(len(path) for path in self.paths)

    def dense(self):
        """T[s, a, s'], the terminal states, p0. Terminal states are absorbing, as in Gymnasium's table."""
        table = np.zeros((self.env.observation_space.n, self.env.action_space.n, self.env.observation_space.n))
        ends = set()
        for state, choices in self.env.unwrapped.P.items():
            for action, outcomes in choices.items():
                for p, to, _, terminated in outcomes:
                    table[state, action, to] += p
                    ends |= {to} if terminated else set()
        return table, np.array(sorted(ends)), np.asarray(self.env.unwrapped.initial_state_distrib)

    def visits(self):
        """The mean visits to each state. Demonstrations stay in their last state until the horizon, as in imitation."""
        visits = np.zeros(self.mdp.n_states)
        for path in self.paths:
            states = [state for state, _ in path]
            np.add.at(visits, states + states[-1:] * (self.longest - len(states)), 1 / len(self.paths))
        return visits


def exact(case):
    mdp = revealed.Mdp.from_gymnasium(case.env)
    irl = revealed.MaxEntIRL(bounds=(-10, 10)).fit(mdp, case.paths)
    return Fit(np.nan, irl.theta_, f"converged: {irl.converged_}, {irl.n_evaluations_} gradients, bounds ±10")


def causal(case):
    mdp = revealed.Mdp.from_gymnasium(case.env)
    irl = revealed.MaxEntIRL(bounds=(-10, 10), inference="causal-dual").fit(mdp, case.paths)
    note = f"converged: {irl.converged_}, {irl.n_evaluations_} gradients, bounds ±10; the gap is over states not at a bound"
    return Fit(irl.gradient_norm_, irl.theta_, note)


def imitation(case, rate):
    begun = time.perf_counter()
    table, _, start = case.dense()
    n_states, visits = len(start), case.visits()
    world = TabularModelPOMDP(
        transition_matrix=table,
        observation_matrix=np.eye(n_states),
        reward_matrix=np.zeros(n_states),
        horizon=case.longest - 1,
        initial_state_dist=start,
    )
    net = Linear(world, n_states)
    algorithm = MCEIRL(
        visits,
        world,
        net,
        np.random.default_rng(0),
        linf_eps=GAP,
        grad_l2_eps=0.0,
        discount=1.0,
        optimizer_kwargs={"lr": rate},
        log_interval=None,
        custom_logger=logger.configure(format_strs=()),
    )
    best, train_step = Fit(np.inf, None, ""), algorithm._train_step

    def watched(observations):
        nonlocal best
        theta = net.theta.detach().numpy().copy()
        rewards, occupancy = train_step(observations)
        gap = float(np.abs(occupancy - visits).max())
        if gap < best.gap:
            best = Fit(gap, theta, "", time.perf_counter() - begun)
        return rewards, occupancy

    algorithm._train_step = watched
    algorithm.train(max_iter=case.iterations)
    reached = "reached" if best.gap <= GAP else f"not reached in {case.iterations} gradients; the best gap, and the time until then"
    best.note = f"learning rate {rate}, {reached}"
    return best



class TimeIsUp(Exception):
    pass


class Watched(optimizer.Sga):
    """irl-maxent's gradient ascent. It records the gap of each step and keeps the best."""

    def __init__(self, rate):
        super().__init__(lr=rate)
        self.steps, self.best = 0, Fit(np.inf, None, "")

    def step(self, grad, *arguments, **options):
        gap = float(np.abs(grad).max())
        if np.isnan(gap):
            raise FloatingPointError("then its sums overflowed (NaN)")
        self.steps += 1
        if gap < self.best.gap:
            self.best = Fit(gap, self.parameters.copy(), "")
        if gap <= GAP:
            raise StopIteration("reached")
        super().step(grad, *arguments, **options)


@contextlib.contextmanager
def at_most(seconds):
    def ring(*_):
        raise TimeIsUp(f"then the limit of {seconds:g} s was reached")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def irl_maxent(case, routine, *more):
    table, ends, _ = case.dense()
    steps = [[(state, action, after[0]) for (state, action), after in zip(path, path[1:])] for path in case.paths]
    watched, words = Watched(0.03), "stopped by itself"
    features, zeros = np.eye(len(table)), optimizer.Constant(0.0)
    paths = [trajectory.Trajectory(of_path) for of_path in steps]
    try:
        with at_most(case.seconds):
            routine(table.transpose(0, 2, 1), features, ends.tolist(), paths, watched, zeros, *more)
    except (StopIteration, FloatingPointError, TimeIsUp) as reason:
        words = str(reason)
    return Fit(watched.best.gap, watched.best.theta, f"learning rate 0.03, {watched.steps} gradients; {words}; best gap")


def econ(case):
    """A feature for each state that is not terminal: terminal ones have no effect in econirl's finite horizon."""
    table, ends, _ = case.dense()
    rows = [(at, s, a, after[0]) for at, path in enumerate(case.paths) for (s, a), after in zip(path, path[1:])]
    frame = pandas.DataFrame(rows, columns=["id", "state", "action", "next"])
    terminal = np.isin(np.arange(len(table)), ends)
    model = econirl.MCEIRL(
        n_states=len(table),
        n_actions=table.shape[1],
        discount=1.0,
        horizon=case.longest - 1,
        feature_matrix=np.eye(len(table))[:, ~terminal],
        feature_names=[f"state {state}" for state in np.flatnonzero(~terminal)],
        terminal_states=terminal,
        compute_se=False,
    )
    model.fit(frame, state="state", action="action", id="id", next_state="next", transitions=table.transpose(1, 0, 2))
    theta = np.zeros(len(table))
    theta[~terminal] = model.coef_
    # It reports the Euclidean norm of mean visits per period.
    gap = model.feature_residual_ * (case.longest - 1)
    return Fit(gap, theta, f"converged: {model.converged_} ({model.termination_reason_}); the gap is the Euclidean norm")
