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
from walks import uniform_policy


def small_lake() -> tuple[revealed.Mdp, revealed.Trajectories]:
    mdp = revealed.worlds.frozen_lake("4x4", discount=0.99)
    return mdp, mdp.rollouts(mdp.plan().policy, 50, seed=1)


def roads(n_states: int, n_demonstrations: int = 20) -> tuple[revealed.Mdp, revealed.Trajectories]:
    """A network that is large enough to be worked on by several threads."""
    mdp = revealed.worlds.road_like(n_states, 2 * n_states, seed=3)
    return mdp, mdp.rollouts(uniform_policy(mdp), n_demonstrations, max_states=60, seed=1)


def test_two_threads_fit_at_once() -> None:
    worlds = [small_lake(), roads(3000)]
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
    """The GIL is released: a Python thread counts while a fit runs."""
    mdp, paths = roads(20_000)
    counted, running = 0, True

    def count() -> None:
        nonlocal counted
        while running:
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    revealed.MaxEntIRL(bounds=(-5, 5), max_iter=20, threads=1).fit(mdp, paths)
    during = counted - before
    running = False
    thread.join()
    # A thread that waits for the GIL would count a few times at most, before the fit and after it.
    assert during > 20


def fit_in_child(world: tuple[revealed.Mdp, revealed.Trajectories]) -> bytes:
    return revealed.MaxEntIRL(bounds=(-5, 5), max_iter=5).fit(*world).theta_.tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_a_fork_survives(large: bool) -> None:
    """The parent has used its threads, which the child does not have."""
    world = roads(3000) if large else small_lake()
    begun = time.monotonic()
    expected = fit_in_child(world)
    took = time.monotonic() - begun
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
    begun = time.monotonic()
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() - begun > 10_000 * took:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs: its work took the parent a ten-thousandth of the time")
        time.sleep(0.01)
    assert os.read(reader, 10) == b"same"
    os.close(reader)
    assert fit_in_child(world) == expected


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_worlds_go_to_other_processes(method: str) -> None:
    world = small_lake()
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(fit_in_child, [world, world]) == [fit_in_child(world)] * 2


def test_pickles() -> None:
    mdp, paths = small_lake()
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
from walks import uniform_policy

mdp = revealed.worlds.road_like(60_000, 110_000, seed=3)
paths = mdp.rollouts(uniform_policy(mdp), 20, max_states=400, seed=1)
irl = revealed.MaxEntIRL(horizon=400)
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
    # The work ends within a step of a pass, and then the process is idle. Work that is not stopped goes on for minutes.
    asked, share = time.monotonic(), 1.0
    while share > 0.5 and time.monotonic() - asked < 10.0:
        before = time.process_time(), time.monotonic()
        time.sleep(0.1)
        share = (time.process_time() - before[0]) / (time.monotonic() - before[1])
    print("idle", share <= 0.5, flush=True)
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
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as child:
        assert child.stdout is not None and child.stderr is not None
        assert child.stdout.readline() == "begun\n", child.stderr.read()
        begun = time.monotonic()
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
        # At once: in less time than it had worked, which is a small part of all the work.
        assert took < asked - begun
        assert child.stdout.readline() == "idle True\n", child.stderr.read()
        assert child.stdout.readline() == "goes on True\n", child.stderr.read()
        assert child.wait() == 0


def n_threads() -> int:
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads of a process of Linux")
def test_threads_that_are_not_needed_end() -> None:
    """A pool for every number of threads would be 2,080 of them."""
    mdp, paths = roads(3000)
    likelihoods = [revealed.LogLikelihood(mdp, paths, threads=threads) for threads in range(1, 65)]
    theta = np.full(mdp.n_features, -1e-3)
    before = n_threads()
    values = {likelihood(theta) for likelihood in likelihoods}
    assert len(values) == 1
    begun = time.monotonic()
    # Those of the last number, and at most as many again that are about to end.
    while n_threads() > before + 64 and time.monotonic() - begun < 30.0:
        time.sleep(0.01)
    assert n_threads() <= before + 64
    # A pool in use is not ended by a caller that needs another.
    asked: list[float] = []

    def watch(step: revealed.Progress) -> bool:
        asked.extend(likelihood(step.theta) for likelihood in likelihoods[:3])
        return len(asked) == 9

    revealed.MaxEntIRL(bounds=(-5, 5), threads=2).fit(mdp, paths, callback=watch)
    assert len(asked) == 9 and asked[0] == asked[2] < asked[8]


FEW_THREADS = """
import os
import pathlib
import resource
import time
import numpy as np
import revealed

mdp = revealed.worlds.road_like(3000, 6000, seed=3)
path = mdp.rollouts(mdp.plan(discount=0.9).policy, 2, max_states=30, seed=1)
# Everything is imported before the user changes, who may not read the files.
revealed.LogLikelihood(mdp, path, threads=1)(np.full(mdp.n_features, -1e-3))
if os.geteuid() == 0:
    os.setuid(65534)  # root has no limit
mine = (folder for folder in pathlib.Path("/proc").glob("[0-9]*/task") if folder.stat().st_uid == os.getuid())
most = sum(len(os.listdir(folder)) for folder in mine) + 200
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
try:
    revealed.LogLikelihood(mdp, path, threads=1000)(np.full(mdp.n_features, -1e-3))
except RuntimeError as error:
    print(error)
# Those that were started take a moment to end.
before = time.monotonic()
while len(os.listdir("/proc/self/task")) > 10 and time.monotonic() < before + 20:
    time.sleep(0.01)
print(np.isfinite(revealed.LogLikelihood(mdp, path, threads=1)(np.full(mdp.n_features, -1e-3))))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads as Linux does")
def test_threads_that_cannot_be_had_are_an_error() -> None:
    """A user who may have two hundred more threads asks for a thousand."""
    done = subprocess.run([sys.executable, "-c", FEW_THREADS], capture_output=True, text=True, check=True)
    told, finite = done.stdout.splitlines()
    assert "cannot start 1000 threads" in told and "threads=1" in told
    assert finite == "True"


def test_callbacks() -> None:
    mdp, paths = small_lake()
    seen: list[revealed.Progress] = []

    def watch(step: revealed.Progress) -> bool:
        assert threading.current_thread() is threading.main_thread()
        seen.append(step)
        return step.iteration == 5

    irl = revealed.MaxEntIRL(bounds=(-10, 10)).fit(mdp, paths, callback=watch)
    assert [step.iteration for step in seen] == [1, 2, 3, 4, 5]
    assert seen[0].objective < seen[-1].objective
    assert not irl.converged_ and np.array_equal(irl.theta_, seen[-1].theta)
    again = revealed.MaxEntIRL(bounds=(-10, 10)).fit(mdp, paths, theta0=irl.theta_)
    assert again.converged_

    def fail(step: revealed.Progress) -> bool:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        irl.fit(mdp, paths, callback=fail)
    assert np.array_equal(irl.theta_, seen[-1].theta)


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_a_callback_may_ask_the_engine(large: bool) -> None:
    """With one thread, which waits for the callback: what the callback asks for runs on another."""
    mdp, paths = roads(3000) if large else small_lake()
    asked: list[float] = []

    def watch(step: revealed.Progress) -> bool:
        held_out = revealed.LogLikelihood(mdp, paths, threads=1)
        asked.append(held_out(step.theta))
        revealed.MaxEntIRL(max_iter=2, threads=1).fit(mdp, paths, callback=lambda inner: held_out(inner.theta) > 0.0)
        return len(asked) == 3

    with ThreadPoolExecutor(1) as pool:
        fit = pool.submit(revealed.MaxEntIRL(bounds=(-5, 5), threads=1).fit, mdp, paths, callback=watch)
        fit.result()
    assert len(asked) == 3 and asked[0] < asked[2]


def test_a_bar_is_shown_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    mdp, paths = small_lake()
    revealed.MaxEntIRL(bounds=(-10, 10)).fit(mdp, paths)
    assert capsys.readouterr().err == ""
    irl = revealed.MaxEntIRL(bounds=(-10, 10), progress=True).fit(*roads(20_000))
    assert "learning" in capsys.readouterr().err
    irl.fit(mdp, paths)
    irl.summary(paths)
    assert "standard errors" in capsys.readouterr().err


def test_import_loads_nothing_but_the_package_itself() -> None:
    """`import revealed` is quick because it loads no other module: numpy alone takes a tenth of a second."""
    code = """
import sys
before = set(sys.modules)
import revealed
loaded = {name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names
print(sorted(name for name in sys.modules if name.startswith("revealed")), sorted(loaded))
revealed.MaxEntIRL, revealed.worlds.frozen_lake()
optional = ["gymnasium", "jax", "matplotlib", "minari", "networkx", "pandas", "polars", "scipy", "sklearn", "torch", "tqdm"]
print([name for name in optional if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['revealed'] ['revealed']", "[]"]


def test_the_version_is_that_of_the_crates() -> None:
    root = Path(__file__).parents[2]
    assert f'version = "{revealed.__version__}"' in (root / "Cargo.toml").read_text()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-"])
@pytest.mark.parametrize("progress", [None, True])
def test_a_failing_stderr_does_not_stop_the_work(redirected: str, progress: bool | None) -> None:
    code = f"""
import revealed
mdp = revealed.worlds.road_like(3000, 6000, seed=3)
paths = mdp.rollouts(mdp.plan(discount=0.9).policy, 2, max_states=30, seed=1)
print(len(revealed.MaxEntIRL(bounds=(-5, 5), max_iter=5, progress={progress}).fit(mdp, paths).theta_) > 0)
"""
    line = f"exec {sys.executable} -W ignore -c '{code}' {redirected}"
    done = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (0, "True\n")
