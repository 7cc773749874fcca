"""Worlds on a Ray cluster of three nodes on this machine: the same bits as one process, whatever is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed
from binary import Revealed
from revealed import engines
from towns import towns

ray = pytest.importorskip("ray", reason="ray is not installed: pip install ray, where it can be had")
from ray.cluster_utils import Cluster  # noqa: E402
from revealed.ray import RayEngine  # noqa: E402

GOAL: dict[str, Any] = {"ends": "goal", "inference": "recursive-logit"}
GROUPS = 2
# A node that is lost is noticed after some seconds, and not after half a minute.
QUICK = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_failure_threshold": 4}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head without CPUs, and three nodes with one each."""
    os.environ["RAY_AUTH_MODE"] = "disabled"
    store = {"object_store_memory": 80 * 1024 * 1024}
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": QUICK, **store}
    try:
        made = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(3):
            made.add_node(num_cpus=1, **store)
        made.connect()
        made.wait_for_nodes()
    except Exception as error:
        pytest.skip(f"Ray does not start here, which needs shared memory and ports: {error}")
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def worlds() -> list:
    return towns(5)


@pytest.fixture(scope="module")
def alone(worlds: list) -> revealed.MaxEntIRL:
    """The same parts in this process."""
    with engines.ThreadEngine(1) as engine:
        irl = revealed.MaxEntIRL(**GOAL, standard_errors=True)
        return irl.fit(worlds, engine=engine, groups=GROUPS)


def same(one: revealed.MaxEntIRL, other: revealed.MaxEntIRL) -> None:
    assert one.theta_.tobytes() == other.theta_.tobytes()
    assert one.n_evaluations_ == other.n_evaluations_ and one.log_likelihood_ == other.log_likelihood_


def fitted(engine: RayEngine, worlds: list, during: Callable[[], None] | None = None, at: int = 2) -> revealed.MaxEntIRL:
    """A fit on the cluster, with a mishap after an iteration."""
    done = []

    def mishap(progress: revealed.Progress) -> None:
        if during is not None and progress.iteration >= at and not done:
            done.append(True)
            during()

    irl = revealed.MaxEntIRL(**GOAL).fit(worlds, engine=engine, groups=GROUPS, callback=mishap)
    assert bool(done) == (during is not None)
    return irl


@pytest.fixture(scope="module")
def engine(cluster: Cluster) -> Iterator[RayEngine]:
    with RayEngine() as engine:
        yield engine


def test_three_nodes_have_the_bits_of_one_process(engine: RayEngine, worlds: list, alone: revealed.MaxEntIRL) -> None:
    irl = revealed.MaxEntIRL(**GOAL, standard_errors=True).fit(worlds, engine=engine, groups=GROUPS)
    assert len(set(ray.get([hand.actor.where.remote() for hand in engine._hands]))) == 3
    same(alone, irl)
    assert np.array_equal(irl.summary_.standard_errors, alone.summary_.standard_errors)

    def times_square(shared: int, item: int) -> int:
        return shared * item**2

    assert engine.map(times_square, range(5), shared=3) == [0, 3, 12, 27, 48]


def test_a_worker_that_is_killed_is_replaced(engine: RayEngine, worlds: list, alone: revealed.MaxEntIRL) -> None:
    before = engine.replaced

    def kill() -> None:
        os.kill(ray.get(engine._hands[1].actor.ping.remote()), signal.SIGKILL)

    same(alone, fitted(engine, worlds, kill))
    assert engine.replaced == before + 1


def test_the_parts_of_a_straggler_are_divided(engine: RayEngine, worlds: list, alone: revealed.MaxEntIRL) -> None:
    before = engine.divided
    stopped = []

    def stop() -> None:
        stopped.append(ray.get(engine._hands[0].actor.ping.remote()))
        os.kill(stopped[0], signal.SIGSTOP)

    def go_on(progress: revealed.Progress) -> None:
        # One round shows it, and others would wait as long.
        if engine.divided > before:
            os.kill(stopped[0], signal.SIGCONT)

    try:
        irl = revealed.MaxEntIRL(**GOAL)
        irl.fit(worlds, engine=engine, groups=GROUPS, callback=lambda step: stop() if step.iteration == 4 else go_on(step))
        same(alone, irl)
        assert engine.divided > before
    finally:
        os.kill(stopped[0], signal.SIGCONT)


def test_a_worker_without_the_package_is_named(cluster: Cluster, worlds: list, tmp_path: Path) -> None:
    broken = tmp_path / "revealed" / "__init__.py"
    broken.parent.mkdir()
    broken.write_text("raise ModuleNotFoundError(\"No module named 'revealed'\", name='revealed')\n")
    environment = {"env_vars": {"PYTHONPATH": str(tmp_path)}}
    with RayEngine(runtime_env=environment) as engine, pytest.raises(engines.EngineError, match="no package revealed: install"):
        fitted(engine, worlds)


def test_the_command_line_learns_on_the_cluster(
    cluster: Cluster, worlds: list, alone: revealed.MaxEntIRL, tmp_path: Path, command: Revealed
) -> None:
    files = []
    for number, (world, paths) in enumerate(worlds):
        world.save(tmp_path / f"{number}.npz")
        paths.save(tmp_path / f"{number}.npz.jsonl")
        files += [f"{number}.npz", f"{number}.npz.jsonl"]
    flags = ["--inference", "recursive-logit", "--engine", "ray", "--address", cluster.address, "--groups", str(GROUPS)]
    environment = os.environ | {"REVEALED_PYTHON": sys.executable}
    line = [str(command.path), "learn", *files, "-o", "model.json", "--json", *flags]
    ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["theta"] == alone.theta_.tolist()


def lose(cluster: Cluster, engine: RayEngine, nodes: list[str]) -> None:
    """Ends nodes as a loss of power does, and waits for the end of the workers there."""
    places = ray.get([hand.actor.where.remote() for hand in engine._hands])
    processes = ray.get([hand.actor.ping.remote() for hand in engine._hands])
    for node in [node for node in cluster.worker_nodes if node.node_id in nodes]:
        cluster.remove_node(node, allow_graceful=False)
    # Processes see a little later that their node is gone, and a small fit would be done before.
    lost = [Path(f"/proc/{process}") for place, process in zip(places, processes) if place in nodes]
    until = time.monotonic() + 60
    while any(process.exists() for process in lost) and time.monotonic() < until:
        time.sleep(0.1)


def test_a_node_that_is_lost_is_replaced(cluster: Cluster, engine: RayEngine, worlds: list, alone: revealed.MaxEntIRL) -> None:
    before = engine.replaced

    def lose_one() -> None:
        lose(cluster, engine, [ray.get(engine._hands[0].actor.where.remote())])

    same(alone, fitted(engine, worlds, lose_one))
    assert engine.replaced > before and len(cluster.worker_nodes) == 2


def test_a_cluster_that_is_gone_keeps_what_was_learned(
    cluster: Cluster, engine: RayEngine, worlds: list, alone: revealed.MaxEntIRL
) -> None:
    irl = revealed.MaxEntIRL(**GOAL)
    reached: list[Any] = []
    engine._patience = 1.0

    def gone(progress: revealed.Progress) -> None:
        reached.append(progress.theta)
        if progress.iteration == 3:
            lose(cluster, engine, [node.node_id for node in cluster.worker_nodes])

    with pytest.raises(engines.EngineError, match="no node of the Ray cluster has taken a worker for 1 s"):
        irl.fit(worlds, engine=engine, groups=GROUPS, callback=gone)
    assert np.array_equal(irl.partial_theta_, reached[-1])
    again = revealed.MaxEntIRL(**GOAL).fit(worlds, theta0=irl.partial_theta_)
    assert np.allclose(again.theta_, alone.theta_, atol=1e-5)
