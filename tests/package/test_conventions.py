"""Conventions: seeds, warnings, where a search begins, weights, suffixes, checkpoints, logging, labels, cards."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest
import revealed
from revealed import MaxEntIRL, Mdp, Trajectories

ROWS = ["fork", "fork", "bend"], ["left", "right", "on"], ["home", "bend", "work"], [1.0, 1.0, 1.0]
PATHS = [[("fork", "right"), ("bend", "on"), ("work", None)], [("fork", "left"), ("home", None)]]


@pytest.fixture
def fork() -> Mdp:
    return Mdp(transitions=ROWS, start="fork", terminal=["home", "work"])


@pytest.mark.parametrize("seed", [7, np.int64(7), np.random.SeedSequence(7), np.random.default_rng(7), np.random.RandomState(7)])
def test_seeds_of_numpy(lake: Mdp, seed: Any) -> None:
    drawn = lake.rollouts(lake.plan().policy, 5, seed=seed)
    assert len(drawn) == 5
    if isinstance(seed, (int, np.integer)):
        assert drawn == lake.rollouts(lake.plan().policy, 5, seed=7)
    if isinstance(seed, np.random.Generator):
        assert drawn != lake.rollouts(lake.plan().policy, 5, seed=seed), "a generator moves on"


def test_no_seed_is_another_each_time(irl: MaxEntIRL) -> None:
    assert irl.sample(20, seed=None) != irl.sample(20, seed=None)
    with pytest.raises(TypeError, match="seed is 'x': it must be None, a whole number, a SeedSequence or a Generator"):
        irl.sample(seed="x")  # type: ignore[arg-type]


def test_a_search_that_fails_warns_and_one_that_is_stopped_does_not(lake: Mdp, paths: Trajectories) -> None:
    with pytest.warns(revealed.ConvergenceWarning, match="largest number of iterations"):
        failed = MaxEntIRL(inference="causal", max_iter=1).fit(lake, paths)
    assert not failed.converged_ and not failed.stopped_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stopped = MaxEntIRL(inference="causal", l2=0.01).fit(lake, paths, callback=lambda step: True)
    assert stopped.stopped_ and stopped.stopped_because_ == "stopped by the callback" and "stopped" in stopped._repr_html_()


def test_start_is_the_old_name_of_theta0(lake: Mdp, paths: Trajectories) -> None:
    irl = MaxEntIRL(inference="causal", l2=0.01)
    with pytest.warns(DeprecationWarning, match="theta0"):
        old = irl.fit(lake, paths, start=np.ones(16)).theta_
    assert np.array_equal(old, irl.fit(lake, paths, theta0=np.ones(16)).theta_)
    with pytest.raises(TypeError, match="both given"):
        irl.fit(lake, paths, theta0=np.ones(16), start=np.ones(16))


def test_weights_are_not_replaced_in_silence(lake: Mdp, paths: Trajectories) -> None:
    weighted = Trajectories(paths, weights=np.arange(50) + 1.0)
    with pytest.raises(ValueError, match="weights of their own"):
        MaxEntIRL(l2=0.1).fit(lake, weighted, sample_weight=np.ones(50))


@pytest.mark.parametrize("name", ["model.npz", "model", "model.jsonl"])
def test_a_model_is_a_json_file(irl: MaxEntIRL, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="a model is a .json file"):
        irl.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore::revealed.LuckWarning")
def test_held_out_paths_are_not_impossible_for_being_long(lake: Mdp, paths: Trajectories) -> None:
    from sklearn.model_selection import cross_val_score

    assert np.isfinite(cross_val_score(MaxEntIRL(mdp=lake, l2=0.1), paths, cv=3)).all()
    short = MaxEntIRL(l2=0.1).fit(lake, paths[paths.lengths < 30])
    assert np.isfinite(short.score(paths)) and np.isneginf(short.score_samples(paths)).any()


def test_checkpoints_are_written_and_resumed(lake: Mdp, paths: Trajectories, tmp_path: Path) -> None:
    file, partial = tmp_path / "model.json", tmp_path / "model.json.partial"
    irl = MaxEntIRL(inference="causal", horizon="any", l2=0.001)

    def crash(step: revealed.Progress) -> None:
        if step.iteration == 4:
            raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        irl.fit(lake, paths, checkpoint=file, callback=crash)
    assert partial.is_file() and not file.exists() and MaxEntIRL.load(partial, lake).converged_ is False
    irl.fit(lake, paths, checkpoint=file, resume=True)
    assert irl.converged_ and not partial.exists() and np.array_equal(MaxEntIRL.load(file, lake).theta_, irl.theta_)
    assert irl.fit(lake, paths, checkpoint=file, resume=True).n_iter_ <= 1
    with pytest.raises(ValueError, match="belongs to another MDP"):
        irl.fit(lake.with_discount(0.5), paths, checkpoint=file, resume=True)
    with pytest.raises(ValueError, match="nothing to resume"):
        irl.fit(lake, paths, resume=True)


def test_searches_are_logged(lake: Mdp, paths: Trajectories, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="revealed"):
        MaxEntIRL(inference="causal", l2=0.01).fit(lake, paths, callback=lambda step: None)
    texts = [record.getMessage() for record in caplog.records]
    assert any(text.startswith("iteration 1:") for text in texts) and "searched for" in texts[-1]


def test_labels_everywhere(fork: Mdp) -> None:
    assert fork.feature_names == ["fork", "home", "bend", "work"] and fork.action_labels == ["left", "right", "on"]
    irl = MaxEntIRL(ends="terminal", l2=0.1).fit(fork, PATHS)
    best = irl.predict_path("fork", "work")
    assert best.labels == ["fork", "bend", "work"] and best.action_labels == ["right", "on"]
    walks = fork.trajectories(PATHS)
    frame = walks.to_frame(mdp=fork)
    assert frame["state"].tolist()[:3] == ["fork", "bend", "work"] and frame["action"].tolist()[:2] == ["right", "on"]
    assert fork.trajectories(frame) == walks and fork.trajectories(walks.to_frame("polars", mdp=fork)) == walks
    assert list(fork.to_frame(irl.policy()).columns) == ["left", "right", "on"]
    assert irl.summary(PATHS).to_frame().index.tolist() == fork.feature_names
    by_label = {"work": [2.0], "home": [1.0], "fork": [0.0], "bend": [3.0]}
    indexed = pandas.DataFrame({"size": [2.0, 1.0, 0.0, 3.0]}, index=["work", "home", "fork", "bend"])
    assert (
        fork.with_features(by_label).reward([1.0]).tolist() == fork.with_features(indexed).reward([1.0]).tolist() == [0, 1, 3, 2]
    )
    with pytest.raises(ValueError, match=r"transitions.to\[0\] is 'hom': there is no such state"):
        Mdp(transitions=(["fork"], ["left"], ["hom"], [1.0]), start="fork", labels=["fork", "home"])
    with pytest.raises(ValueError, match="has no row for state 'bend'"):
        fork.with_features({"work": [2.0], "home": [1.0], "fork": [0.0]})
    with pytest.raises(ValueError, match="the state is 'nowhere'"):
        fork.trajectories([[("nowhere", None)]])


def test_steps_and_transitions_and_joined_paths() -> None:
    expected = Trajectories([[(0, 1), (2, 0), (3, None)], [(0, 0), (1, None)]])
    assert Trajectories([[(0, 1, 2), (2, 0, 3)], [(0, 0, 1)]]) == expected
    assert Trajectories([(0, 1, 0.5, 2), (2, 0, -1.0, 3), (0, 0, 0.0, 1)]) == expected, "in one list"
    flat = SimpleNamespace(
        obs=np.array([0, 2, 0]), acts=np.array([1, 0, 0]), next_obs=np.array([2, 3, 1]), dones=[False, True, True]
    )
    assert Trajectories(flat) == expected
    assert expected[:1] + expected[1:] == expected == Trajectories.concatenate([expected[:1], [[(0, 0), (1, None)]]])
    with pytest.raises(ValueError, match="step 1 begins in 5, but step 0 ends in 2"):
        Trajectories([[(0, 1, 2), (5, 0, 3)]])


@pytest.mark.parametrize("features", ["kinds", "state-actions", "transitions"])
def test_the_learned_reward_of_every_kind(features: Any) -> None:
    taxi = revealed.worlds.taxi(features=features)
    model = MaxEntIRL.from_theta(taxi, taxi.true_theta, horizon=12)
    along, by_choice, own = model.reward("transition"), model.reward("state-action"), model.reward("state")
    source, action, _, p = taxi.transitions
    assert np.allclose(along, taxi.reward(taxi.true_theta)[source] + taxi.transition_reward(taxi.true_theta))
    mean = np.zeros(by_choice.shape)
    np.add.at(mean, (source, action), p * along)
    offered = np.isfinite(by_choice)
    assert np.allclose(by_choice[offered], mean[offered]) and set(zip(source, action)) == set(zip(*np.nonzero(offered)))
    acts = offered.any(axis=1)
    assert np.allclose(own[acts], (model.policy() * np.nan_to_num(by_choice)).sum(axis=1)[acts], atol=1e-9)
    assert np.array_equal(own[~acts], model.reward_[~acts])


def test_the_reward_of_a_path_is_the_sum_of_its_transitions(irl: MaxEntIRL) -> None:
    path = irl.predict_path(0, 15)
    rows = {row: at for at, row in enumerate(zip(*(column.tolist() for column in irl.mdp_.transitions[:3])))}
    steps = zip(path.states[:-1].tolist(), path.actions.tolist(), path.states[1:].tolist())
    gamma = irl.mdp_.discount ** np.arange(len(path))
    paid = [irl.reward("transition")[rows[step]] for step in steps]
    total = gamma[:-1] @ paid + gamma[-1] * irl.reward_[path.states[-1]]
    assert total == pytest.approx(float(gamma @ irl.reward_[path.states]))


def test_cards_are_tables(irl: MaxEntIRL, paths: Trajectories) -> None:
    assert "policy improvements" in irl.mdp_.plan()._repr_html_()
    validation = MaxEntIRL(inference="causal", horizon="any").cross_validate(irl.mdp_, paths, l2=[0.01, 0.1], folds=2)
    for card in (irl.summary(paths)._repr_html_(), validation._repr_html_()):
        assert "<thead>" in card and "<pre>" not in card


def test_many_demonstrations_do_not_hide_the_reward() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    lake = revealed.worlds.frozen_lake("8x8")
    anything = np.full((64, 4), 0.25)
    anything[lake.terminal] = 0.0
    ax = lake.plot(lake.reward(lake.true_theta), demonstrations=lake.rollouts(anything, 200, seed=1))
    (bands,) = [part for part in ax.collections if part.get_label() == "demonstrations"]
    assert len(bands.get_paths()) <= 2 * 64, "a band for each pair of cells, not for each path"
    assert max(bands.get_linewidths()) < 5.0


BIRDS = [[("nest", "fly"), ("field", "fly"), ("nest", None)]]


@pytest.mark.parametrize(
    ("paths", "problem"),
    [
        ([[("nst", "fly"), ("field", None)]], "step 0: the state is 'nst': .* among the 2: did you mean 'nest'?"),
        ([[("nest", "fly"), ("sea", None)]], "step 1: the state is 'sea': there is no such state among the 2: 'field', 'nest'"),
        ([[("nest", "swim"), ("field", None)]], "step 0: the action is 'swim': there is no such action among the 1: 'fly'"),
        (
            [[("nest", "fly"), ("nest", None)]],
            r"step 0: action 0 in state 1 .*: state 1 is 'nest'; action 0 is 'fly'; .* a prior$",
        ),
        ([[("field", "fly"), ("nest", None)]], "starts in state 0, .*: state 0 is 'field'; give the MDP a start that has it"),
        (
            ("id state action", [(1, "nest", "fly"), (1, np.nan, "fly"), (1, "nest", None)]),
            "row 1 .*: the state is nan: there is .*: it is missing$",
        ),
        (
            ("id state action", [(1, "nest", "fly"), (1, "field", None), (1, "nest", None)]),
            r"step 1: the action is None: only the",
        ),
        (("id state action", [(1, "nest", "swim"), (1, "field", None)]), "row 0 of the frame: the action is 'swim': there is no"),
    ],
)
def test_errors_name_labels_and_what_was_meant(paths: Any, problem: str) -> None:
    birds = Mdp.from_counts(BIRDS)
    if isinstance(paths, tuple):
        paths = pandas.DataFrame(paths[1], columns=paths[0].split())
    with pytest.raises(ValueError, match=problem):
        MaxEntIRL().fit(birds, paths)


def test_errors_name_the_argument_that_was_given(lake: Mdp, paths: Trajectories) -> None:
    with pytest.raises(ValueError, match=f"^sample_weight has 3 entries, expected {len(paths)}$"):
        MaxEntIRL().fit(lake, paths, sample_weight=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"^theta0\[0\] is nan: it must be a finite number$"):
        MaxEntIRL().fit(lake, paths, theta0=np.full(16, np.nan))
    with pytest.raises(ValueError, match=r"^terminal\[0\] is 'sea': there is no such state among the 2: 'field', 'nest'$"):
        Mdp.from_counts(BIRDS, terminal=["sea"])
    with pytest.raises(ValueError, match=r"^step\(0, 'on'\) is None: it must return the next state"):
        Mdp.from_function(0, lambda state, action: None, ["on"])


def test_labels_are_the_numbers_where_there_are_none(lake: Mdp, fork: Mdp) -> None:
    assert list(lake.labels) == list(range(lake.n_states)) and lake.labels[np.int64(3)] == 3
    assert lake.action_labels[1] == 1 and len(lake.action_labels) == lake.n_actions
    assert fork.labels[fork.index("bend")] == "bend" and "on" in fork.action_labels
    with pytest.raises(IndexError):
        lake.labels[lake.n_states]
