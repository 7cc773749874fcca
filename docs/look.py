"""Opens every page of the site in Chromium, wide and narrow, and lists what sticks out or is missing: look.py SITE [PICTURES].

With PICTURES, a folder, it also keeps a picture of each page, to be looked at. It takes some minutes. Chromium is found as in
tests/command_line/test_page.py: REVEALED_CHROMIUM, or the first of the usual names.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

WIDTHS = (1400, 500)
HEIGHT = 2600
NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
# A browser that asks nobody for anything.
QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-quic", "--no-first-run"]
QUIET += ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--virtual-time-budget=3000"]
# What sticks out to the right and is in no box that scrolls, as JSON in an element at the end of the page.
MEASURE = """
<script>
addEventListener('load', () => {
  const width = document.documentElement.clientWidth;
  const right = element => element.getBoundingClientRect().right;
  const scrolls = element => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(at).overflowX) && right(at) <= width + 1) return true;
    }
    return false;
  };
  const out = [...document.querySelectorAll('article *')].filter(one => right(one) > width + 1 && !scrolls(one));
  const lost = [...document.images].filter(one => one.checkVisibility() && !one.naturalWidth);
  const answer = document.createElement('pre');
  answer.id = 'measured';
  answer.textContent = JSON.stringify({
    width, page: document.documentElement.scrollWidth,
    out: out.map(one => one.outerHTML.slice(0, 80)), lost: lost.map(one => one.src),
  });
  document.body.append(answer);
});
</script>
"""


def browse(page: Path, width: int, *options: str) -> str:
    chromium = os.environ.get("REVEALED_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        sys.exit("there is no Chromium: install one (`apt install chromium` on Debian), or set REVEALED_CHROMIUM to its path")
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, *QUIET, f"--user-data-dir={profile}", f"--window-size={width},{HEIGHT}", *options, page.as_uri()]
        return subprocess.run(command, capture_output=True, text=True).stdout


def measured(page: Path, width: int) -> dict[str, Any]:
    """Measured in a copy beside it, so that its pictures and styles are found."""
    copy = page.with_name(f"measured-{page.name}")
    try:
        copy.write_text(page.read_text().replace("</body>", f"{MEASURE}</body>"))
        found = re.search(r'<pre id="measured">(.*?)</pre>', browse(copy, width, "--dump-dom"), re.DOTALL)
    finally:
        copy.unlink()
    assert found is not None, f"{page}: Chromium did not show it"
    answer: dict[str, Any] = json.loads(html.unescape(found[1]))
    return answer


def main() -> int:
    site, wrong = Path(sys.argv[1]).resolve(), 0
    for pictures in sys.argv[2:3]:
        # Chromium takes no pictures, and says nothing, if the folder is missing.
        Path(pictures).mkdir(parents=True, exist_ok=True)
    pages = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    for page in pages:
        for width in WIDTHS:
            seen = measured(page, width)
            if seen["page"] > seen["width"] or seen["out"] or seen["lost"]:
                wrong += 1
                print(f"{page.relative_to(site)} at {width}: {json.dumps(seen)}", flush=True)
            if len(sys.argv) > 2:
                name = "-".join(page.relative_to(site).with_suffix("").parts)
                browse(page, width, f"--screenshot={Path(sys.argv[2]).resolve() / f'{name}-{width}.png'}")
    print(f"{len(pages)} pages at {WIDTHS} pixels: {wrong or 'nothing'} to mend")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
