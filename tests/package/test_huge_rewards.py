"""Rewards so large that their digits are lost are refused, as on the command line."""

from __future__ import annotations

import numpy as np
import pytest
import revealed


def stay() -> revealed.Mdp:
    """One state with three actions that stay there."""
    return revealed.Mdp.from_dense(np.ones((1, 3, 1)), axes=("state", "action", "next"), start=0)


def test_a_policy_that_nothing_is_known_of() -> None:
    model = revealed.MaxEntIRL.from_theta(stay(), [-1e17], horizon=2)
    for question in (model.policy, model.lengths, model.marginals, model.mean_length):
        with pytest.raises(ValueError, match=r"the reward of state 0 is -1e17: .* scale the features or theta down"):
            question()


def test_large_rewards_whose_digits_suffice_are_answered() -> None:
    model = revealed.MaxEntIRL.from_theta(stay(), [-1e9], horizon=2)
    assert np.array_equal(model.lengths(), [0.0, 1.0, 0.0])
    assert np.allclose(model.policy(1), 1 / 3)
