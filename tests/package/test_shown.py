"""Everything public is shown somewhere in the documentation, besides the reference: in a page, a notebook or the gallery."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Iterator

import revealed
from pages import ROOT

# Methods that other programs call: scikit-learn asks estimators for their settings.
CALLED_BY_OTHERS = {"get_params", "set_params", "n_features_in_"}


def documentation() -> str:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs" / "gallery").glob("*.py")]
    texts = [page.read_text() for page in pages if page.name != "reference.md" and "_build" not in page.parts]
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        texts += ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"]]
    return "\n".join(texts)


def public() -> Iterator[str]:
    """The names of classes and functions, and of what classes have of ours."""
    named = [(name, getattr(revealed, name)) for name in revealed.__all__]
    named += [(f"roads.{name}", getattr(revealed.roads, name)) for name in revealed.roads.__all__]
    for name, thing in named:
        yield name
        if not inspect.isclass(thing):
            continue
        fields = {field.name for field in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()
        for at in {*dir(thing), *fields}:
            owner = next((kind for kind in thing.__mro__ if at in vars(kind)), thing)
            if not at.startswith("_") and owner.__module__.startswith("revealed"):
                yield f"{name}.{at}"
    for name in revealed.worlds.__all__:
        yield f"worlds.{name}"


def is_shown(name: str, words: set[str]) -> bool:
    return name.rpartition(".")[2] in words


def test_everything_public_is_shown() -> None:
    words = set(re.findall(r"\w+", documentation()))
    missing = sorted(name for name in public() if not is_shown(name, words))
    missing = [name for name in missing if name.rpartition(".")[2] not in CALLED_BY_OTHERS]
    assert not missing, f"shown nowhere in the documentation: {missing}"


def test_what_is_not_shown_is_found() -> None:
    words = set(re.findall(r"\w+", documentation()))
    assert not is_shown("Mdp.from_nowhere_at_all", words)
    assert {"Mdp.from_env", "MaxEntIRL.predict_path", "Progress.iteration", "worlds.taxi"} <= set(public())
