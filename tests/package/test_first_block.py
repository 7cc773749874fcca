"""The first block of the tutorial needs numpy and nothing else."""

from __future__ import annotations

import subprocess
import sys

from pages import blocks, page

OPTIONAL = ["gymnasium", "jax", "matplotlib", "networkx", "pandas", "polars", "scipy", "sklearn", "torch", "tqdm"]


def test_the_first_block_runs_without_anything_else() -> None:
    first = blocks(page("docs/tutorial.md"), "python")[0]
    assert first.output is not None
    # A module that is None in sys.modules cannot be imported.
    hidden = f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL!r}))\n"
    done = subprocess.run([sys.executable, "-c", hidden + first.code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == first.output.strip()
