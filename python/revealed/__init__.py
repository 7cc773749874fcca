"""Exact maximum-entropy inverse reinforcement learning: the reward that explains the demonstrations, and forecasts.

>>> import revealed
>>> lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
>>> demonstrations = lake.rollouts(lake.plan().policy, 50, seed=1)
>>> irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.001).fit(lake, demonstrations)
>>> int(irl.reward_.argmax())  # the goal
15
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import roads, worlds
    from ._native import __version__
    from .demonstrations.partial import PartialTrajectories
    from .demonstrations.trajectories import Trajectories
    from .display.progress import Progress
    from .gradients.log_likelihood import LogLikelihood
    from .gradients.log_partition import LogPartition
    from .gradients.reward_likelihood import RewardLikelihood
    from .inputs.labels import End
    from .learning.comparison import Comparison, compare
    from .learning.counterfactual import Counterfactual, Measured, OutcomeChange, Ratio
    from .learning.history import History
    from .learning.luck import LuckWarning
    from .learning.maxent import MaxEntIRL
    from .learning.mixed import MixedFit, mixed_logit
    from .learning.nested import NestedFit, nested_logit
    from .learning.search import ConvergenceWarning
    from .learning.summary import Summary
    from .learning.table import table
    from .learning.validation import Validation
    from .mdp.collecting import Episode, collect
    from .mdp.features import Features
    from .mdp.mdp import Mdp
    from .mdp.planning import Plan, Recovery
    from .model_free.estimator import ModelFreeIRL
    from .model_free.imitating import imitating
    from .model_free.rollouts import Estimate, Rollouts
    from .model_free.samplers import GaussianPolicy, SamplingPolicy, UniformPolicy
    from .model_free.softmax import SoftmaxPolicy
    from .model_free.summary import ModelFreeSummary
    from .questions.completion import Completed
    from .questions.model import NotFittedError
    from .questions.paths import Path

__all__ = [
    "Comparison",
    "Completed",
    "ConvergenceWarning",
    "Counterfactual",
    "End",
    "Episode",
    "Estimate",
    "Features",
    "GaussianPolicy",
    "History",
    "LogLikelihood",
    "LogPartition",
    "LuckWarning",
    "MaxEntIRL",
    "Mdp",
    "Measured",
    "MixedFit",
    "ModelFreeIRL",
    "ModelFreeSummary",
    "NestedFit",
    "NotFittedError",
    "OutcomeChange",
    "PartialTrajectories",
    "Path",
    "Plan",
    "Progress",
    "Ratio",
    "Recovery",
    "RewardLikelihood",
    "Rollouts",
    "SamplingPolicy",
    "SoftmaxPolicy",
    "Summary",
    "Trajectories",
    "UniformPolicy",
    "Validation",
    "__version__",
    "collect",
    "compare",
    "imitating",
    "mixed_logit",
    "nested_logit",
    "roads",
    "table",
    "worlds",
]

# The module of each name. Modules are loaded when a name is first used: numpy alone takes a tenth of a second.
_HOME = {
    "Comparison": "learning.comparison",
    "Completed": "questions.completion",
    "ConvergenceWarning": "learning.search",
    "Counterfactual": "learning.counterfactual",
    "End": "inputs.labels",
    "Episode": "mdp.collecting",
    "Estimate": "model_free.rollouts",
    "Features": "mdp.features",
    "GaussianPolicy": "model_free.samplers",
    "History": "learning.history",
    "LogLikelihood": "gradients.log_likelihood",
    "LogPartition": "gradients.log_partition",
    "LuckWarning": "learning.luck",
    "MaxEntIRL": "learning.maxent",
    "Mdp": "mdp.mdp",
    "Measured": "learning.counterfactual",
    "MixedFit": "learning.mixed",
    "ModelFreeIRL": "model_free.estimator",
    "ModelFreeSummary": "model_free.summary",
    "NestedFit": "learning.nested",
    "NotFittedError": "questions.model",
    "OutcomeChange": "learning.counterfactual",
    "PartialTrajectories": "demonstrations.partial",
    "Path": "questions.paths",
    "Plan": "mdp.planning",
    "Progress": "display.progress",
    "Ratio": "learning.counterfactual",
    "Recovery": "mdp.planning",
    "RewardLikelihood": "gradients.reward_likelihood",
    "Rollouts": "model_free.rollouts",
    "SamplingPolicy": "model_free.samplers",
    "SoftmaxPolicy": "model_free.softmax",
    "Summary": "learning.summary",
    "Trajectories": "demonstrations.trajectories",
    "UniformPolicy": "model_free.samplers",
    "Validation": "learning.validation",
    "__version__": "_native",
    "collect": "mdp.collecting",
    "compare": "learning.comparison",
    "imitating": "model_free.imitating",
    "mixed_logit": "learning.mixed",
    "nested_logit": "learning.nested",
    "table": "learning.table",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    elif name in ("engines", "jax", "ray", "roads", "torch", "worlds"):
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
