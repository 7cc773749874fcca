"""The report of `revealed reproduce` in Chromium: wide and narrow, light and dark.

REVEALED_CHROMIUM names the program; otherwise it is the first of `chromium`, `chromium-browser`, `google-chrome` and
`chrome` that the shell finds. `./test` installs one as root on Debian. Without one the tests are skipped: a page is only
seen by a browser.
"""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile

import pytest

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
CHROMIUM = os.environ.get("REVEALED_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
REMEDY = "there is no Chromium: install one (`apt install chromium` on Debian), or set REVEALED_CHROMIUM to its path"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=REMEDY)

# The experiments whose sections have figures, wide tables, formulas and maps, and that take seconds.
EXPERIMENTS = ["worked-example", "propositions", "padding", "porto"]
# A browser that asks nobody for anything.
QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-quic", "--no-first-run"]
QUIET += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]

# What the page looks like, as JSON in an element at its end.
MEASURE = """
<script>
const number = text => (text.match(/[\\d.]+/g) || []).map(Number);
const luminance = colour => {
  const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = colour.slice(0, 3).map(c => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = element => {
  for (let at = element; at; at = at.parentElement) {
    const colour = number(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const words = [...document.querySelectorAll('main *, header *')].filter(element =>
  !element.closest('svg') && !element.closest('.pad') && element.checkVisibility() &&
  [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()));
const seen = element => contrast(number(getComputedStyle(element).color), behind(element));
const faint = words.map(element => [seen(element), element.outerHTML]).filter(([ratio]) => ratio < 4.5);
const tables = [...document.querySelectorAll('.scroll')];
const answer = {
  inner: innerWidth,
  page: document.documentElement.scrollWidth,
  faint: faint.map(([ratio, element]) => ratio.toFixed(2) + ' ' + element.slice(0, 120)),
  words: words.length,
  ground: luminance(behind(document.body)),
  figures: [...document.querySelectorAll('figure svg')].map(svg => ({
    role: svg.getAttribute('role'), name: svg.getAttribute('aria-label'),
    title: svg.querySelector('title')?.textContent, filter: getComputedStyle(svg).filter,
    width: svg.getBoundingClientRect().width })),
  scrolled: tables.filter(table => table.scrollWidth > table.clientWidth + 1).length,
  cued: tables.filter(table => getComputedStyle(table).overflowX === 'auto' && table.tabIndex === 0 &&
    getComputedStyle(table).backgroundAttachment.includes('local')).length,
  tables: tables.length,
  formulas: [...document.querySelectorAll('math')].filter(math => math.getBoundingClientRect().width > 0).length,
  dollars: (document.body.innerText.match(/\\$/g) || []).length,
};
const place = document.createElement('pre');
place.id = 'answer';
place.textContent = JSON.stringify(answer);
document.body.appendChild(place);
</script>
"""


@pytest.fixture(scope="module")
def page(revealed, tmp_path_factory):
    """The page, with the script that measures it. Its Porto is a city that does not exist."""
    folder = tmp_path_factory.mktemp("page")
    city, trips = folder / "city.osm", folder / "trips.csv"
    revealed("roads", "city", "-o", city, "--trips", trips, "-n", 300, "--seed", 1)
    revealed("reproduce", *EXPERIMENTS, "--quick", "--seed", 1, "--out", folder, "--osm", city, "--trips", trips)
    measured = folder / "measured.html"
    text = (folder / "index.html").read_text(encoding="utf-8")
    measured.write_text(text.replace("</body>", MEASURE + "</body>"), encoding="utf-8")
    return measured


def look(page, width, scheme):
    """What Chromium shows in a window of this width, with this colour scheme."""
    # 0 is dark and 1 is light.
    number = ["dark", "light"].index(scheme)
    flags = [f"--window-size={width},900", f"--blink-settings=preferredColorScheme={number}"]
    flags += ["--virtual-time-budget=5000", "--dump-dom"]
    # Each browser has a profile of its own, so that several can run at once.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, *QUIET, *flags, f"--user-data-dir={profile}", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return json.loads(html.unescape(found[1]))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 500])
def test_the_page_is_readable(page, width, scheme):
    seen = look(page, width, scheme)
    assert seen["inner"] == width
    assert seen["page"] <= width, "the page is wider than the window"
    # A page at the full width shows whole tables; elsewhere they scroll, and shadows say so.
    assert seen["cued"] == seen["tables"] > 10
    assert seen["scrolled"] == 0 if width == 1400 else seen["scrolled"] > 0
    assert seen["words"] > 300 and not seen["faint"], seen["faint"]
    assert seen["formulas"] > 50 and seen["dollars"] == 0
    assert (seen["ground"] < 0.02) if scheme == "dark" else (seen["ground"] > 0.9)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_have_names_and_follow_the_colours_of_the_page(page, scheme):
    figures = look(page, 500, scheme)["figures"]
    assert len(figures) > 4
    for figure in figures:
        assert figure["role"] == "img" and figure["name"] and figure["name"] == figure["title"], figure
        assert (figure["filter"] != "none") == (scheme == "dark"), figure
        assert 300 < figure["width"] <= 500, figure
    names = [figure["name"] for figure in figures]
    assert len(set(names)) == len(names), names
