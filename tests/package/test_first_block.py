"""The first block of the tutorial needs numpy and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()
OPTIONAL = ["gymnasium", "jax", "matplotlib", "networkx", "pandas", "polars", "scipy", "sklearn", "torch", "tqdm"]


def test_the_first_block_runs_without_anything_else() -> None:
    found = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", TUTORIAL, re.MULTILINE | re.DOTALL)
    assert found is not None
    # A module that is None in sys.modules cannot be imported.
    hidden = f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL!r}))\n"
    done = subprocess.run([sys.executable, "-c", hidden + found[1]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == found[2].strip()
