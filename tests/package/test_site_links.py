"""The script that follows the links of the site finds those that lead nowhere. `docs/build` runs it on the site itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pages import ROOT

SCRIPT = ROOT / "docs" / "check_links.py"


def check(site: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), str(site), *options], capture_output=True, text=True)


def site(folder: Path, body: str) -> Path:
    (folder / "below").mkdir()
    (folder / "index.html").write_text(body)
    (folder / "below" / "page.html").write_text('<h1 id="top">A page</h1><a href="../index.html">back</a>')
    (folder / "picture.png").write_bytes(b"")
    return folder


def test_links_that_lead_somewhere(tmp_path: Path) -> None:
    body = '<p id="here"></p><a href="below/page.html#top">a</a><a href="#here">b</a><img src="picture.png">'
    done = check(site(tmp_path, body + '<a href="https://example.org/x">c</a>'), "--list")
    assert done.returncode == 0 and done.stdout.splitlines() == ["https://example.org/x", "the links of 2 pages lead somewhere"]


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    body = '<a href="below/page.html#bottom">a</a><a href="#nowhere">b</a><img src="lost.png"><a href="gone.html">c</a>'
    done = check(site(tmp_path, body))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "index.html: #nowhere has no such anchor",
        "index.html: below/page.html#bottom has no such anchor",
        "index.html: gone.html does not exist",
        "index.html: lost.png does not exist",
    ]


def test_the_build_follows_links() -> None:
    assert "docs/check_links.py" in (ROOT / "docs" / "build").read_text()
