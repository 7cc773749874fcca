"""The learned model that a question is about."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ..learning.maxent import MaxEntIRL

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Model", "model_json", "model_of"]

Model = MaxEntIRL | str | os.PathLike[str]
"""A fitted MaxEntIRL, or a model file (.json)."""


def model_of(network: Network, model: Any, what: str) -> MaxEntIRL:
    """A fitted model with the features of the network, whose paths have weights to search by."""
    if isinstance(model, (str, os.PathLike)):
        model = MaxEntIRL.load(model, network.mdp)
    if not isinstance(model, MaxEntIRL):
        raise TypeError(f"model is a {type(model).__name__}: give a fitted MaxEntIRL, or a model file (.json)")
    model._fitted()
    found, expected = len(model.theta_), len(network.feature_names)
    if found != expected:
        message = f"theta has {found} entries, but the network has {expected} features: give a model of this network"
        raise ValueError(message)
    if model.chance_ == "fixed":
        remedy = "roads have no chance, so learn with inference='recursive-logit' or 'exact'"
        raise ValueError(f"{what}: the model is a causal one, whose paths have no weights to search by: {remedy}")
    return model


def model_json(network: Network, model: Any, what: str) -> str:
    """The same as the engine takes it."""
    return json.dumps(model_of(network, model, what)._record)
