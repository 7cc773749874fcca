"""Threads, forks, pickles and interrupts."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import revealed


def lake() -> tuple[revealed.Mdp, revealed.Trajectories]:
    mdp = revealed.worlds.frozen_lake("4x4", discount=0.99)
    return mdp, mdp.rollouts(mdp.plan().policy, 50, seed=1)


def roads(n_states: int, n_demonstrations: int = 20) -> tuple[revealed.Mdp, revealed.Trajectories]:
    """A network that is large enough to be worked on by several threads."""
    mdp = revealed.worlds.road_like(n_states, 2 * n_states, seed=3)
    uniform = np.zeros((mdp.n_states, mdp.n_actions))
    state, action, _, _ = mdp.transitions
    uniform[state, action] = 1.0
    uniform /= uniform.sum(axis=1, keepdims=True)
    return mdp, mdp.rollouts(uniform, n_demonstrations, max_states=60, seed=1)


def test_two_threads_fit_at_once() -> None:
    worlds = [lake(), roads(3000)]
    alone = [revealed.MaxEntIRL(bounds=(-5, 5), max_iter=15).fit(*world).theta_ for world in worlds]
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(revealed.MaxEntIRL(bounds=(-5, 5), max_iter=15).fit, *worlds[k % 2]) for k in range(8)]
        for k, job in enumerate(jobs):
            assert np.array_equal(job.result().theta_, alone[k % 2])


def test_two_threads_share_one_likelihood() -> None:
    mdp, paths = roads(3000)
    likelihood = revealed.LogLikelihood(mdp, paths)
    thetas = [np.full(mdp.n_features, -1e-3 * k) for k in range(8)]
    alone = [likelihood.value_and_grad(theta) for theta in thetas]
    with ThreadPoolExecutor(4) as pool:
        for (value, gradient), (found, slope) in zip(alone, pool.map(likelihood.value_and_grad, thetas)):
            assert found == value and np.array_equal(slope, gradient)


def test_other_threads_go_on_while_the_engine_works() -> None:
    """The GIL is released: a Python thread counts while a fit of a second runs."""
    mdp, paths = roads(20_000)
    counted, running = 0, True

    def count() -> None:
        nonlocal counted
        while running:
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.monotonic()
    revealed.MaxEntIRL(bounds=(-5, 5), max_iter=20, threads=1).fit(mdp, paths)
    took = time.monotonic() - begun
    running = False
    thread.join()
    # A thread that sleeps a millisecond each time counts some hundred times a second, even on a busy machine.
    assert took > 0.1 and counted > 50 * took


def fit_in_child(world: tuple[revealed.Mdp, revealed.Trajectories]) -> bytes:
    return revealed.MaxEntIRL(bounds=(-5, 5), max_iter=5).fit(*world).theta_.tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_a_fork_survives(large: bool) -> None:
    """The parent has used its threads, which the child does not have."""
    world = roads(3000) if large else lake()
    expected = fit_in_child(world)
    likelihood = revealed.LogLikelihood(*world)
    value = likelihood(np.zeros(world[0].n_features))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            same = fit_in_child(world) == expected and likelihood(np.zeros(world[0].n_features)) == value
            os.write(writer, b"same" if same else b"other")
        finally:
            os._exit(0)
    os.close(writer)
    deadline = time.monotonic() + 60.0
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    assert os.read(reader, 10) == b"same"
    os.close(reader)
    assert fit_in_child(world) == expected


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_worlds_go_to_other_processes(method: str) -> None:
    world = lake()
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(fit_in_child, [world, world]).get(timeout=120) == [fit_in_child(world)] * 2


def test_pickles() -> None:
    mdp, paths = lake()
    irl = revealed.MaxEntIRL(bounds=(-10, 10), l2=0.001).fit(mdp, paths)
    for thing in (mdp, paths):
        assert pickle.loads(pickle.dumps(thing)) == thing
    graph_like = revealed.Mdp(2, 1, transitions=([0], [0], [1], [1.0]), start=0, terminal=[1], labels=["home", "work"])
    assert pickle.loads(pickle.dumps(graph_like)).index("work") == 1
    for other in (pickle.loads(pickle.dumps(irl)), copy.deepcopy(irl), copy.copy(irl)):
        assert np.array_equal(other.theta_, irl.theta_) and other.get_params() == irl.get_params()
        assert np.array_equal(other.marginals(), irl.marginals())
        assert other.mdp_ == mdp
    unfitted = pickle.loads(pickle.dumps(revealed.MaxEntIRL(l2=0.5)))
    with pytest.raises(revealed.NotFittedError, match="fit"):
        unfitted.sample(1)


INTERRUPTED = """
import sys, time
import numpy as np
import revealed

mdp = revealed.worlds.road_like(60_000, 110_000, seed=3)
uniform = np.zeros((mdp.n_states, mdp.n_actions))
state, action, _, _ = mdp.transitions
uniform[state, action] = 1.0
uniform /= uniform.sum(axis=1, keepdims=True)
paths = mdp.rollouts(uniform, 20, max_states=400, seed=1)
irl = revealed.MaxEntIRL(horizon=400)
begun = time.monotonic()
print("begun", flush=True)
try:
    if sys.argv[1] == "fit":
        irl.fit(mdp, paths, callback=(lambda step: False) if sys.argv[2] == "callback" else None)
    elif sys.argv[1] == "cross_validate":
        irl.cross_validate(mdp, paths, l2=[1e-9, 1e-8], folds=2)
    elif sys.argv[1] == "sample":
        known = revealed.MaxEntIRL.from_theta(mdp, mdp.true_theta, horizon=100_000).with_paths(ends="horizon")
        known.sample(1000)
    else:
        revealed.LogLikelihood(mdp, paths, horizon=100_000)(np.full(mdp.n_features, -1e-3))
except KeyboardInterrupt:
    print("interrupted", hasattr(irl, "theta_"), hasattr(irl, "partial_theta_"), flush=True)
    if sys.argv[1] in ("fit", "cross_validate"):
        # A search ends within an iteration: then nothing works on.
        time.sleep(3.0)
        before = time.process_time()
        time.sleep(1.0)
        print("idle", time.process_time() - before < 0.5, flush=True)
    small = revealed.worlds.frozen_lake()
    episodes = small.rollouts(small.plan(discount=0.99).policy, 5)
    print("goes on", revealed.MaxEntIRL(l2=0.1).fit(small, episodes).converged_, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize(
    "what",
    [("fit", "callback"), ("fit", "alone"), ("cross_validate", "alone"), ("sample", "alone"), ("evaluate", "alone")],
    ids="-".join,
)
def test_an_interrupt_in_the_middle(what: tuple[str, str]) -> None:
    command = [sys.executable, "-c", INTERRUPTED, *what]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stderr is not None
        assert child.stdout.readline() == "begun\n", child.stderr.read()
        # Long enough for some iterations, and far shorter than the work.
        time.sleep(4.0)
        assert child.poll() is None, "it was over too soon to be interrupted"
        child.send_signal(signal.SIGINT)
        asked = time.monotonic()
        told = child.stdout.readline()
        took = time.monotonic() - asked
        assert told.startswith("interrupted False"), (told, child.stderr.read())
        if what[0] == "fit":
            assert told == "interrupted False True\n"
        assert took < 2.0
        if what[0] in ("fit", "cross_validate"):
            assert child.stdout.readline() == "idle True\n", child.stderr.read()
        assert child.stdout.readline() == "goes on True\n", child.stderr.read()
        assert child.wait(timeout=60) == 0


def test_callbacks() -> None:
    mdp, paths = lake()
    seen: list[revealed.Progress] = []

    def watch(step: revealed.Progress) -> bool:
        assert threading.current_thread() is threading.main_thread()
        seen.append(step)
        return step.iteration == 5

    irl = revealed.MaxEntIRL(bounds=(-10, 10)).fit(mdp, paths, callback=watch)
    assert [step.iteration for step in seen] == [1, 2, 3, 4, 5]
    assert seen[0].objective < seen[-1].objective
    assert not irl.converged_ and np.array_equal(irl.theta_, seen[-1].theta)
    again = revealed.MaxEntIRL(bounds=(-10, 10)).fit(mdp, paths, start=irl.theta_)
    assert again.converged_

    def fail(step: revealed.Progress) -> bool:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        irl.fit(mdp, paths, callback=fail)
    assert np.array_equal(irl.theta_, seen[-1].theta)


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_a_callback_may_ask_the_engine(large: bool) -> None:
    """With one thread, which waits for the callback: what the callback asks for runs on another."""
    mdp, paths = roads(3000) if large else lake()
    asked: list[float] = []

    def watch(step: revealed.Progress) -> bool:
        held_out = revealed.LogLikelihood(mdp, paths, threads=1)
        asked.append(held_out(step.theta))
        revealed.MaxEntIRL(max_iter=2, threads=1).fit(mdp, paths, callback=lambda inner: held_out(inner.theta) > 0.0)
        return len(asked) == 3

    with ThreadPoolExecutor(1) as pool:
        fit = pool.submit(revealed.MaxEntIRL(bounds=(-5, 5), threads=1).fit, mdp, paths, callback=watch)
        fit.result(timeout=60)
    assert len(asked) == 3 and asked[0] < asked[2]


def test_a_bar_is_shown_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    mdp, paths = lake()
    revealed.MaxEntIRL(bounds=(-10, 10)).fit(mdp, paths)
    assert capsys.readouterr().err == ""
    irl = revealed.MaxEntIRL(bounds=(-10, 10), progress=True).fit(*roads(20_000))
    assert "learning" in capsys.readouterr().err
    irl.fit(mdp, paths)
    irl.summary(paths)
    assert "standard errors" in capsys.readouterr().err


def test_import_is_quick_and_loads_nothing_optional() -> None:
    code = """
import sys, time
begun = time.perf_counter()
import revealed
took = time.perf_counter() - begun
revealed.MaxEntIRL, revealed.worlds.frozen_lake()
optional = ["gymnasium", "jax", "matplotlib", "minari", "networkx", "pandas", "polars", "scipy", "sklearn", "torch", "tqdm"]
print(took, [name for name in optional if name in sys.modules])
"""
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in range(5)]
    assert all(run.endswith("[]\n") for run in runs), runs
    assert min(float(run.split()[0]) for run in runs) < 0.15


def test_the_version_is_that_of_the_crates() -> None:
    root = Path(__file__).parents[2]
    assert f'version = "{revealed.__version__}"' in (root / "Cargo.toml").read_text()
