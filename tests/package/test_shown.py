"""Everything public is shown somewhere in the documentation, besides the reference: in a page, a notebook or the gallery.

Shown means as code: in a block, or between backticks. A word of the prose that happens to be a name does not count.
"""

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


BLOCK = re.compile(r"^ *(```+)[^\n]*\n(.*?)^ *\1", re.MULTILINE | re.DOTALL)
BETWEEN_BACKTICKS = re.compile(r"`([^`\n]+)`")


def code_of(markdown: str) -> list[str]:
    return [block for _, block in BLOCK.findall(markdown)] + BETWEEN_BACKTICKS.findall(BLOCK.sub("", markdown))


def documentation() -> str:
    """The code of all pages."""
    pages = [ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
    texts = [text for page in pages if page.name != "reference.md" for text in code_of(page.read_text())]
    texts += [script.read_text() for script in (ROOT / "docs" / "gallery").glob("*.py")]
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        for cell in json.loads(notebook.read_text())["cells"]:
            source = "".join(cell["source"])
            texts += [source] if cell["cell_type"] == "code" else code_of(source)
    return "\n".join(texts)


# Modules of their own, because they need what may not be installed.
OPTIONAL = {"jax": ["maxent_loss"], "ray": ["RayEngine"], "torch": ["MaxEntLoss"]}


def public() -> Iterator[str]:
    """The names of classes and functions, and of what classes have of ours."""
    homes = [(revealed, ""), (revealed.engines, "engines."), (revealed.roads, "roads."), (revealed.worlds, "worlds.")]
    for home, prefix in homes:
        for name in home.__all__:
            yield f"{prefix}{name}"
            if inspect.isclass(thing := getattr(home, name)):
                yield from (f"{prefix}{name}.{at}" for at in members(thing))
    for module, names in OPTIONAL.items():
        yield from (f"{module}.{name}" for name in names)


def members(thing: type) -> Iterator[str]:
    fields = {field.name for field in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()
    for at in {*dir(thing), *fields}:
        owner = next((kind for kind in thing.__mro__ if at in vars(kind)), thing)
        if not at.startswith("_") and owner.__module__.startswith("revealed"):
            yield at


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
    assert {"Mdp.from_env", "MaxEntIRL.predict_path", "Progress.iteration", "worlds.taxi", "engines.Engine.map"} <= set(public())
    assert {"engines.WorldSource.demonstrations", "jax.maxent_loss"} <= set(public())


def test_prose_shows_nothing() -> None:
    markdown = "Some prose and `a.name`.\n\n```python\nfit(x)\n```\n\nMore prose.\n"
    assert set(re.findall(r"\w+", "\n".join(code_of(markdown)))) == {"a", "name", "fit", "x"}
