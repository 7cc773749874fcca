"""The page of `revealed report` in Chromium: it is alive, and its numbers are those of the command line.

`test_page.py` says which Chromium is used. Playwright drives it here, because these tests click, drag and drop files.
"""

import json
import re
import shutil

import pytest
from test_page import CHROMIUM, QUIET, REMEDY

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=REMEDY)

HOSTILE = "<img src=x onerror=document.title='hacked'>"
# In the page and on the command line, exp and log may differ in the last of 53 bits.
CLOSE = 1e-12


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens a page, and fails if anything was said on the console or asked of a network."""
    opened = []

    def visit(file, width=1400, scheme="light", offline=True):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=offline)
        page = context.new_page()
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        # Not wait_for_function: the Content-Security-Policy of the page forbids its eval.
        page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        opened.append((context, said, asked))
        return page

    yield visit
    for context, said, asked in opened:
        context.close()
        assert not said, said
        assert len(asked) == 1 and asked[0].startswith("file:"), asked


@pytest.fixture(scope="module")
def lake(revealed, tmp_path_factory):
    """FrozenLake 4x4, slippery: what `revealed demo` writes."""
    folder = tmp_path_factory.mktemp("lake")
    revealed("demo", "--out", folder)
    return folder


@pytest.fixture(scope="module")
def taxi(revealed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("taxi")
    problem, demos, model = folder / "taxi.json", folder / "demos.jsonl", folder / "model.json"
    revealed("env", "taxi", "-o", problem, "--features", "kinds", "--discount", 0.99)
    revealed("rollouts", problem, "--policy", "boltzmann", "--temperature", 1, "-n", 100, "--longest", 60, "-o", demos)
    revealed("learn", problem, demos, "-o", model, "--inference", "causal", "--horizon", 60)
    revealed("report", model, problem, demos, "-o", folder / "report.html")
    return folder


@pytest.fixture(scope="module")
def city(revealed, tmp_path_factory):
    """A city that does not exist, and the recursive logit of its drivers."""
    folder = tmp_path_factory.mktemp("city")
    osm, trips, problem = folder / "city.osm", folder / "trips.csv", folder / "city.npz"
    revealed("roads", "city", "-o", osm, "--trips", trips, "-n", 200, "--seed", 1)
    revealed("roads", "import", osm, "-o", problem, "--features", "type,time,turns")
    revealed("roads", "match", problem, trips, "-o", folder / "demos.jsonl", "--min-seconds", 60)
    revealed("roads", "learn", problem, folder / "demos.jsonl", "-o", folder / "model.json")
    revealed("report", folder / "model.json", problem, folder / "demos.jsonl", "-o", folder / "report.html")
    return folder


def shown(page, selector):
    """All digits of the numbers in an element."""
    return [
        float(value) for value in page.locator(f"{selector} [data-value]").evaluate_all("all => all.map(e => e.dataset.value)")
    ]


def settled(page):
    """Waits for what follows a slider or a click."""
    page.wait_for_timeout(250)


def ask(revealed, command, folder, *options, problem="problem.json"):
    return revealed(command, folder / problem, folder / "model.json", *options)


def test_the_lake_is_alive_within_a_second_and_small(lake, visit):
    page = visit(lake / "report.html")
    assert page.evaluate("document.documentElement.dataset.ready") == "alive"
    assert page.evaluate("performance.now()") < 5000, "on a busy machine; about 0.5 s on an idle one"
    assert (lake / "report.html").stat().st_size < 1_200_000
    assert "Alive" in page.inner_text("#status")


def test_its_numbers_are_those_of_the_command_line(revealed, lake, visit):
    page = visit(lake / "report.html")
    likelihood = revealed("likelihood", lake / "problem.json", lake / "demos.jsonl", "--model", lake / "model.json")
    text = revealed.run("score", lake / "problem.json", lake / "model.json", lake / "demos.jsonl").stdout
    # As printed, digit by digit.
    printed = re.search(r"log-likelihood\s+(-?[\d.]+) \(mean", text)[1]
    assert page.locator("#fit td.number").first.inner_text() == printed.replace("-", "−")
    assert shown(page, "#fit table")[0] == likelihood["log_likelihood"]
    # The reward of each state is its weight here.
    theta = json.loads((lake / "model.json").read_text())["theta"]
    states = page.locator("#world [data-state]").evaluate_all("all => all.map(e => +e.dataset.value)")
    assert states == theta
    # From here on the engine in the page computes.
    for t in [1, 5, 60]:
        page.evaluate("t => { const e = document.getElementById('time'); e.value = t; e.dispatchEvent(new Event('input')) }", t)
        settled(page)
        states = page.locator("#world [data-state]").evaluate_all("all => all.map(e => +e.dataset.value)")
        expected = ask(revealed, "marginals", lake, "--t", t)["state"]
        assert states == pytest.approx(expected, rel=CLOSE, abs=1e-300)


def test_a_start_and_an_end_give_the_likeliest_paths(revealed, lake, visit):
    page = visit(lake / "report.html")
    page.click('[data-state="0"]')
    page.click('[data-state="15"]', force=True)
    settled(page)
    paths = ask(revealed, "path", lake, "--from", 0, "--to", 15, "--k", 3)["paths"]
    assert shown(page, "#answer") == pytest.approx([path["probability"] for path in paths], rel=CLOSE)
    first = page.locator("#answer tbody tr").first.inner_text()
    assert re.findall(r"\d+", first.split("\t")[-1])[::2] == [str(state) for state in paths[0]["states"]]
    assert page.locator("path.route").count() == 3


def test_destinations_move_with_a_beginning(revealed, lake, visit):
    page = visit(lake / "report.html")
    page.check('input[value="begin"]')
    for state, prefix in [(0, "0"), (4, "0,1,4"), (8, "0,1,4,1,8")]:
        page.click(f'[data-state="{state}"]', force=True)
        settled(page)
        answer = ask(revealed, "destinations", lake, "--prefix", prefix, "--top", 5)
        expected = [p for _, p in answer["posterior"]] + [answer["expected_length"], answer["expected_remaining"]]
        assert shown(page, "#answer") == pytest.approx(expected, rel=1e-9)
    # No step leads there.
    page.click('[data-state="3"]', force=True)
    assert "No step leads" in page.inner_text("#state-said")


def test_a_slider_moves_everything_and_back(revealed, lake, visit, tmp_path):
    page = visit(lake / "report.html")
    before = shown(page, "#fit table")[0]
    slider = page.locator("input.slider").nth(4)
    slider.focus()
    feature = int(slider.get_attribute("data-feature"))
    slider.evaluate("e => { e.value = -1; e.dispatchEvent(new Event('input')) }")
    settled(page)
    model = json.loads((lake / "model.json").read_text())
    model["theta"][feature] = -1.0
    (tmp_path / "model.json").write_text(json.dumps(model))
    expected = revealed("likelihood", lake / "problem.json", lake / "demos.jsonl", "--model", tmp_path / "model.json")
    assert shown(page, "#fit table")[0] == pytest.approx(expected["log_likelihood"], rel=CLOSE) != before
    assert page.is_visible("#moved")
    page.click("#moved button")
    settled(page)
    assert shown(page, "#fit table")[0] == before and not page.is_visible("#moved")


def test_it_learns_from_a_file_that_is_dropped(revealed, lake, visit, tmp_path):
    page = visit(lake / "report.html")
    half = tmp_path / "half.jsonl"
    half.write_text("".join((lake / "demos.jsonl").read_text().splitlines(keepends=True)[:25]))
    learned = revealed("learn", lake / "problem.json", half, "-o", tmp_path / "m.json", "--bounds", "-10,10", "--horizon", 100)
    drop = """text => {
        const data = new DataTransfer();
        data.items.add(new File([text], 'half.jsonl'));
        return data;
    }"""
    page.dispatch_event("#drop", "drop", {"dataTransfer": page.evaluate_handle(drop, half.read_text())})
    page.wait_for_selector("#learn-said[data-milliseconds]", timeout=30_000)
    assert "half.jsonl (25 demonstrations)" in page.inner_text("#learn-said")
    states = page.locator("#world [data-state]").evaluate_all("all => all.map(e => +e.dataset.value)")
    assert states == pytest.approx(learned["theta"], rel=1e-9)
    # Again, with warm code.
    page.click("#again")
    page.wait_for_selector('#learn-said:has-text("the demonstrations of the report")', timeout=30_000)
    assert float(page.get_attribute("#learn-said", "data-milliseconds")) < 1000, "on a busy machine; under 100 on an idle one"
    theta = json.loads((lake / "model.json").read_text())["theta"]
    states = page.locator("#world [data-state]").evaluate_all("all => all.map(e => +e.dataset.value)")
    assert states == pytest.approx(theta, rel=1e-9)


def test_a_file_that_is_no_demonstration_is_refused_with_its_line(lake, visit, tmp_path):
    page = visit(lake / "report.html")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"states": [0, 4], "actions": [1]}\n{"states": [0, 15], "actions": [1]}\n')
    page.set_input_files("#file", bad)
    page.wait_for_selector("#learn-said.refused")
    assert "bad.jsonl: demonstration 1" in page.inner_text("#learn-said")
    bad.write_text("not json\n")
    page.set_input_files("#file", bad)
    page.wait_for_selector('#learn-said:has-text("line 1")')


@pytest.mark.parametrize("name", ["lake", "taxi", "city"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 500])
def test_pages_are_readable_and_accessible(request, visit, name, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python")
    page = visit(request.getfixturevalue(name) / "report.html", width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page is wider than the window"
    assert not page.locator(".refused").all_inner_texts()
    found = axe.Axe().run(page).response["violations"]
    serious = [
        (one["id"], [node["html"][:150] for node in one["nodes"][:3]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert not serious, serious


@pytest.mark.parametrize("name", ["lake", "city"])
def test_pages_print(request, visit, tmp_path, name):
    page = visit(request.getfixturevalue(name) / "report.html")
    pdf = page.pdf(path=tmp_path / "page.pdf")
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    page.emulate_media(media="print")
    assert not page.is_visible("#learn") and page.is_visible("svg.world")


def test_the_world_is_used_by_keyboard(lake, visit):
    page = visit(lake / "report.html")
    page.focus("svg.world")
    page.keyboard.press("Enter")
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight"]:
        page.keyboard.press(key)
    assert "state 14" in page.inner_text("#state-said")
    page.keyboard.press("Enter")
    settled(page)
    assert "from state 0 to state 14" in page.inner_text("#answer")


def test_a_city_is_a_map_of_its_roads(revealed, city, visit):
    page = visit(city / "report.html")
    assert page.locator("path[data-state]").count() > 1000
    demo = json.loads((city / "demos.jsonl").read_text().splitlines()[0])
    start, end = demo["states"][0], demo["states"][-1]
    page.fill("#from", str(start))
    page.dispatch_event("#from", "change")
    page.fill("#to", str(end))
    page.dispatch_event("#to", "change")
    settled(page)
    page.wait_for_selector("#answer tbody tr")
    paths = ask(revealed, "path", city, "--from", start, "--to", end, "--k", 3, problem="city.npz")["paths"]
    assert shown(page, "#answer") == pytest.approx([path["probability"] for path in paths], rel=1e-9)


def test_surprising_demonstrations_open_step_by_step(revealed, taxi, visit, tmp_path):
    page = visit(taxi / "report.html")
    first = page.locator("#surprises details").first
    index = int(first.get_attribute("data-demonstration"))
    first.locator("summary").click()
    settled(page)
    revealed("score", taxi / "taxi.json", taxi / "model.json", taxi / "demos.jsonl", "-o", tmp_path / "s.jsonl")
    steps = json.loads((tmp_path / "s.jsonl").read_text().splitlines()[index])["steps"]
    assert first.locator("tbody tr").count() == len(steps) + 1


def test_names_from_files_are_text(revealed, lake, visit, tmp_path):
    problem = json.loads((lake / "problem.json").read_text())
    problem["features"]["names"][3] = HOSTILE
    (tmp_path / "problem.json").write_text(json.dumps(problem))
    model = json.loads((lake / "model.json").read_text())
    model["names"][3] = HOSTILE
    (tmp_path / "model.json").write_text(json.dumps(model))
    lines = (lake / "demos.jsonl").read_text().splitlines()
    (tmp_path / "demos.jsonl").write_text("\n".join(json.dumps({**json.loads(line), "id": HOSTILE}) for line in lines))
    named = tmp_path / f"{HOSTILE.replace('/', '')}.html"
    revealed("report", tmp_path / "model.json", tmp_path / "problem.json", tmp_path / "demos.jsonl", "-o", named)
    plain = shutil.copy(named, tmp_path / "page.html")
    page = visit(plain)
    assert page.locator("img").count() == 0 and page.title() == "model.json"
    assert HOSTILE in page.inner_text("#theta") and HOSTILE in page.inner_text("#surprises")
    page.click('[data-state="0"]')
    settled(page)
    assert page.title() == "model.json"


@pytest.mark.parametrize(
    "options",
    [
        ["--inference", "causal"],
        ["--inference", "causal-dual"],
        ["--inference", "causal", "--horizon", "any", "--l2", 0.01],
        ["--ends", "terminal"],
        ["--ends", "horizon"],
        ["--ends", "goal"],
        ["--inference", "ziebart2010"],
    ],
)
def test_every_kind_of_model_answers_or_says_why_not(revealed, lake, visit, tmp_path, options):
    model = tmp_path / "model.json"
    given = [] if "--l2" in options else ["--bounds", "-10,10"]
    demos = lake / "demos.jsonl"
    if options[-1] in ("terminal", "goal") or "horizon" in options:
        ended = [line for line in demos.read_text().splitlines() if json.loads(line)["states"][-1] in (5, 7, 11, 12, 15)]
        demos = tmp_path / "ended.jsonl"
        demos.write_text("\n".join(ended))
    revealed("learn", lake / "problem.json", demos, "-o", model, *given, *options)
    revealed("report", model, lake / "problem.json", demos, "-o", tmp_path / "page.html")
    page = visit(tmp_path / "page.html")
    assert page.evaluate("document.documentElement.dataset.ready") == "alive"
    for value in page.locator("#shown option").evaluate_all("all => all.map(e => e.value)"):
        page.select_option("#shown", value)
        settled(page)
    for refused in page.locator(".refused").all_inner_texts():
        assert refused.startswith("No "), refused
        assert "undefined" not in refused and "engine has stopped" not in refused, refused
    page.click('[data-state="0"]', force=True)
    page.click('[data-state="15"]', force=True)
    settled(page)
    assert page.inner_text("#answer")


def test_python_writes_the_same_page(lake, visit, tmp_path):
    package = pytest.importorskip("revealed", reason="the package is tested after the command line")
    mdp = package.Mdp.load(lake / "problem.json")
    demos = package.Trajectories.load(lake / "demos.jsonl")
    irl = package.MaxEntIRL(bounds=(-10, 10)).fit(mdp, demos)
    irl.report(tmp_path / "page.html", demos)
    pages = [visit(tmp_path / "page.html"), visit(lake / "report.html")]
    numbers = [shown(page, "#fit table") for page in pages]
    assert numbers[0] == numbers[1]
    with pytest.raises(ValueError, match="extension"):
        irl.report(tmp_path / "page.txt")
