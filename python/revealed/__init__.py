"""Exact maximum-entropy inverse reinforcement learning: what were they after, and what will they do next?

>>> import revealed
>>> lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
>>> demonstrations = lake.rollouts(lake.plan().policy, 50, seed=1)
>>> irl = revealed.MaxEntIRL(bounds=(-10, 10)).fit(lake, demonstrations)
>>> int(irl.reward_.argmax())  # the goal
15
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import worlds
    from ._native import __version__
    from .demonstrations import Trajectories
    from .estimator import MaxEntIRL, Validation
    from .features import Features
    from .imitators import imitating
    from .likelihood import LogLikelihood, LogPartition, RewardLikelihood
    from .mdp import Mdp
    from .model_free import ModelFreeIRL
    from .model_free_summary import ModelFreeSummary
    from .planning import Plan, Recovery
    from .progress import Progress
    from .questions import NotFittedError, Path
    from .rollouts import Estimate, Rollouts
    from .samplers import GaussianPolicy, SamplingPolicy, UniformPolicy
    from .summary import Summary

__all__ = [
    "Estimate",
    "Features",
    "GaussianPolicy",
    "LogLikelihood",
    "LogPartition",
    "MaxEntIRL",
    "Mdp",
    "ModelFreeIRL",
    "ModelFreeSummary",
    "NotFittedError",
    "Path",
    "Plan",
    "Progress",
    "Recovery",
    "RewardLikelihood",
    "Rollouts",
    "SamplingPolicy",
    "Summary",
    "Trajectories",
    "UniformPolicy",
    "Validation",
    "__version__",
    "imitating",
    "worlds",
]

# Where each name lives. Modules are loaded when they are asked for: numpy alone takes a tenth of a second.
_HOME = {
    "Estimate": "rollouts",
    "Features": "features",
    "GaussianPolicy": "samplers",
    "LogLikelihood": "likelihood",
    "LogPartition": "likelihood",
    "MaxEntIRL": "estimator",
    "Mdp": "mdp",
    "ModelFreeIRL": "model_free",
    "ModelFreeSummary": "model_free_summary",
    "NotFittedError": "questions",
    "Path": "questions",
    "Plan": "planning",
    "Progress": "progress",
    "Recovery": "planning",
    "RewardLikelihood": "likelihood",
    "Rollouts": "rollouts",
    "SamplingPolicy": "samplers",
    "Summary": "summary",
    "Trajectories": "demonstrations",
    "UniformPolicy": "samplers",
    "Validation": "estimator",
    "__version__": "_native",
    "imitating": "imitators",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    elif name in ("jax", "torch", "worlds"):
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
