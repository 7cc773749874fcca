"""Pictures have the artists that they should have, and errors say what cannot be drawn."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import revealed
from matplotlib.collections import EllipseCollection, LineCollection, PolyCollection
from matplotlib.colors import LogNorm
from matplotlib.quiver import Quiver
from revealed.drawing.cells import directions
from revealed.drawing.layout import layout_of


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def of_kind(ax: Any, kind: Any) -> list[Any]:
    return [artist for artist in ax.get_children() if isinstance(artist, kind)]


def drawn(ax: Any) -> Any:
    """Drawing must not fail, either."""
    ax.figure.canvas.draw()
    return ax


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_import_revealed_does_not_import_matplotlib() -> None:
    code = "import sys, revealed; revealed.Mdp, revealed.MaxEntIRL, revealed.worlds; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_error_says_what_to_install(lake: revealed.Mdp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'revealed\[plot\]'"):
        lake.plot()


def test_the_image_of_a_grid_has_the_values_in_its_order(irl: revealed.MaxEntIRL) -> None:
    ax = drawn(irl.plot("reward"))
    (image,) = ax.images
    np.testing.assert_array_equal(np.asarray(image.get_array()), irl.reward_.reshape(4, 4))
    assert image.get_cmap().name == "RdBu"
    assert image.norm.vmin == -image.norm.vmax == -10.0
    assert sorted(words(ax)) == ["G", "H", "H", "H", "H", "S"]
    # Row 0 is at the top, and so is its letter.
    start = next(text for text in ax.texts if text.get_text() == "S")
    assert start.get_position()[1] < 0.0 and ax.yaxis_inverted()


def test_one_sign_is_sequential_and_limits_hold(lake: revealed.Mdp) -> None:
    values = np.arange(16.0)
    assert lake.plot(values).images[0].get_cmap().name == "viridis"
    assert lake.plot(values - 0.1).images[0].get_cmap().name == "viridis", "a little below 0 is not worth half of the colours"
    image = lake.plot(values, limits=(-20, 10)).images[0]
    assert (image.norm.vmin, image.norm.vmax, image.get_cmap().name) == (-20.0, 20.0, "RdBu")
    assert lake.plot(values, cmap="cividis").images[0].get_cmap().name == "cividis"
    assert isinstance(lake.plot(values + 1, norm=LogNorm()).images[0].norm, LogNorm)
    with pytest.raises(ValueError, match="limits and norm are both given"):
        lake.plot(values, limits=(0, 1), norm=LogNorm())
    with pytest.raises(ValueError, match=r"limits is \(1, 1\)"):
        lake.plot(values, limits=(1, 1))


def test_what_has_no_value_is_grey_and_not_part_of_the_scale(lake: revealed.Mdp) -> None:
    values = np.arange(16.0)
    values[[3, 7]] = -np.inf, np.nan
    ax = drawn(lake.plot(values))
    assert np.isnan(np.asarray(ax.images[0].get_array(), dtype=float)).sum() == 2
    assert (ax.images[0].norm.vmin, ax.images[0].norm.vmax) == (0.0, 15.0)
    (grey,) = of_kind(ax, PolyCollection)
    assert len(grey.get_paths()) == 2


def test_an_arrow_for_each_likely_action(lake: revealed.Mdp) -> None:
    certain = lake.plan().policy
    (quiver,) = of_kind(drawn(lake.plot(policy=certain)), Quiver)
    assert quiver.N == 11  # every state that is not terminal
    even = np.where(certain.sum(axis=1, keepdims=True) > 0, 0.25, 0.0) * np.ones((16, 4))
    (quiver,) = of_kind(lake.plot(policy=even), Quiver)
    assert quiver.N == 44
    tilted = np.tile([0.7, 0.3, 0.0, 0.0], (16, 1)) * (certain.sum(axis=1, keepdims=True) > 0)
    (quiver,) = of_kind(lake.plot(policy=tilted), Quiver)
    length = np.hypot(quiver.U, quiver.V)
    assert quiver.N == 22 and length.max() / length.min() == pytest.approx(np.sqrt(7 / 3))


def test_actions_point_where_they_lead_even_on_ice(lake: revealed.Mdp) -> None:
    assert directions(lake, layout_of(lake)).tolist() == [[-1, 0], [0, 1], [1, 0], [0, -1]]
    cliff = revealed.worlds.cliff_walking()
    assert directions(cliff, layout_of(cliff)).tolist() == [[0, -1], [1, 0], [0, 1], [-1, 0]]
    taxi = revealed.worlds.taxi()
    assert directions(taxi, layout_of(taxi)).tolist() == [[0, 1], [0, -1], [1, 0], [-1, 0], [0, 0], [0, 0]]


def test_a_line_for_each_different_demonstration(lake: revealed.Mdp) -> None:
    often, once = [(0, 2), (1, 2), (2, None)], [(0, 1), (4, None)]
    ax = drawn(lake.plot(demonstrations=[often] * 5 + [once]))
    lines = next(lines for lines in of_kind(ax, LineCollection) if lines.get_label() == "demonstrations")
    assert [len(segment) for segment in lines.get_segments()] == [3, 2]
    assert lines.get_linewidth()[0] > lines.get_linewidth()[1]
    with pytest.raises(ValueError, match="demonstrations visits state 99"):
        lake.plot(demonstrations=[[(0, 2), (99, None)]])


@pytest.mark.parametrize("form", ["path", "paths", "pairs", "states"])
def test_a_path_is_taken_in_any_form(lake: revealed.Mdp, irl: revealed.MaxEntIRL, form: str) -> None:
    found = irl.predict_path(0, 15)
    path = {"path": found, "paths": [found], "pairs": found.pairs(), "states": found.states}[form]
    line = drawn(lake.plot(path=path)).lines[0]
    np.testing.assert_array_equal(line.get_xdata() + 4 * line.get_ydata(), found.states)
    with pytest.raises(ValueError, match="path is 'nowhere'|no such state"):
        lake.plot(path=["nowhere"])


def test_a_chain_has_a_node_for_each_state_and_an_arc_for_each_pair() -> None:
    chain = revealed.worlds.n_chain(5)
    ax = drawn(chain.plot(np.arange(5.0), policy=chain.plan(discount=0.9).policy))
    source, _, target, _ = chain.transitions
    (nodes,) = of_kind(ax, EllipseCollection)
    np.testing.assert_array_equal(np.asarray(nodes.get_array()), np.arange(5.0))
    (arcs,) = of_kind(ax, LineCollection)
    assert len(arcs.get_segments()) == len(set(zip(source.tolist(), target.tolist())))
    assert sorted(words(ax)) == ["1", "2", "3", "4", "S"]


def test_rewards_of_choices_are_parts_of_cells() -> None:
    cliff = revealed.worlds.cliff_walking()
    reward = cliff.transition_reward(cliff.true_theta)
    ax = drawn(cliff.plot(reward))
    parts = max(of_kind(ax, PolyCollection), key=lambda parts: len(parts.get_paths()))
    assert len(parts.get_paths()) == 188  # (47 states that are not terminal) x 4
    assert sorted(set(np.asarray(parts.get_array()).tolist())) == [-100.0, -1.0]
    table = np.zeros((48, 4))
    table[47] = 5.0  # offers no action
    parts = max(of_kind(cliff.plot(table), PolyCollection), key=lambda parts: len(parts.get_paths()))
    assert len(parts.get_paths()) == 188 and not np.asarray(parts.get_array()).any()


def test_taxi_is_twenty_small_grids() -> None:
    taxi = revealed.worlds.taxi(discount=0.99)
    plan = taxi.plan()
    ax = drawn(taxi.plot(plan.value, policy=plan.policy))
    table = np.asarray(ax.images[0].get_array(), dtype=float)
    assert table.shape == (23, 29) and np.isfinite(table).sum() == 500
    x, y = (axis.astype(int) for axis in taxi.points)  # type: ignore[union-attr]
    np.testing.assert_array_equal(table[y, x], plan.value)


def test_a_road_network_is_one_collection_with_a_line_for_each_transition() -> None:
    roads = revealed.worlds.road_like(5000, 9000)
    ax = drawn(roads.plot(roads.reward(roads.true_theta), label="reward"))
    (lines,) = of_kind(ax, LineCollection)
    # The time goes by the number of artists: a network of twice the size has no more of them.
    twice = revealed.worlds.road_like(10_000, 18_000)
    assert len(ax.get_children()) == len(twice.plot(twice.reward(twice.true_theta), label="reward").get_children())
    assert len(lines.get_segments()) == roads.n_transitions == 9000
    assert not of_kind(ax, EllipseCollection), "nodes would hide the lines"
    source, _, target, _ = roads.transitions
    reward = roads.reward(roads.true_theta)
    order = np.lexsort((target, source))
    np.testing.assert_allclose(lines.get_array(), (0.5 * (reward[source] + reward[target]))[order])
    along = np.arange(9000.0)
    (lines,) = of_kind(roads.plot(along), LineCollection)
    np.testing.assert_array_equal(np.asarray(lines.get_array()), along[order])


def test_walked_roads_are_wider() -> None:
    rows = [0, 0, 1, 2], [0, 1, 0, 0], [1, 2, 3, 3], np.ones(4)
    square = revealed.Mdp(4, 2, transitions=rows, start=0, terminal=[3], points=([0, 1, 0, 1.5], [0, 0, 1, 1]))
    over, under = [(0, 0), (1, 0), (3, None)], [(0, 1), (2, 0), (3, None)]
    ax = drawn(square.plot(demonstrations=[over] * 9 + [under], path=over))
    bands = next(lines for lines in of_kind(ax, LineCollection) if lines.get_label() == "demonstrations")
    widths = 0.8 + 5.5 * np.sqrt(np.array([9, 1, 9, 1]) / 9)  # of 0-1, 0-2, 1-3, 2-3
    np.testing.assert_allclose(bands.get_linewidth(), widths)


def test_visits_over_time_share_a_scale(irl: revealed.MaxEntIRL) -> None:
    axes = irl.plot_visits_over_time([1, 2, 5])
    for ax, t in zip(axes, (1, 2, 5)):
        drawn(ax)
        np.testing.assert_array_equal(np.asarray(ax.images[0].get_array()).ravel(), irl.marginals(t))
        assert ax.get_title().startswith(f"t = {t}, ")
    assert len({(ax.images[0].norm.vmin, ax.images[0].norm.vmax) for ax in axes}) == 1
    assert [len(ax.child_axes) for ax in axes] == [0, 0, 1], "one colour bar, at the end"
    six = irl.plot_visits_over_time(range(1, 7))
    assert len(six) == 6 and [len(ax.child_axes) for ax in six] == [0, 0, 1, 0, 0, 1]
    assert 1 < len(irl.plot_visits_over_time()) <= 8
    with pytest.raises(ValueError, match="ts is empty"):
        irl.plot_visits_over_time([])


def test_what_was_learned(irl: revealed.MaxEntIRL, paths: revealed.Trajectories) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    assert irl.plot("value", ax=left, title="here") is left and left.get_title() == "here"
    np.testing.assert_array_equal(np.asarray(left.images[0].get_array()).ravel(), irl.value())
    irl.plot("visits", t=3, ax=right, demonstrations=paths)
    np.testing.assert_array_equal(np.asarray(right.images[0].get_array()).ravel(), irl.marginals(3))
    assert of_kind(irl.plot("policy"), Quiver)
    figure.canvas.draw()
    with pytest.raises(ValueError, match="what is 'rewards'"):
        irl.plot("rewards")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="without t"):
        irl.plot("reward", t=3)
    with pytest.raises(revealed.NotFittedError):
        revealed.MaxEntIRL().plot()


def test_worlds_without_places() -> None:
    def ring(n: int) -> revealed.Mdp:
        return revealed.Mdp(n, 1, transitions=(np.arange(n), np.zeros(n), (np.arange(n) + 1) % n, np.ones(n)), start=0)

    (nodes,) = of_kind(drawn(ring(50).plot(np.ones(50))), EllipseCollection)
    assert len(nodes.get_offsets()) == 50
    with pytest.raises(ValueError, match=r"51 states have no places.*grid=\(rows, columns\) or points=\(x, y\)"):
        ring(51).plot()
    with pytest.raises(ValueError, match="style is 'network', but states have no places"):
        ring(3).plot(style="network")
    with pytest.raises(ValueError, match="style is 'map'"):
        ring(3).plot(style="map")  # type: ignore[arg-type]
    drawn(revealed.Mdp(1, 1, transitions=([], [], [], []), start=0, terminal=[0]).plot(labels=True))


def test_labels(lake: revealed.Mdp) -> None:
    assert "13" in words(lake.plot(labels=True))
    assert words(lake.plot(np.full(16, 12.0), labels="values")).count("12") == 16
    named = [f"<{state}>" for state in range(16)]
    assert "<5>" in words(drawn(lake.plot(labels=named)))
    with pytest.raises(ValueError, match="labels has 3 entries"):
        lake.plot(labels=["a", "b", "c"])
    with pytest.raises(ValueError, match="labels is 'values'"):
        lake.plot(labels="values")


@pytest.mark.parametrize(("name", "value"), [("values", np.ones(5)), ("policy", np.ones((16, 3)))])
def test_wrong_shapes_are_refused(lake: revealed.Mdp, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} has shape"):
        lake.plot(**{name: value})
    with pytest.raises(TypeError, match=f"{name} has dtype"):
        lake.plot(**{name: np.full(np.shape(value), "a")})


def test_cards_escape_what_users_wrote(lake: revealed.Mdp, irl: revealed.MaxEntIRL, paths: revealed.Trajectories) -> None:
    wicked = "<script>alert(1)</script>"
    world = lake.with_features(revealed.Features(state=np.eye(16)[:, :2], names=[wicked, "b"]))
    fitted = revealed.MaxEntIRL(l2=0.1).fit(world, paths)
    frame = paths.to_frame().assign(id=wicked + paths.to_frame()["id"].astype(str))
    for thing in (world, fitted, revealed.Trajectories(frame), revealed.MaxEntIRL(ends=wicked)):  # type: ignore[arg-type]
        card = thing._repr_html_()
        assert wicked not in card and "&lt;script&gt;" in card
    assert "0 smaller" not in fitted._repr_html_()
    card = irl._repr_html_()
    assert f"{irl.log_likelihood_:.6g}" in card and "converged" in card and "8 smaller weights" in card
    assert "not yet" in revealed.MaxEntIRL()._repr_html_()
    assert "grid of 4 × 4" in lake._repr_html_()
    assert "50" in paths._repr_html_() and "→" in paths._repr_html_()
