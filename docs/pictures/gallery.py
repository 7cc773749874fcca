"""Runs the scripts of the gallery, keeps what they print, and draws their results: gallery.py [NAME...].

Writes docs/gallery/printed/NAME.txt and docs/pictures/gallery/NAME.png. A script whose packages or data are missing is
skipped. Data are read from ../shared/data.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
SCRIPTS = HERE.parent / "gallery"
Names = dict[str, Any]


def weights(axis: Any, names: list[str], values: Any, errors: Any, truth: Any = None, title: str = "") -> None:
    """Estimates with their 95 % intervals, and the true values beside them."""
    at = np.arange(len(names))[::-1]
    axis.errorbar(values, at, xerr=1.96 * np.asarray(errors), fmt="o", capsize=3)
    if truth is not None:
        axis.plot(truth, at, "x", color="black", markersize=8)
    axis.axvline(0, color="grey", linewidth=0.8)
    axis.set(yticks=at, yticklabels=names, ylim=(-0.6, len(names) - 0.4), title=title)
    axis.set_xlabel("estimate and 95 % interval" + (", x: truth" if truth is not None else ""))


def windy_grid(of: Names) -> Any:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained", width_ratios=[1, 1, 1.2])
    world, irl, walks = of["world"], of["irl"], of["walks"]
    world.plot(demonstrations=walks, ax=left, title="200 walks, blown down by the wind")
    irl.plot("reward", ax=middle, title="learned reward")
    table = irl.summary(walks).to_frame()
    weights(right, list(table.index), table["estimate"], table["std_err"], [2.0, -3.0, 4.0], "weights")
    return figure


def cliff_with_weights(of: Names) -> Any:
    figure, (above, below) = plt.subplots(2, 1, figsize=(7, 4.6), layout="constrained")
    of["cliff"].plot(demonstrations=[*of["hasty"], *of["careful"]], ax=above, title="ten hasty walks, ten careful ones")
    of["irl"].plot("reward", ax=below, labels="values", title="learned reward: the careful count three times")
    return figure


def labelled_frame(of: Names) -> Any:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 2.6), layout="constrained")
    table = of["irl"].summary(of["log"]).to_frame()
    weights(left, list(table.index), table["estimate"], table["std_err"], None, "what foxes are after")
    policy = of["world"].to_frame(of["irl"].policy()).iloc[0]
    right.bar(list(policy.index), policy.to_numpy())
    right.set(title="where they go next, from the den", ylabel="probability")
    return figure


def flax_reward(of: Names) -> Any:
    figure, (left, right) = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
    lake, reward = of["lake"], np.asarray(of["net"].apply(of["weights"], of["places"])[:, 0], dtype=float)
    lake.plot(
        lake.reward(lake.true_theta), ax=left, title="true reward", labels="values", limits=(-1, 1), cmap="RdBu", colorbar=False
    )
    lake.plot(reward.round(1), ax=right, title="reward of the network", labels="values", colorbar=False)
    return figure


def cartpole(of: Names) -> Any:
    figure, axis = plt.subplots(figsize=(6, 2.2), layout="constrained")
    irl = of["irl"]
    table = irl.summary().to_frame()
    weights(axis, list(table.index), table["estimate"], table["std_err"], None, "what balancing costs, from rollouts alone")
    return figure


def transfer(of: Names) -> Any:
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    here, there, irl = of["here"], of["there"], of["irl"]
    here.plot(demonstrations=here.rollouts(here.plan().policy, 100, seed=1), ax=axes[0], title="demonstrations, here")
    here.plot(irl.reward_, ax=axes[1], title="learned reward, here", colorbar=False)
    plan = there.plan(irl.theta_)
    there.plot(demonstrations=there.rollouts(plan.policy, 100, seed=1), ax=axes[2], title="what it leads to, there")
    return figure


def many_states(of: Names) -> Any:
    figure, axis = plt.subplots(figsize=(4.6, 3.6), layout="constrained")
    visits = of["irl"].marginals().reshape(of["side"], of["side"])[:101, :101]
    drawn = axis.imshow(np.log10(np.maximum(visits, 1e-12)), vmin=-6, vmax=0, cmap="viridis")
    figure.colorbar(drawn, ax=axis, label="log10 of the expected visits")
    axis.set(title="the first 101 x 101 of 100,489 states", xticks=[0, 50, 100], yticks=[0, 50, 100])
    return figure


def minigrid_and_tuples(of: Names) -> Any:
    """DoorKey as its package draws it, and the expected visits to its cells under the learned reward."""
    import gymnasium
    import revealed

    env = gymnasium.make("MiniGrid-DoorKey-5x5-v0", render_mode="rgb_array")
    world = revealed.Mdp.from_env(env, resets=1, discount=0.95)
    irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.1)
    irl.fit(world, world.rollouts(world.plan().policy, 30, seed=1))
    env.reset(seed=0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    left.imshow(env.render())
    left.set(title="DoorKey, one of its layouts", xticks=[], yticks=[])
    reward = np.sort(irl.reward_)[::-1]
    right.plot(reward, drawstyle="steps-mid")
    right.set(title=f"learned reward of its {world.n_states} states, sorted", xlabel="state", ylabel="reward")
    return figure


def taxi_with_masks(of: Names) -> Any:
    figure, axis = plt.subplots(figsize=(6, 2.2), layout="constrained")
    table = of["irl"].summary(of["episodes"]).to_frame()
    weights(axis, list(table.index), table["estimate"], table["std_err"], None, "the reward of an action")
    return figure


def history(of: Names) -> Any:
    figure, axis = plt.subplots(figsize=(6, 2.2), layout="constrained")
    table = of["irl"].summary(of["paths"]).to_frame()
    weights(axis, list(table.index), table["estimate"], table["std_err"], None, "what a step is worth to those who remember")
    return figure


def wikispeedia(of: Names) -> Any:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    table = of["summary"].to_frame()
    weights(left, list(table.index), table["estimate"], table["std_err"], None, "what a click is worth")
    web, ends = of["web"], ("Asteroid", "Viking")
    visits = of["irl"].marginals(start=ends[0], to=ends[1])
    visits[[web.index(end) for end in ends]] = 0.0
    top = np.argsort(visits)[-8:]
    right.barh([web.labels[page].replace("_", " ") for page in top], visits[top])
    right.set(title="on the way from Asteroid to Viking", xlabel="expected visits in a game")
    return figure


FIGURES: dict[str, Callable[[Names], Any]] = {
    function.__name__: function
    for function in (
        windy_grid,
        taxi_with_masks,
        cliff_with_weights,
        labelled_frame,
        flax_reward,
        cartpole,
        transfer,
        many_states,
        minigrid_and_tuples,
        history,
        wikispeedia,
    )
}


def main(chosen: list[str]) -> None:
    warnings.simplefilter("ignore")
    os.environ.setdefault("WIKISPEEDIA", str(HERE.parents[2] / "shared" / "data" / "wikispeedia"))
    (HERE / "gallery").mkdir(exist_ok=True)
    (SCRIPTS / "printed").mkdir(exist_ok=True)
    for script in sorted(SCRIPTS.glob("*.py")):
        name, printed = script.stem, io.StringIO()
        if chosen and name not in chosen:
            continue
        try:
            with contextlib.redirect_stdout(printed):
                names = runpy.run_path(str(script), run_name="__main__")
        except (ModuleNotFoundError, FileNotFoundError) as missing:
            print(f"{name}: skipped, {missing}")
            continue
        (SCRIPTS / "printed" / f"{name}.txt").write_text(printed.getvalue())
        if name in FIGURES:
            figure = FIGURES[name](names)
            figure.savefig(HERE / "gallery" / f"{name}.png", dpi=80)
            plt.close(figure)
        print(name)


if __name__ == "__main__":
    plt.switch_backend("Agg")
    main(sys.argv[1:])
