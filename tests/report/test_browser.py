"""The report in a real browser: it works, alone on a disk, for everybody.

The tests need Chromium (Debian's package `chromium`) and Playwright, and are skipped without.
"""

import os
import shutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from reldim import compare, diagnose, kernels
from reldim.report.page import (
    columns_page,
    diagnosis_page,
    forecast_page,
    forecast_rows,
    labels_page,
)
from reldim.report.rows import suspicious_rows
from reldim.report.words import GLOSSARY
from reporting import HOSTILE, falling_forecast, hostile_table, issue_frame, sinc, two_moons

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
playwright = pytest.importorskip(
    "playwright.sync_api", reason="no Playwright: pip install playwright"
)
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="no axe-playwright-python"
)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium: apt-get install chromium, or another package of it"
)

LIGHT = {"color_scheme": "light", "viewport": {"width": 1440, "height": 900}}
DARK = {**LIGHT, "color_scheme": "dark"}
NARROW = {**LIGHT, "viewport": {"width": 360, "height": 740}}


def classes():
    X, y = two_moons()
    frame = pd.DataFrame(X, columns=["across", "up"])
    return frame, y, {}


def measurements():
    data = sinc()
    return data.X, data.y, {}


def many_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 20))
    return X, X[:, 0] + 0.2 * rng.normal(size=70), {"kernels": ["gaussian", "laplacian"]}


def nothing():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 2)), rng.choice(["yes", "no"], 60), {}


def ten_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 12)
    names = np.array([f"a class with the rather long name {i}" for i in range(10)])
    X = 3 * rng.normal(size=(10, 3))[y] + rng.normal(size=(120, 3))
    long = kernels.Gaussian(4.0) + 0.123456789 * kernels.Polynomial(3, 1.0).normalized()
    return X, names[y], {"kernels": {"k" * 200: long, "short": kernels.Gaussian(4.0)}}


def hostile():
    frame, y = hostile_table()
    return frame, y, {"kernels": {HOSTILE: kernels.Gaussian(2.0), "<b>": kernels.Linear()}}


def columns():
    rng = np.random.default_rng(0)
    days = pd.to_timedelta(rng.integers(0, 300, 150), "D")
    frame = pd.DataFrame({HOSTILE: rng.normal(size=150), "when": pd.Timestamp("2024-01-01") + days})
    frame["town"] = rng.choice(["Ulm", "Bonn", "Kiel"], 150)
    score = frame[HOSTILE] + days.days / 150 + (frame["town"] == "Ulm")
    return frame, np.array(["low", "middle", "high"])[np.digitize(score, [0.8, 1.8])], {}


PROBLEMS = {
    made.__name__: made
    for made in (classes, measurements, many_columns, nothing, ten_classes, hostile, columns)
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Write the page of a problem once, and give its address."""
    folder, written = tmp_path_factory.mktemp("reports"), {}

    def address(name):
        if name not in written:
            X, y, options = PROBLEMS[name]()
            found = diagnose(X, y, **options)
            total = len(found.problem.source)
            labels = {"given": HOSTILE, "predicted": "b"} if name == "hostile" else {}
            text = diagnosis_page(
                found,
                suspicious=suspicious_rows(issue_frame(total, [1, 4, 9], **labels), found, X),
                forecast=falling_forecast(found.n),
                name=f"{HOSTILE} {name}",
            )
            path = folder / f"{name}.html"
            path.write_text(text, encoding="utf-8")
            written[name] = path.as_uri()
        return written[name]

    return address


def open_table(page, picture):
    """Open the table under a picture, which the page fills after the click, not with it."""
    page.locator(f"#{picture} summary").click()
    table = page.locator(f"#{picture} details table")
    table.locator("tbody tr").first.wait_for()
    return table


@pytest.fixture(scope="module")
def browser():
    # Chromium refuses its sandbox to root, as whom containers run.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser, reports):
    """Open a report; what it complains of, and what it asks of the network, is kept."""
    contexts = []

    def opened(name, **options):
        context = browser.new_context(**{**LIGHT, **options})
        contexts.append(context)
        page = context.new_page()
        seen = SimpleNamespace(errors=[], requests=[])
        page.on("console", lambda message: seen.errors.append(message.text))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("dialog", lambda dialog: seen.errors.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.goto(reports(name))
        page.wait_for_selector("#coefficients canvas")
        page.seen = seen
        return page

    yield opened
    for context in contexts:
        context.close()


def pixels(page, picture):
    """What a plot shows, as text that can be compared."""
    return page.evaluate("id => document.querySelector(`#${id} canvas`).toDataURL()", picture)


every_problem = pytest.mark.parametrize("name", PROBLEMS)


class TestOpening:
    @every_problem
    def test_nothing_is_complained_of_and_nothing_requested(self, visit, reports, name):
        page = visit(name)
        page.wait_for_timeout(100)
        assert page.seen.errors == []
        assert page.seen.requests == [reports(name)]

    def test_a_script_that_slips_in_would_not_run(self, visit):
        page = visit("classes")
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.ran = true";
                document.body.append(script);
                document.body.append(Object.assign(new Image(), {src: "http://127.0.0.1:9/"}));
            }"""
        )
        assert page.evaluate("window.ran") is None
        assert any("Content Security Policy" in error for error in page.seen.errors)

    def test_without_scripts_the_findings_are_there(self, visit, reports, browser):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(reports("classes"))
        assert page.locator("h1").is_visible()
        assert page.locator("#candidates table tbody tr").count() > 10
        assert not page.locator("#theme").is_visible()
        context.close()


class TestLayout:
    @every_problem
    @pytest.mark.parametrize("width", [360, 1440])
    def test_nothing_overflows(self, visit, name, width):
        page = visit(name, viewport={"width": width, "height": 800})
        for details in page.locator("details").all():
            details.evaluate("details => details.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # Beyond the edge only what scrolls inside a box of its own, or is hidden on purpose.
        outside = page.evaluate(
            """width => [...document.querySelectorAll("main *, header *, footer *")].filter(e => {
                const box = e.getBoundingClientRect();
                return box.right > width + 1 && !e.closest(".scroll, .unseen, .u-wrap");
            }).map(e => e.outerHTML.slice(0, 100))""",
            width,
        )
        assert outside == []

    @pytest.mark.parametrize("name", ["many_columns", "ten_classes", "columns"])
    def test_tables_scroll_in_a_box_of_their_own(self, visit, name):
        """On a phone every cell can be reached, beside the name of its row."""
        page = visit(name, viewport={"width": 390, "height": 800})
        boxes = page.locator("section > .scroll")
        assert boxes.count() >= 2
        for box in boxes.all():
            box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
            seen = box.evaluate(
                """box => {
                    const { left, right } = box.getBoundingClientRect();
                    const row = box.querySelector("tbody tr");
                    const [first, last] = [row.firstElementChild, row.lastElementChild];
                    const [name, cell] = [first, last].map((e) => e.getBoundingClientRect());
                    return { left, right, nameLeft: name.left, nameRight: name.right,
                             cellLeft: cell.left, cellRight: cell.right };
                }"""
            )
            assert 0 <= seen["left"] < seen["right"] <= 390
            assert seen["left"] <= seen["nameLeft"] < seen["nameRight"] <= seen["cellLeft"] + 1
            assert seen["cellRight"] <= seen["right"] + 1
        assert page.evaluate("scrollX") == 0

    def test_plots_follow_the_window(self, visit):
        page = visit("classes")
        wide = page.locator("#denoised canvas").bounding_box()["width"]
        page.set_viewport_size({"width": 500, "height": 800})
        page.wait_for_function(
            "wide => document.querySelector('#denoised canvas').clientWidth < wide", arg=wide
        )
        assert page.locator("#denoised canvas").bounding_box()["width"] < 500

    def test_prints_in_light_colours_and_comes_back(self, visit, tmp_path):
        page = visit("classes", **DARK)
        before = pixels(page, "criterion")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        assert page.locator("#criterion canvas").bounding_box()["width"] <= 325
        assert page.evaluate("document.querySelector('#criterion canvas').width") == 640
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") is None
        page.wait_for_function(
            "old => document.querySelector('#criterion canvas').toDataURL() === old", arg=before
        )
        page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
        assert (tmp_path / "report.pdf").stat().st_size > 20_000
        assert page.seen.errors == []


class TestAccessibility:
    @pytest.mark.parametrize(
        "name, scheme",
        [
            *(pytest.param(name, LIGHT, marks=pytest.mark.slow, id=name) for name in PROBLEMS),
            pytest.param("columns", LIGHT, id="light"),
            pytest.param("classes", DARK, id="dark"),
            pytest.param("hostile", NARROW, id="narrow"),
        ],
    )
    def test_axe_finds_nothing(self, visit, name, scheme):
        page = visit(name, **scheme)
        open_table(page, "coefficients")
        violations = axe.Axe().run(page).response["violations"]
        assert [(v["id"], v["impact"], v["nodes"][0]["html"]) for v in violations] == []

    def test_dark_by_button_has_enough_contrast_too(self, visit):
        page = visit("classes")
        page.locator("#theme").click()
        assert axe.Axe().run(page).response["violations"] == []

    def test_skip_link_comes_first(self, visit):
        page = visit("classes")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.locator(".skip").bounding_box()["x"] >= 0
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"

    def test_focus_is_seen(self, visit):
        page = visit("classes")
        page.locator("#coefficients .plot").focus()
        page.keyboard.press("ArrowRight")
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style == "solid"

    def test_keys_go_from_point_to_point(self, visit):
        page = visit("classes")
        page.locator("#coefficients .plot").focus()
        said = page.locator("#coefficients [aria-live]")
        page.keyboard.press("ArrowRight")
        assert said.inner_text().startswith("Component 1:")
        page.keyboard.press("ArrowRight")
        assert said.inner_text().startswith("Component 2:")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert said.inner_text().startswith("Component 1:")
        assert page.locator("#coefficients .tip").is_visible()
        page.keyboard.press("End")
        assert "Component" in said.inner_text()
        assert not said.inner_text().startswith("Component 1:")
        page.keyboard.press("Escape")
        assert not page.locator("#coefficients .tip").is_visible()

    def test_enter_chooses_the_kernel_at_hand(self, visit):
        page = visit("classes")
        page.locator("#by-criterion .plot").focus()
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        assert page.locator("#kernel").input_value() == "0"

    @pytest.mark.parametrize("picture", ["coefficients", "criterion", "denoised", "by-error"])
    def test_tables_hold_the_numbers_of_the_plots(self, visit, picture):
        page = visit("classes")
        table = open_table(page, picture)
        rows = table.locator("tbody tr")
        expected = page.evaluate(
            """picture => {
                const data = JSON.parse(document.getElementById("data").textContent);
                const kernel = data.kernels[data.shown];
                return {
                    coefficients: kernel.first.length, criterion: kernel.curve.length,
                    denoised: kernel.denoised.length, "by-error": data.trials.length,
                }[picture];
            }""",
            picture,
        )
        playwright.expect(rows).to_have_count(expected)
        assert table.locator("thead th").first.get_attribute("scope") == "col"


class TestInteraction:
    def test_choosing_a_kernel_changes_the_plots(self, visit):
        page = visit("classes")
        best = page.locator("#kernel").input_value()
        before = {name: pixels(page, name) for name in ("coefficients", "criterion", "denoised")}
        title, line = page.locator("#criterion h3"), page.locator("#about-kernel")
        texts = title.inner_text(), line.inner_text()
        page.locator("#kernel").select_option("0")
        for name, old in before.items():
            assert pixels(page, name) != old, name
        assert (title.inner_text(), line.inner_text()) != texts
        assert page.locator(".pick[aria-pressed=true]").get_attribute("data-number") == "0"
        page.locator("#kernel").select_option(best)
        for name, old in before.items():
            assert pixels(page, name) == old, name
        assert (title.inner_text(), line.inner_text()) == texts

    def test_choosing_in_the_table(self, visit):
        page = visit("classes")
        third = page.locator(".pick").nth(2)
        third.click()
        assert page.locator("#kernel").input_value() == third.get_attribute("data-number")
        assert third.get_attribute("aria-pressed") == "true"

    def test_choosing_in_the_plot(self, visit):
        page = visit("classes")
        over = page.locator("#by-criterion .u-over")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        page.mouse.click(box["x"] + box["width"] - 12, box["y"] + box["height"] / 2)
        last = page.locator(".pick").count() - 1
        assert page.locator("#kernel").input_value() == str(last)

    def test_open_table_follows_the_kernel(self, visit):
        page = visit("classes")
        table = open_table(page, "coefficients")
        before = table.inner_text()
        page.locator("#kernel").select_option("0")
        assert table.inner_text() != before

    @pytest.mark.parametrize("name", ["classes", "measurements", "many_columns"])
    def test_hover_tells_about_a_point(self, visit, name):
        page = visit(name)
        for picture in ("coefficients", "criterion", "by-error", "forecast-curve"):
            over = page.locator(f"#{picture} .u-over")
            over.scroll_into_view_if_needed()
            over.hover()
            tip = page.locator(f"#{picture} .tip")
            # The cursor is drawn with the next frame.
            tip.wait_for(state="visible")
            assert any(letter.isdigit() for letter in tip.inner_text())
        page.mouse.move(0, 0)
        page.locator("#forecast-curve .tip").wait_for(state="hidden")

    def test_hover_finds_the_nearest_row(self, visit):
        page = visit("classes")
        page.locator("#denoised .plot").focus()
        page.keyboard.press("Home")
        text = page.locator("#denoised .tip").inner_text()
        assert text.startswith("Row ")
        assert "given lower" in text
        tip = page.locator("#denoised .tip")
        over = page.locator("#denoised .u-over")
        # Between the two classes there is nothing to point at.
        over.hover(position={"x": over.bounding_box()["width"] / 2, "y": 5})
        tip.wait_for(state="hidden")

    @pytest.mark.parametrize("picture", ["coefficients", "denoised", "forecast-curve"])
    def test_zoom_and_back(self, visit, picture):
        page = visit("classes")
        whole = pixels(page, picture)
        figure = page.locator(f"#{picture}")
        figure.get_by_role("button", name="Zoom in").click()
        closer = pixels(page, picture)
        assert closer != whole
        figure.get_by_role("button", name="Zoom out").click()
        assert pixels(page, picture) == whole
        figure.get_by_role("button", name="Zoom in").click()
        figure.get_by_role("button", name="Show all").click()
        assert pixels(page, picture) == whole

    def test_zoom_by_keys_and_by_dragging(self, visit):
        page = visit("classes")
        whole = pixels(page, "criterion")
        page.locator("#criterion .plot").focus()
        page.keyboard.press("+")
        assert pixels(page, "criterion") != whole
        page.keyboard.press("-")
        assert pixels(page, "criterion") == whole
        over = page.locator("#criterion .u-over")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        page.mouse.move(box["x"] + 60, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + 200, box["y"] + 60, steps=5)
        page.mouse.up()
        assert pixels(page, "criterion") != whole
        page.keyboard.press("0")
        page.mouse.move(0, 0)
        assert pixels(page, "criterion") == whole

    def test_axis_can_be_linear(self, visit):
        page = visit("classes")
        before = pixels(page, "coefficients")
        button = page.locator("#coefficients").get_by_role("button", name="Logarithmic axis")
        button.click()
        assert button.get_attribute("aria-pressed") == "false"
        assert pixels(page, "coefficients") != before
        button.click()
        assert pixels(page, "coefficients") == before

    @pytest.mark.parametrize(
        "scheme, first, then",
        [(LIGHT, "Dark colours", "Light colours"), (DARK, "Light colours", "Dark colours")],
        ids=["light", "dark"],
    )
    def test_theme(self, visit, scheme, first, then):
        """The button says what a click does, in either theme."""
        page = visit("classes", **scheme)
        button = page.locator("#theme")
        assert button.inner_text() == first
        colour = "getComputedStyle(document.body).backgroundColor"
        before, drawn = page.evaluate(colour), pixels(page, "criterion")
        button.click()
        assert button.inner_text() == then
        assert page.evaluate(colour) != before
        assert pixels(page, "criterion") != drawn
        button.click()
        assert page.evaluate(colour) == before
        assert pixels(page, "criterion") == drawn

    def test_theme_follows_the_system(self, visit):
        page = visit("classes")
        drawn = pixels(page, "criterion")
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(
            "old => document.querySelector('#criterion canvas').toDataURL() !== old", arg=drawn
        )
        assert page.locator("#theme").inner_text() == "Light colours"

    def test_tables_can_be_sorted(self, visit):
        page = visit("classes")
        table = page.locator("#candidates table")
        head = table.get_by_role("columnheader", name="Criterion")
        values = "cells => cells.map(cell => Number(cell.dataset.value))"
        cells = table.locator("tbody td:nth-of-type(2)")
        given = cells.evaluate_all(values)
        # It comes sorted by what its lead says.
        assert head.get_attribute("aria-sort") == "ascending"
        assert given == sorted(given)
        head.get_by_role("button").press("Enter")
        assert head.get_attribute("aria-sort") == "descending"
        assert cells.evaluate_all(values) == sorted(given, reverse=True)
        kernel = table.get_by_role("columnheader", name="Kernel")
        kernel.get_by_role("button").click()
        assert head.get_attribute("aria-sort") is None
        # A row that was moved still chooses its own kernel.
        name = table.locator(".pick").first.inner_text()
        table.locator(".pick").first.click()
        chosen = page.locator("#kernel option:checked").inner_text()
        assert chosen.removesuffix(" (the best)") == name


class TestStory:
    """What stands at the top, and what is one click away."""

    def test_one_noise_figure_in_cards(self, visit):
        page = visit("measurements")
        names = page.locator(".card dt").all_inner_texts()
        assert names == ["Expected error", "Noise", "Relevant dimension", "Signal"]
        top = page.locator("section.verdict").inner_text()
        assert "raining residual" not in top
        sections = page.locator("section:not(#words)").all_inner_texts()
        assert not [text for text in sections if "oise level" in text]

    def test_other_models_stand_beside_the_diagnosis(self, visit):
        page = visit("measurements")
        rows = page.locator("#models tbody tr")
        assert rows.count() == 4
        assert page.locator("#models .own").count() == 1
        widths = rows.locator("rect").evaluate_all("bars => bars.map(b => b.width.baseVal.value)")
        assert widths == sorted(widths)
        assert max(widths) == 1000

    @pytest.mark.parametrize("scheme", [LIGHT, NARROW], ids=["wide", "narrow"])
    def test_glossary_is_one_click_away(self, visit, scheme):
        page = visit("classes", **scheme)
        page.get_by_role("link", name="Glossary").click()
        page.wait_for_function(
            "() => Math.abs(document.querySelector('#words').getBoundingClientRect().top) < 60"
        )
        words = page.locator("#words dt").all_inner_texts()
        assert [word.lower() for word in words] == [term.word.lower() for term in GLOSSARY]

    def test_small_qualities_are_told_apart(self, browser, of_small_qualities):
        page = browser.new_page()
        page.goto(of_small_qualities)
        texts = page.locator("#rows tbody td:nth-of-type(1)").all_inner_texts()
        assert texts == ["1.7e-20", "5.9e-08", "0.00031"]
        page.close()


@pytest.fixture(scope="module")
def of_small_qualities(tmp_path_factory):
    """Write the page of rows that look wrong, some of them very wrong."""
    X, y, _ = classes()
    found = diagnose(X, y, kernels=kernels.Gaussian(1.0))
    issues = issue_frame(len(y), [1, 4, 9])
    issues.loc[[1, 4, 9], "label_quality"] = [5.9e-8, 3.1e-4, 1.7e-20]
    path = tmp_path_factory.mktemp("rows") / "rows.html"
    table = suspicious_rows(issues, found, X)
    path.write_text(labels_page(found, table, name=HOSTILE), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def of_forecast(tmp_path_factory):
    X, y, _ = measurements()
    found = diagnose(X, y, kernels=kernels.Gaussian(1.0))
    curve = found.forecast(forecast_rows(len(y)))
    path = tmp_path_factory.mktemp("forecast") / "forecast.html"
    page = forecast_page(found, curve, answer="It takes <b>many</b>.", name=HOSTILE)
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def of_columns(tmp_path_factory):
    X, y, _ = columns()
    found = diagnose(X, y, references=False)
    path = tmp_path_factory.mktemp("columns") / "columns.html"
    page = columns_page(found, name=HOSTILE)
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


class TestPagesOfCommands:
    @pytest.mark.parametrize("scheme", [LIGHT, DARK, NARROW], ids=["light", "dark", "narrow"])
    @pytest.mark.parametrize("which", ["of_small_qualities", "of_forecast", "of_columns"])
    def test_opens_for_everybody(self, browser, request, which, scheme):
        address = request.getfixturevalue(which)
        context = browser.new_context(**scheme)
        page = context.new_page()
        heard, requests = [], []
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address)
        page.wait_for_selector("#theme")
        width = scheme["viewport"]["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("main b, main script").count() == 0
        assert axe.Axe().run(page).response["violations"] == []
        assert (heard, requests) == ([], [address])
        context.close()

    def test_forecast_is_drawn_and_listed(self, browser, of_forecast):
        page = browser.new_page()
        page.goto(of_forecast)
        page.wait_for_selector("#forecast-curve canvas")
        assert open_table(page, "forecast-curve").locator("tbody tr").count() > 20
        assert "It takes <b>many</b>." in page.locator("section.verdict").inner_text()
        page.close()

    def test_effects_of_columns_are_drawn_and_listed(self, browser, of_columns):
        page = browser.new_page()
        page.goto(of_columns)
        page.wait_for_selector("#effect-0 canvas")
        assert page.locator("#columns tbody tr").first.locator("td").count() == 4
        assert open_table(page, "effect-0").locator("tbody tr").count() > 2
        page.close()


#: Notes every text that is drawn level on a canvas, with the place that it takes.
NOTE_TEXTS = """
const draw = CanvasRenderingContext2D.prototype.fillText;
window.drawn = new Map();
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const { b } = this.getTransform();
  const width = this.measureText(text).width;
  const before = { center: 0.5, right: 1, end: 1 }[this.textAlign] ?? 0;
  const left = x - before * width;
  const texts = window.drawn.get(this.canvas) ?? [];
  if (b === 0 && text) texts.push({ text, left, right: left + width, y });
  window.drawn.set(this.canvas, texts);
  draw.apply(this, arguments);
};
window.collisions = () =>
  [...window.drawn].flatMap(([canvas, texts]) => {
    const figure = canvas.closest("figure");
    if (!figure) return [];
    return texts.flatMap((one, i) =>
      texts.slice(i + 1)
        .filter((other) => Math.abs(one.y - other.y) < 12 && one.text !== other.text)
        .filter((other) => one.left < other.right + 3 && other.left < one.right + 3)
        .map((other) => `${figure.id}: ${one.text} and ${other.text}`));
  });
"""


class TestTicks:
    @pytest.mark.parametrize("width", [390, 1280])
    @pytest.mark.parametrize("name", ["classes", "measurements", "many_columns"])
    def test_labels_of_plots_do_not_collide(self, browser, reports, name, width):
        self.check(browser, reports(name), width)

    @pytest.mark.parametrize("width", [390, 1280])
    def test_labels_of_a_comparison_do_not_collide(self, browser, comparison, width):
        self.check(browser, comparison, width)

    @staticmethod
    def check(browser, address, width):
        context = browser.new_context(viewport={"width": width, "height": 900})
        page = context.new_page()
        page.add_init_script(NOTE_TEXTS)
        page.goto(address)
        page.wait_for_selector("figure canvas")
        page.wait_for_timeout(200)
        assert page.evaluate("window.drawn.size") >= 3
        assert page.evaluate("window.collisions()") == []
        context.close()


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    X, y = two_moons()
    names = [HOSTILE, "a representation with a rather long name", "c", "d", "e", "f", "g", "h"]
    found = compare({name: X + 0.1 * i * X[:, ::-1] for i, name in enumerate(names)}, y)
    path = tmp_path_factory.mktemp("comparison") / "comparison.html"
    found.write_report(path, name=HOSTILE)
    return path.as_uri()


class TestComparison:
    @pytest.mark.parametrize("scheme", [LIGHT, DARK, NARROW], ids=["light", "dark", "narrow"])
    def test_opens_for_everybody(self, browser, comparison, scheme):
        context = browser.new_context(**scheme)
        page = context.new_page()
        heard, requests = [], []
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(comparison)
        page.wait_for_selector("#curves canvas")
        playwright.expect(open_table(page, "errors").locator("tbody tr")).to_have_count(8)
        playwright.expect(page.locator("canvas")).to_have_count(3)
        width = scheme["viewport"]["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator("#dimensions .plot").focus()
        page.keyboard.press("ArrowRight")
        assert "relevant dimension" in page.locator("#dimensions .tip").inner_text()
        assert axe.Axe().run(page).response["violations"] == []
        assert (heard, requests) == ([], [comparison])
        context.close()

    @pytest.mark.parametrize("width", [390, 1280])
    def test_no_cell_is_cut_off(self, browser, comparison, width):
        context = browser.new_context(viewport={"width": width, "height": 900})
        page = context.new_page()
        page.goto(comparison)
        cut = page.evaluate(
            """() => [...document.querySelectorAll(".stacked td, .stacked tbody th")].filter(e => {
                const box = e.closest(".scroll").getBoundingClientRect();
                const own = e.getBoundingClientRect();
                const below = innerWidth < 600 && own.bottom > box.bottom + 1;
                return below || own.right > box.right + 1 || own.left < box.left - 1;
            }).map(e => e.outerHTML)"""
        )
        assert cut == []
        context.close()

    def test_headline_and_conclusion_agree(self, browser, comparison):
        page = browser.new_page()
        page.goto(comparison)
        head = page.locator("h1").inner_text()
        told = page.locator("section.verdict .evidence").first.inner_text()
        assert (" leads; " in head) == (" leads by " in told)
        assert ("is best" in head) == ("may be as good" not in told)
        page.close()


class TestHostileData:
    def test_names_labels_and_cells_are_shown_as_text(self, visit):
        page = visit("hostile")
        assert page.locator("#rows thead th").nth(4).inner_text().startswith(HOSTILE)
        assert page.locator("#rows tbody td").nth(1).inner_text() == HOSTILE
        assert HOSTILE in page.locator("#kernel").inner_text()
        assert HOSTILE in page.locator("header p").inner_text()
        assert HOSTILE in page.title()
        assert HOSTILE in open_table(page, "denoised").inner_text()
        page.locator("#denoised .plot").focus()
        page.keyboard.press("End")
        assert "alert(1)" in page.locator("#denoised .tip").inner_text()
        assert page.locator("main b, main i, main img, main script").count() == 0
        assert page.seen.errors == []
