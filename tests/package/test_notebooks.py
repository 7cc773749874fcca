"""The notebooks run from top to bottom, and are kept without what they printed."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
import revealed
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel is another process: it must find this very package.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(revealed.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    folder = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=None, kernel_name="python3", resources=folder).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in shown), "no picture came out"
    # A progress bar appears where a fit takes long, as on a busy machine; it begins with a carriage return.
    errors = [output.text for output in shown if output.get("name") == "stderr"]
    complaints = [text for text in errors if not text.startswith("\r")]
    assert not complaints, complaints


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None
    assert path.stat().st_size < 50_000
