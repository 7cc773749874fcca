"""revealed.torch against finite differences and the engine's other ways in. `tests/torch/run` runs it: torch weighs gigabytes."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest
import revealed
import torch
from revealed.torch import MaxEntLoss


def world(discount: float, features: Any = None) -> revealed.Mdp:
    """Chance, a choice that one state lacks, two first states, two terminal ones."""
    rows = [(0, 0, 1, 0.7), (0, 0, 2, 0.3), (0, 1, 2, 1.0), (1, 0, 0, 0.5), (1, 0, 3, 0.5)]
    rows += [(1, 1, 4, 1.0), (2, 0, 4, 0.9), (2, 0, 0, 0.1)]
    columns = tuple(np.array(column) for column in zip(*rows))
    return revealed.Mdp(5, 2, transitions=columns, start={0: 0.8, 1: 0.2}, terminal=[3, 4], discount=discount, features=features)


PATHS = [[(0, 0), (1, 0), (3, None)], [(0, 1), (2, 0), (4, None)], [(1, 0), (0, 1), (2, 0), (4, None)]]
SAME_LENGTH = [[(0, 0), (1, 0), (3, None)], [(0, 1), (2, 0), (4, None)]]
ENDS = ["anywhere", "horizon", "terminal", "goal"]


def looping_world() -> revealed.Mdp:
    """Chance and loops. From every state some action leads to the goal for certain."""
    rows = [(0, 0, 1, 0.7), (0, 0, 2, 0.3), (0, 1, 2, 1.0), (1, 0, 0, 0.5), (1, 0, 4, 0.5), (1, 1, 4, 1.0), (2, 0, 4, 1.0)]
    columns = tuple(np.array(column) for column in zip(*rows))
    return revealed.Mdp(5, 2, transitions=columns, start={0: 0.8, 1: 0.2}, terminal=[3, 4])


EPISODES = [[(0, 0), (1, 1), (4, None)], [(0, 1), (2, 0), (4, None)], [(1, 0), (0, 1), (2, 0), (4, None)]]


def loss_of(ends: str, discount: float = 1.0, *, transitions: bool = False) -> MaxEntLoss:
    return MaxEntLoss(world(discount), SAME_LENGTH if ends == "horizon" else PATHS, ends=ends, transitions=transitions)


def rewards(n: int, seed: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype).requires_grad_()


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("ends", ENDS)
def test_gradcheck_of_states(ends: str, discount: float) -> None:
    assert torch.autograd.gradcheck(loss_of(ends, discount), rewards(5, 1))


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("ends", ENDS)
def test_gradcheck_of_states_and_transitions(ends: str, discount: float) -> None:
    assert torch.autograd.gradcheck(loss_of(ends, discount, transitions=True), (rewards(5, 1), rewards(8, 2)))


# Paths within a horizon and of any length, causal models within a horizon and without one, and the recursive logit.
MODELS: list[dict[str, Any]] = [
    {"horizon": 6},
    {"horizon": "any", "ends": "terminal"},
    {"inference": "recursive-logit"},
    {"inference": "causal", "horizon": 4},
    {"inference": "causal", "horizon": 7, "ends": "anywhere"},
    {"inference": "causal", "horizon": "any"},
    {"inference": "causal", "horizon": "any", "ends": "goal"},
    {"inference": "causal-dual", "horizon": 4},
    {"inference": "causal-dual", "horizon": "any"},
]


@pytest.mark.parametrize("settings", MODELS, ids=lambda settings: "-".join(map(str, settings.values())))
def test_gradcheck_of_every_model(settings: dict[str, Any]) -> None:
    mdp, demonstrations = looping_world(), EPISODES
    loss = MaxEntLoss(mdp, demonstrations, transitions=True, **settings)
    # Loops cost enough that sums over paths of any length exist.
    state, along = rewards(5, 1).detach() - 4.0, 0.3 * rewards(7, 2).detach()
    assert torch.autograd.gradcheck(loss, (state.requires_grad_(), along.requires_grad_()))
    by_hand = revealed.RewardLikelihood(mdp, demonstrations, transitions=True, **settings)
    value = by_hand.value_and_grad(state.detach().numpy(), along.detach().numpy())[0]
    # A fixed point is searched for from the last one, so that the last digits depend on what was asked before.
    assert loss(state, along).item() == pytest.approx(value, rel=1e-13)
    assert copy.deepcopy(loss)(state, along).item() == pytest.approx(value, rel=1e-13)


def test_transitions_without_rewards_are_worth_nothing() -> None:
    state = rewards(5, 1)
    loss = loss_of("anywhere", transitions=True)
    assert loss(state).item() == loss(state, torch.zeros(8)).item()
    assert torch.isclose(loss(state), loss_of("anywhere")(state))


@pytest.mark.parametrize("ends", ENDS)
def test_the_value_and_the_chain_rule_are_those_of_log_likelihood(ends: str) -> None:
    phi = np.random.default_rng(3).normal(size=(5, 2))
    likelihood = revealed.LogLikelihood(world(0.9, phi), SAME_LENGTH if ends == "horizon" else PATHS, ends=ends)
    theta = torch.tensor([0.4, -0.7], dtype=torch.float64, requires_grad=True)
    loss = loss_of(ends, 0.9)(torch.from_numpy(phi) @ theta)
    loss.backward()
    assert theta.grad is not None
    assert np.isclose(loss.item(), -likelihood(theta.detach().numpy()), rtol=1e-13, atol=0.0)
    assert np.allclose(theta.grad.numpy(), -likelihood.gradient(theta.detach().numpy()), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_loss_is_of_the_dtype_of_the_rewards(dtype: torch.dtype) -> None:
    loss, few = loss_of("anywhere"), rewards(5, 1, dtype)
    exact = few.detach().double().requires_grad_()
    loss(few).backward()
    loss(exact).backward()
    assert few.grad is not None and exact.grad is not None
    assert loss(few).dtype == few.grad.dtype == dtype
    assert torch.equal(loss(few), loss(exact).to(dtype))
    assert torch.equal(few.grad, exact.grad.to(dtype))


def test_rewards_may_differ_in_dtype_and_be_strided() -> None:
    loss = loss_of("anywhere", transitions=True)
    state, along = rewards(10, 1), rewards(8, 2, torch.float32)
    loss(state[::2], along).backward()
    assert state.grad is not None and along.grad is not None and along.grad.dtype == torch.float32
    assert torch.count_nonzero(state.grad[1::2]) == 0 and torch.count_nonzero(state.grad[::2]) == 5


def test_a_network_learns_what_a_linear_reward_cannot() -> None:
    torch.manual_seed(0)
    features = torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0]])
    network = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    loss = loss_of("terminal")
    optimiser = torch.optim.Adam(network.parameters(), lr=0.05)
    for _ in range(200):
        optimiser.zero_grad()
        value = loss(network(features).squeeze(-1))
        value.backward()
        optimiser.step()
    linear = revealed.MaxEntIRL(ends="terminal").fit(world(1.0, features.numpy()), PATHS)
    assert -value.item() > linear.log_likelihood_ + 0.05


def test_nothing_is_kept_without_gradients() -> None:
    loss, state = loss_of("anywhere"), rewards(5, 1)
    with torch.no_grad():
        assert not loss(state).requires_grad
    assert not loss(state.detach()).requires_grad
    assert loss(state).requires_grad


def test_gradients_add_up_and_scale() -> None:
    loss, state = loss_of("anywhere"), rewards(5, 1)
    loss(state).backward()
    assert state.grad is not None
    once = state.grad.clone()
    (3.0 * loss(state)).backward()
    assert torch.allclose(state.grad, 4.0 * once)


def test_it_can_be_differentiated_once() -> None:
    loss, state = loss_of("anywhere"), rewards(5, 1)
    value = loss(state)
    (gradient,) = torch.autograd.grad(value, state, create_graph=True)
    with pytest.raises(TypeError, match="differentiated once"):
        (value + gradient.square().sum()).backward()  # a penalty must not be left out in silence
    with pytest.raises(TypeError, match="differentiated once"):
        torch.func.grad(lambda reward: torch.func.grad(loss)(reward).sum())(state.detach())


def test_functional_transforms() -> None:
    loss, state = loss_of("anywhere"), rewards(5, 1)
    loss(state).backward()
    assert state.grad is not None
    assert torch.equal(torch.func.grad(loss)(state.detach()), state.grad)
    several = torch.stack([state.detach(), 2.0 * state.detach()])
    assert torch.equal(torch.func.vmap(loss)(several), torch.stack([loss(one) for one in several]))
    gradients = torch.func.vmap(torch.func.grad(loss))(several)
    assert torch.equal(gradients[0], state.grad)


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda loss: pickle.loads(pickle.dumps(loss))])
def test_copies_and_pickles(again: Any) -> None:
    weighted = revealed.Trajectories(PATHS, weights=[1.0, 2.0, 0.5])
    loss = MaxEntLoss(world(0.9), weighted, ends="terminal", horizon=6, transitions=True, threads=1)
    other = again(loss.eval())
    state, along = rewards(5, 1), rewards(8, 2)
    assert other(state, along).item() == loss(state, along).item()
    assert other.likelihood is not loss.likelihood or again is copy.copy
    assert other.likelihood.horizon == 6 and not other.training


def test_it_lives_in_a_module_and_has_no_state() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network, self.loss = torch.nn.Linear(1, 1), loss_of("anywhere")

        def forward(self, features: torch.Tensor) -> torch.Tensor:
            value: torch.Tensor = self.loss(self.network(features).squeeze(-1))
            return value

    model, features = Model(), torch.arange(5.0)[:, None]
    assert sorted(model.state_dict()) == ["network.bias", "network.weight"]
    twin = copy.deepcopy(model)
    kept = io.BytesIO()
    torch.save(model.state_dict(), kept)
    kept.seek(0)
    twin.load_state_dict(torch.load(kept))
    assert twin(features).item() == model(features).item()
    assert "5 states, 3 demonstrations" in repr(model)
    model.double()
    assert model(features.double()).dtype == torch.float64


def test_what_does_not_fit_is_refused() -> None:
    loss = loss_of("anywhere")
    cases: list[tuple[type[Exception], str, tuple[Any, ...]]] = [
        (ValueError, r"shape \(5, 1\), expected \(5,\): take its only column with squeeze", (torch.zeros(5, 1),)),
        (ValueError, r"the reward of the states has shape \(4,\), expected \(5,\)", (torch.zeros(4),)),
        (ValueError, "make the loss with transitions=True", (torch.zeros(5), torch.zeros(8))),
        (ValueError, "the reward of state 2 is nan", (torch.tensor([0.0, 0.0, torch.nan, 0.0, 0.0]),)),
        (ValueError, "the reward of state 0 is -inf", (torch.tensor([-torch.inf, 0.0, 0.0, 0.0, 0.0]),)),
        (TypeError, "dtype torch.int64: it must be floating", (torch.zeros(5, dtype=torch.int64),)),
        (TypeError, "dtype torch.complex64", (torch.zeros(5, dtype=torch.complex64),)),
        (TypeError, "is a ndarray: it must be a tensor", (np.zeros(5),)),
    ]
    for kind, message, arguments in cases:
        with pytest.raises(kind, match=message):
            loss(*arguments)
    along = loss_of("anywhere", transitions=True)
    with pytest.raises(ValueError, match=r"the reward of the transitions has shape \(7,\), expected \(8,\)"):
        along(torch.zeros(5), torch.zeros(7))
    with pytest.raises(ValueError, match="the reward of transition 7 is inf"):
        along(torch.zeros(5), torch.tensor([0.0] * 7 + [torch.inf]))
    with pytest.raises(ValueError, match="ends"):
        MaxEntLoss(world(1.0), PATHS, ends="nowhere")
