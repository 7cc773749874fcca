"""Links, leftovers and odd files: the same as on the command line, as Python's errors."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import revealed


def lake() -> revealed.Mdp:
    return revealed.worlds.frozen_lake("4x4", discount=0.9)


def paths(mdp: revealed.Mdp) -> revealed.Trajectories:
    return mdp.rollouts(mdp.plan(temperature=1.0).policy, 5, max_states=9, seed=1)


def test_an_output_link_is_followed_if_it_leads_somewhere(tmp_path: Path) -> None:
    mdp = lake()
    model = revealed.MaxEntIRL.from_theta(mdp, np.zeros(mdp.n_features), horizon=5)
    for name, save in (("mdp.npz", mdp.save), ("paths.jsonl", paths(mdp).save), ("model.json", model.save)):
        link, target = tmp_path / name, tmp_path / f"far-{name}"
        link.symlink_to(target)
        with pytest.raises(OSError, match=r"is a link to .*, which does not exist: create that file, or remove the link"):
            save(link)
        assert not target.exists()
        target.write_text("old")
        save(link)
        assert link.is_symlink() and target.read_bytes()[:3] != b"old"


def test_what_dead_runs_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".revealed-abc.part").write_text("half a file")
    (tmp_path / ".revealed-note.txt").write_text("of the user")
    lake().save(tmp_path / "mdp.json")
    assert sorted(os.listdir(tmp_path)) == [".revealed-note.txt", "mdp.json"]


def test_encodings_have_a_remedy(tmp_path: Path) -> None:
    file = tmp_path / "mdp.json"
    lake().save(file)
    text = file.read_text()
    for encoding, words in (("utf-8-sig", "begins with a byte order mark"), ("utf-16", "is in UTF-16, save it as UTF-8")):
        file.write_text(text, encoding=encoding)
        with pytest.raises(ValueError, match=words):
            revealed.Mdp.load(file)


def test_what_appears_twice_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "mdp.json"
    lake().save(file)
    file.write_text(file.read_text().replace("{", '{"n_states": 7, ', 1))
    with pytest.raises(ValueError, match='the key "n_states" appears twice'):
        revealed.Mdp.load(file)
    lines = tmp_path / "paths.jsonl"
    lines.write_text('{"states": [0], "states": [0], "actions": []}\n')
    with pytest.raises(ValueError, match='line 1 column .*the key "states" appears twice'):
        revealed.Trajectories.load(lines)
    archive = tmp_path / "paths.npz"
    paths(lake()).save(archive)
    with zipfile.ZipFile(archive, "a") as twice, pytest.warns(UserWarning, match="Duplicate name"):
        twice.writestr("states.npy", twice.read("states.npy"))
    with pytest.raises(ValueError, match="the array states appears twice"):
        revealed.Trajectories.load(archive)


def test_names_of_features_are_given_and_different(tmp_path: Path) -> None:
    for names, words in (
        (["a", "a"], r"features.names\[0\] and features.names\[1\] are both \"a\""),
        (["a", " "], r"features.names\[1\] is empty"),
    ):
        with pytest.raises(ValueError, match=words):
            revealed.Mdp(
                2,
                1,
                transitions=([0], [0], [1], [1.0]),
                start=0,
                terminal=[1],
                features=revealed.Features(state=np.eye(2), names=names),
            )


def test_stdin_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stdin is not read here"):
        revealed.Trajectories.load("-")
    with pytest.raises(ValueError, match="stdin is read only for"):
        revealed.Mdp.load("-")


def test_misaligned_arrays_are_taken() -> None:
    """They were refused, and the message named no argument."""

    def misaligned(array: np.ndarray) -> np.ndarray:
        raw = np.zeros(array.nbytes + 1, np.uint8)
        other = raw[1:].view(array.dtype)
        other[:] = array
        assert not other.flags.aligned
        return other

    mdp = lake()
    theta = np.linspace(-1.0, 1.0, mdp.n_features)
    likelihood = revealed.LogLikelihood(mdp, paths(mdp))
    assert likelihood(misaligned(theta)) == likelihood(theta)
    columns = mdp.transitions
    other = tuple(misaligned(np.ascontiguousarray(column)) for column in columns)
    assert len(other[0]) == len(columns[0])
    world = revealed.Mdp(
        mdp.n_states, mdp.n_actions, transitions=other, start=0, terminal=np.flatnonzero(~np.isin(np.arange(16), columns[0]))
    )
    assert world.n_states == 16
    model = revealed.MaxEntIRL.from_theta(mdp, misaligned(theta), horizon=5)
    same = revealed.MaxEntIRL.from_theta(mdp, theta, horizon=5)
    assert np.array_equal(model.lengths(), same.lengths())


def test_a_model_that_is_written_can_be_read(tmp_path: Path) -> None:
    mdp = lake()
    revealed.MaxEntIRL.from_theta(mdp, np.zeros(mdp.n_features), horizon=5).save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["horizon"] == 5
