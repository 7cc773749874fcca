"""The rules of deny.toml, checked without cargo-deny: licences, sources, bans, and a locked version of everything."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RULES = tomllib.loads((ROOT / "deny.toml").read_text())


@pytest.fixture(scope="module")
def packages():
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["packages"]


def allowed(licence, known):
    """Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be met by the licences that are known."""
    text = licence.replace("/", " OR ")
    tokens = re.findall(r"\(|\)|AND|OR|[^\s()]+(?: WITH [^\s()]+)?", text)
    words = {"(": "(", ")": ")", "AND": "and", "OR": "or"}
    return eval(" ".join(words.get(token) or str(token in known) for token in tokens))


def test_expressions_are_read():
    assert allowed("MIT/GPL-3.0-only", {"MIT"}) and not allowed("MIT AND GPL-3.0-only", {"MIT"})
    assert allowed("(MIT OR Apache-2.0) AND Unicode-3.0", {"MIT", "Unicode-3.0"})
    assert allowed("Apache-2.0 WITH LLVM-exception", {"Apache-2.0 WITH LLVM-exception"})


def test_licences_are_allowed(packages):
    known = set(RULES["licenses"]["allow"])
    wrong = [(one["name"], one["license"]) for one in packages if not allowed(one["license"] or "none", known)]
    assert not wrong


def test_everything_is_from_the_registry_or_this_repository(packages):
    wrong = [one["id"] for one in packages if one["source"] and "crates.io-index" not in one["source"]]
    assert not wrong
    outside = [one["id"] for one in packages if not one["source"] and not one["manifest_path"].startswith(str(ROOT))]
    assert not outside


def test_nothing_that_is_banned_is_there(packages):
    banned = {one["name"] for one in RULES["bans"]["deny"]}
    assert banned and not banned & {one["name"] for one in packages}


def test_no_version_is_yanked():
    """By cargo's copy of the registry's index, which is as new as the last download."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    entries = {file.name: file for file in home.glob("registry/index/*/.cache/**/*") if file.is_file()}
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    known = [one for one in locked if "source" in one and one["name"].lower() in entries]
    if not known:
        pytest.skip("cargo has no copy of the index")
    yanked = []
    for one in known:
        parts = entries[one["name"].lower()].read_bytes().split(b"\0")
        versions = [json.loads(part) for part in parts if part.startswith(b'{"name"')]
        mine = [version for version in versions if version["vers"] == one["version"]]
        assert mine, one
        yanked += [(one["name"], one["version"]) for found in mine if found["yanked"]]
    assert not yanked
    print(f"{len(known)} of {len(locked)} locked packages are in the index")
