"""A share of the faults that `tests/faults/inject.py` injects; all of them are tried before a release."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest
from binary import Revealed
from pages import ROOT


@pytest.mark.skipif(not sys.platform.startswith("linux") or not shutil.which("cc"), reason="needs Linux and a C compiler")
def test_a_fault_loses_nothing_and_leaves_nothing_half_written(revealed: Revealed) -> None:
    command = [sys.executable, ROOT / "tests/faults/inject.py", "--share", "0.012", "--python", sys.executable]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "REVEALED_BIN": str(revealed.path)}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"(\d+) faults in \d+ commands, 0 wrong", done.stdout)
    assert found and int(found[1]) > 100, done.stdout
