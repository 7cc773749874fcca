"""Everything public is documented, typed, and in the reference."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import revealed

PACKAGE = Path(revealed.__file__).parent
REFERENCE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text()
# Public, but in modules of their own, because they need what may not be installed.
OPTIONAL = {"jax": ["maxent_loss"], "ray": ["RayEngine"], "torch": ["MaxEntLoss"]}


def public() -> Iterator[tuple[str, Any]]:
    """(name as users write it, object) of all that is public."""
    for name in revealed.__all__:
        if name != "__version__":
            yield f"revealed.{name}", getattr(revealed, name)
    for name in revealed.worlds.__all__:
        yield f"revealed.worlds.{name}", getattr(revealed.worlds, name)
    for name in revealed.engines.__all__:
        yield f"revealed.engines.{name}", getattr(revealed.engines, name)
    for name in revealed.roads.__all__:
        yield f"revealed.roads.{name}", getattr(revealed.roads, name)
    for module, names in OPTIONAL.items():
        if importlib.util.find_spec(module) is not None:
            home = importlib.import_module(f"revealed.{module}")
            assert home.__all__ == names
            yield from ((f"revealed.{module}.{name}", getattr(home, name)) for name in names)


def members(name: str, thing: type) -> Iterator[tuple[str, Any]]:
    """What users may call on an object, inherited or not, as long as it is ours."""
    for at in dir(thing):
        owner = next((kind for kind in thing.__mro__ if at in vars(kind)), None)
        if owner is None or not owner.__module__.startswith("revealed"):
            continue
        if not at.startswith("_") or at in ("__init__", "__call__"):
            yield f"{name}.{at}", inspect.getattr_static(thing, at)


def functions() -> Iterator[tuple[str, Any]]:
    for name, thing in public():
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for at, member in members(name, thing):
                if isinstance(member, (classmethod, staticmethod)):
                    yield at, member.__func__
                elif isinstance(member, property):
                    yield at, member.fget
                elif inspect.isfunction(member):
                    yield at, member


# Nobody constructs a protocol.
FUNCTIONS = {name: function for name, function in functions() if name != "revealed.SamplingPolicy.__init__"}
CLASSES = {name: thing for name, thing in public() if inspect.isclass(thing)}


def test_there_is_something_to_check() -> None:
    assert {"revealed.MaxEntIRL.predict_path", "revealed.MaxEntIRL.get_params", "revealed.Mdp.n_states"} <= set(FUNCTIONS)
    assert {"revealed.worlds.taxi", "revealed.Mdp.load", "revealed.LogPartition.__call__"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_typed_and_documented(name: str) -> None:
    function = FUNCTIONS[name]
    # The parameters of a constructor are told in the docstring of its class.
    if not name.endswith(".__init__"):
        assert inspect.getdoc(function), f"{name} has no docstring"
    signature = inspect.signature(function)
    untyped = [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
    ]
    assert not untyped, f"{name}: {untyped} have no types"
    assert signature.return_annotation is not signature.empty, f"{name} does not say what it returns"


# Users get these as results, and construct none.
RESULTS = {"Comparison", "Counterfactual", "MixedFit", "ModelFreeSummary", "NestedFit", "Summary"}
# Of roads, too: functions and class methods make them.
RESULTS |= {f"roads.{name}" for name in ("City", "Destination", "Evaluation", "Flows", "Map", "Network", "Paths", "Regions")}
RESULTS |= {"roads.Routes", "roads.Speeds"}
TABLE = REFERENCE.partition("mean the same everywhere")[2].partition("##")[0]
EVERYWHERE = {name for row in re.findall(r"^\| (`.*?) \|", TABLE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


def unexplained(name: str, function: Any) -> list[str]:
    """The parameters that neither the function, nor its class, nor the table in the reference tells about."""
    owner = CLASSES.get(name.rpartition(".")[0])
    text = f"{inspect.getdoc(function)}\n{owner.__doc__ if owner else ''}"
    found = [
        one.name
        for one in inspect.signature(function).parameters.values()
        if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    ]
    return [one for one in found if one not in ("self", "cls", *EVERYWHERE) and not re.search(rf"\b{one}\b", text)]


def is_called_by_users(name: str) -> bool:
    owner, _, at = name.rpartition(".")
    return at != "__init__" or (owner.removeprefix("revealed.") not in RESULTS and not dataclasses.is_dataclass(CLASSES[owner]))


@pytest.mark.parametrize("name", list(filter(is_called_by_users, FUNCTIONS)))
def test_every_parameter_is_explained(name: str) -> None:
    assert not unexplained(name, FUNCTIONS[name])


def test_a_parameter_without_a_word_is_found() -> None:
    def silent(told: int, untold: int, seed: int) -> None:
        """It tells about `told`."""

    assert unexplained("revealed.silent", silent) == ["untold"] and len(EVERYWHERE) > 25


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_documented(name: str) -> None:
    thing = CLASSES[name]
    assert thing.__doc__ and not thing.__doc__.startswith(f"{thing.__name__}("), f"{name} has no docstring"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_is_documented(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


DATACLASSES = {name: thing for name, thing in CLASSES.items() if dataclasses.is_dataclass(thing)}


def undocumented_fields(thing: type) -> list[str]:
    """The fields of a dataclass that neither a text after them nor the docstring of the class tells about."""
    (node,) = [
        node for node in ast.walk(ast.parse(inspect.cleandoc(inspect.getsource(thing)))) if isinstance(node, ast.ClassDef)
    ][:1]
    found = []
    for field, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(field, ast.AnnAssign):
            name = ast.unparse(field.target)
            followed = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            told = re.search(rf"\b{name}\b", thing.__doc__ or "")
            if not name.startswith("_") and not followed and not told:
                found.append(name)
    return found


@pytest.mark.parametrize("name", DATACLASSES)
def test_fields_are_documented(name: str) -> None:
    assert not undocumented_fields(DATACLASSES[name])


def test_a_field_without_a_text_is_found() -> None:
    assert len(DATACLASSES) > 10 and undocumented_fields(_Silent) == ["nothing"]


@dataclasses.dataclass
class _Silent:
    """It tells about spoken."""

    spoken: int
    nothing: int
    followed: int
    """By a text."""


def test_everything_is_in_the_reference() -> None:
    listed = set(re.findall(r"^\.\. auto(?:class|exception|function):: (\S+)", REFERENCE, re.MULTILINE))
    modules = re.findall(r"^\.\. automodule:: (\S+)\n   :members:", REFERENCE, re.MULTILINE)
    names = [name for name, thing in public() if not inspect.ismodule(thing)]
    names += [f"revealed.{module}.{name}" for module, of_module in OPTIONAL.items() for name in of_module]
    missing = [name for name in names if name not in listed and name.rpartition(".")[0] not in modules]
    assert not missing, f"docs/reference.md does not have {missing}"
    assert "revealed.worlds" in modules and "__version__" in REFERENCE


def test_the_reference_shows_what_a_class_inherits() -> None:
    for name, thing in CLASSES.items():
        inherited = [at for at, _ in members(name, thing) if at.rpartition(".")[2] not in vars(thing) and "__" not in at]
        entry = re.search(rf"^\.\. autoclass:: {re.escape(name)}\n((?:   .*\n)*)", REFERENCE, re.MULTILINE)
        if inherited:
            assert entry is not None and ":inherited-members:" in entry[1], f"{name} inherits {inherited}"
