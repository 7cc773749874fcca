"""The mean log-likelihood of demonstrations as a function of theta."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from .. import _native
from ..inputs.columns import Floats, floats
from ..inputs.options import Horizon, path_options, usual_ends
from ..mdp.demonstrations import native_demonstrations
from ..mdp.mdp import Mdp

__all__ = ["LikelihoodInference", "LogLikelihood"]

LikelihoodInference = Literal["exact", "causal", "causal-dual", "recursive-logit"]


class LogLikelihood:
    """The mean log-likelihood of demonstrations as a function of theta.

    Everything that does not depend on theta is prepared once. The parameters are those of `RewardLikelihood`, without
    `transitions`.

    Examples
    --------
    >>> import numpy as np, revealed
    >>> mdp = revealed.Mdp(3, 1, transitions=([0, 1], [0, 0], [1, 2], [1, 1]), start=0, terminal=[2])
    >>> likelihood = revealed.LogLikelihood(mdp, [[(0, 0), (1, 0), (2, None)]])
    >>> bool(np.isclose(likelihood(np.zeros(3)), np.log(1 / 3)))  # one of three equally likely paths
    True
    """

    def __init__(
        self,
        mdp: Mdp,
        demonstrations: Any,
        *,
        inference: LikelihoodInference = "exact",
        ends: str | None = None,
        horizon: Horizon | None = None,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        if not isinstance(inference, str):
            names = ", ".join(map(repr, get_args(LikelihoodInference)))
            raise TypeError(f"inference is {inference!r}: it must be one of {names}")
        paths = native_demonstrations(mdp, demonstrations)
        self.ends = usual_ends(inference) if ends is None else ends
        options = path_options(self.ends, horizon, threads, memory)
        self._native = _native.Likelihood(mdp._native, paths, inference, options)
        self.mdp = mdp

    @property
    def horizon(self) -> Horizon:
        """The largest number of states of a path."""
        return self._native.horizon

    def __call__(self, theta: Any) -> float:
        """The mean log-likelihood per demonstration."""
        return self._native.evaluate(floats("theta", theta))[0]

    def gradient(self, theta: Any) -> Floats:
        """Its gradient, in models of paths observed minus expected features. With "causal-dual", that of the dual."""
        return self._native.evaluate(floats("theta", theta))[2]

    def value_and_grad(self, theta: Any) -> tuple[float, Floats]:
        """Minus the mean log-likelihood and its gradient, as `scipy.optimize.minimize(..., jac=True)` takes them.

        With "causal-dual", minus the dual of feature matching and its gradient.
        """
        _, objective, gradient, _ = self._native.evaluate(floats("theta", theta))
        return -objective, np.negative(gradient, out=gradient)

    def log_partition(self, theta: Any) -> float | None:
        """log Z; None with ends = "goal", where each pair of ends has its own, and for causal models."""
        return self._native.evaluate(floats("theta", theta))[3]
