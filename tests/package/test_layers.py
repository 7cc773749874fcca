"""Modules import from earlier modules only: those of the Python package, and those of its binding.

A room is a top-level module or subpackage, with all of its files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import ROOT

PACKAGE = ROOT / "python" / "revealed"
BINDING = ROOT / "crates" / "python" / "src"

# In reading order. What stands in one line may not import from each other, either.
LAYERS: list[set[str]] = [
    {"_native"},
    {"inputs"},
    {"display"},
    {"demonstrations"},
    {"drawing"},
    {"mdp"},
    {"worlds", "gradients"},
    {"jax", "torch", "questions", "engines"},
    {"ray"},
    {"learning"},
    {"model_free", "serve", "roads", "__main__"},
]
BINDING_LAYERS: list[set[str]] = [
    {"failure", "inputs", "threads"},
    {"mdp"},
    {"gradients"},
    {"questions", "learning", "roads", "command"},
]
# The order above is for rooms: within the first line, errors are known to all.
KNOWN_TO_ALL = {"failure"}


def layer_of(room: str, layers: list[set[str]]) -> int:
    return next(at for at, rooms in enumerate(layers) if room in rooms)


def upwards(room: str, imported: Iterator[str], layers: list[set[str]]) -> list[str]:
    """The rooms that a file of a room imports from and may not."""
    own = layer_of(room, layers)
    others = {other for other in imported if other != room and other not in KNOWN_TO_ALL}
    return sorted(other for other in others if layer_of(other, layers) >= own)


def python_imports(text: str, depth: int) -> Iterator[str]:
    """The rooms that a module imports from, at its top or inside a function; `depth` is how many folders deep it is."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("revealed."))
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0 and (node.module or "").split(".")[0] == "revealed":
                path = (node.module or "").split(".")[1:]
            elif node.level == depth + 1:
                path = node.module.split(".") if node.module else []
            else:
                continue  # another package, or another file of the same room
            yield from [path[0]] if path else [name.name for name in node.names]


def binding_imports(text: str) -> Iterator[str]:
    yield from re.findall(r"\bcrate::(\w+)", text)


def room_of(file: Path, root: Path) -> str:
    return file.relative_to(root).parts[0].partition(".")[0]


def of_files(root: Path, pattern: str, door: str) -> list[Path]:
    """The files of all rooms; the door itself opens to every room."""
    return sorted(file for file in root.rglob(pattern) if file != root / door)


PYTHON = of_files(PACKAGE, "*.py", "__init__.py")
RUST = of_files(BINDING, "*.rs", "lib.rs")


@pytest.mark.parametrize("file", PYTHON, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_room_of_the_package_imports_from_a_later_one(file: Path) -> None:
    depth = len(file.relative_to(PACKAGE).parts) - 1
    found = upwards(room_of(file, PACKAGE), python_imports(file.read_text(), depth), LAYERS)
    assert not found, f"{file.relative_to(ROOT)} imports from {found}: these come later, see LAYERS"


@pytest.mark.parametrize("file", RUST, ids=lambda file: str(file.relative_to(BINDING)))
def test_no_room_of_the_binding_uses_a_later_one(file: Path) -> None:
    found = upwards(room_of(file, BINDING), binding_imports(file.read_text()), BINDING_LAYERS)
    assert not found, f"{file.relative_to(ROOT)} uses {found}: these come later, see BINDING_LAYERS"


def test_every_room_has_a_place() -> None:
    assert {room_of(file, PACKAGE) for file in PYTHON} | {"_native"} == set().union(*LAYERS)
    assert {room_of(file, BINDING) for file in RUST} == set().union(*BINDING_LAYERS)


@pytest.mark.parametrize("folder", sorted({file.parent for file in PYTHON} - {PACKAGE}), ids=lambda folder: folder.name)
def test_a_room_says_what_it_is_for_what_it_uses_and_where_to_begin(folder: Path) -> None:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    begin = re.search(r"Begin\s+with\s+`(\w+)`", text)
    assert begin is not None and (folder / f"{begin[1]}.py").is_file(), text
    assert re.search(r"\buses?\b", text), text


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("inputs", "from ..mdp.mdp import Mdp"),
        ("drawing", "def plot():\n    from ..questions import paths"),
        ("mdp", "if TYPE_CHECKING:\n    from revealed.learning.maxent import MaxEntIRL"),
        ("display", "import revealed.model_free.rollouts"),
        ("gradients", "from .. import torch"),
        ("questions", "from .. import jax"),
    ],
)
def test_an_import_from_a_later_room_is_found(room: str, text: str) -> None:
    assert upwards(room, python_imports(text, 1), LAYERS)


def test_a_use_of_a_later_room_is_found() -> None:
    assert upwards("mdp", binding_imports("use crate::learning::fit::fit;"), BINDING_LAYERS) == ["learning"]
    assert upwards("inputs", binding_imports("let done = crate::threads::run::run(py);"), BINDING_LAYERS) == ["threads"]
