"""The report: one data object, and views that show it."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_matrix

from reldim import compare, datasets, diagnose, kernels
from reldim.cli import console
from reldim.cli.views import diagnosis_view
from reldim.diagnosis import settings
from reldim.diagnosis.forecast import RATE
from reldim.diagnosis.settings import Settings, described, versions
from reldim.exceptions import FileError, InputError
from reldim.relevance.error_curve import error_curve
from reldim.report.comparing import LOOKS, PAIRS, POINTS, comparison_page, side_by_side
from reldim.report.details import PICTURES, _parameter, detail, numbers
from reldim.report.forecasts import forecast_rows
from reldim.report.page import TRIALS, diagnosis_page, embed_json, split_error
from reldim.report.rows import COLUMNS, ROWS, cell_text, suspicious_rows
from reldim.report.summary import percent, plain, summarise
from reporting import HOSTILE, falling_forecast, hostile_table, issue_frame, sinc, two_moons

GAUSSIAN = kernels.Gaussian(1.0)


class Elements(HTMLParser):
    """The elements of a page and the text in them."""

    def __init__(self, page):
        super().__init__()
        self.found, self.texts, self._open = [], {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def tags(self, name):
        return [attributes for tag, attributes in self.found if tag == name]


def page_of(diagnosis, **options):
    return diagnosis_page(summarise(diagnosis), detail(diagnosis), **options)


def payload_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


@pytest.fixture(scope="module")
def of_sinc():
    data = sinc()
    return diagnose(data.X, data.y)


@pytest.fixture(scope="module")
def of_moons():
    return diagnose(*two_moons())


@pytest.fixture(scope="module")
def of_noise():
    rng = np.random.default_rng(0)
    return diagnose(rng.normal(size=(60, 2)), rng.choice(["yes", "no"], 60))


class TestSummary:
    def test_every_view_shows_every_figure(self, of_sinc, of_moons):
        for diagnosis in (of_sinc, of_moons):
            terminal = console.terminal(color=False)
            terminal.width = 200
            with terminal.capture() as captured:
                terminal.print(diagnosis_view(diagnosis))
            views = {
                "text": str(diagnosis),
                "terminal": captured.get(),
                "notebook": unescape(diagnosis._repr_html_()),
            }
            for figure in diagnosis.summary.figures:
                missing = [name for name, view in views.items() if figure.text not in view]
                assert not missing, (figure, missing)

    def test_numbers_are_those_of_the_diagnosis(self, of_moons):
        summary, found = of_moons.summary, of_moons.to_dict()
        for name in ("dimension", "noise_level", "error_estimate", "p_value", "criterion"):
            assert getattr(summary, name) == getattr(of_moons, name) == found[name]
        assert found["interval"] == [*of_moons.interval]
        assert found["schema"] == "reldim.diagnosis/1"
        assert found["columns"] == 2
        assert found["classes"] == ["lower", "upper"]
        assert json.loads(json.dumps(found, allow_nan=False)) == found

    def test_candidates_agree_with_the_frame(self, of_sinc):
        frame = of_sinc.candidates
        assert frame.to_dict(orient="records") == of_sinc.to_dict()["candidates"]
        assert frame["chosen"].sum() == 1
        assert frame.loc[of_sinc.index, "chosen"]

    def test_noise_comes_with_its_interval(self, of_moons):
        known = replace(of_moons.summary, noise_estimate=0.2, noise_interval=(0.15, 0.261))
        (figure,) = (f for f in known.figures if f.name == "noise level")
        assert figure.text.endswith("of labels (estimate 20.0%, 90% interval 15.0% to 26.1%)")
        parts = split_error(replace(known, error_estimate=0.3, constant_error=0.4))
        assert [part.text for part in parts] == ["10.0%", "10.0%", "20.0%"]
        assert of_moons.summary.noise_estimate == of_moons.noise_estimate.value
        assert of_moons.to_dict()["noise_interval"] == [*of_moons.noise_estimate.interval]

    def test_data_that_a_function_takes_have_no_columns(self):
        def same_start(X, Z):
            return np.array([[float(x[0] == z[0]) for z in Z] for x in X])

        X = ["ACGT", "ACGA", "TCGT", "TCGA", "ACCT", "TCCA"]
        found = diagnose(X, [0, 0, 1, 1, 0, 1], kernels=same_start)
        assert found.summary.columns is None
        assert "6 rows, classification with 2 classes" in page_of(found)

    def test_huge_errors_are_only_called_large(self):
        assert percent(2976430.0) == "over 1000%"
        assert percent(0.1234) == "12.3%"

    @pytest.mark.parametrize(
        "value, expected",
        [
            (np.float64(1.5), 1.5),
            (np.int64(3), 3),
            (np.True_, True),
            (None, None),
            (pd.Timestamp("2024-01-02"), "2024-01-02 00:00:00"),
            (np.array([1, 2]), "[1 2]"),
        ],
        ids=str,
    )
    def test_plain(self, value, expected):
        found = plain(value)
        assert found == expected
        assert type(found) is type(expected)


class TestSettings:
    def test_call_repeats_what_was_asked_for(self):
        data = sinc(40)
        found = diagnose(data.X, data.y, kernels=["gaussian", kernels.Linear()], task="regression")
        assert found.settings.call == (
            "reldim.diagnose(X, y, kernels=['gaussian', Linear()], task='regression')"
        )

    def test_defaults_are_left_out(self, of_sinc):
        assert of_sinc.settings.call == "reldim.diagnose(X, y)"

    def test_functions_are_called_by_name(self):
        assert described({"mine": np.dot, "other": GAUSSIAN}) == (
            "{'mine': dot, 'other': Gaussian(width=1.0)}"
        )
        assert "0x" not in described(lambda X, Z: X @ Z.T)

    def test_long_lists_are_cut(self):
        many = [kernels.Gaussian(float(width)) for width in range(1, 100)]
        found = Settings.of(many, task="auto", criterion="", solver="auto", random_state=None)
        assert len(found.kernels) == settings.LETTERS
        assert found.kernels.endswith("…")

    def test_versions_of_what_is_installed(self, monkeypatch):
        assert versions()["numpy"] == np.__version__
        monkeypatch.setattr(settings, "PACKAGES", ("numpy", "no-such-package"))
        assert list(versions()) == ["reldim", "Python", "numpy"]


class TestDetails:
    def test_pictures_are_the_outlines(self, of_moons):
        found = detail(of_moons)
        assert [picture.name for picture in found.kernels] == [row.name for row in of_moons.tried]
        assert found.shown == of_moons.index
        best, outline = found.kernels[found.shown], of_moons.tried[of_moons.index].outline
        np.testing.assert_allclose(best.curve, outline.curve, rtol=1e-4)
        np.testing.assert_allclose(best.shares, outline.shares, rtol=1e-4)
        np.testing.assert_allclose(best.denoised, outline.denoised, rtol=1e-4)
        assert best.decided == tuple(outline.decided)

    def test_the_best_kernels_have_pictures(self):
        data = sinc(30)
        many = [kernels.Gaussian(w) for w in np.geomspace(1e-3, 1e3, PICTURES + 9)]
        diagnosis = diagnose(data.X, data.y, kernels=many)
        found = detail(diagnosis)
        assert len(found.kernels) == PICTURES
        shown = [picture.number for picture in found.kernels]
        assert shown == sorted(shown)
        assert shown[found.shown] == diagnosis.index
        values = np.array([row.criterion_value for row in diagnosis.tried])
        left_out = np.delete(values, shown)
        assert left_out.min() >= values[shown].max()
        page = page_of(diagnosis)
        assert f"The {PICTURES} best have pictures." in page
        assert len(re.findall(r'class="pick"', page)) == PICTURES

    def test_rows_keep_the_numbers_they_were_given(self):
        data = sinc(30)
        X, y = np.vstack([data.X[:3], data.X]), np.append(data.y[:3], data.y)
        diagnosis = diagnose(X, y, kernels=GAUSSIAN)
        assert diagnosis.n == 30
        found = detail(diagnosis).sample
        assert found.names == tuple(str(i) for i in (*range(3), *range(6, 33)))
        np.testing.assert_allclose(found.given, data.y, rtol=1e-4)
        np.testing.assert_allclose(found.x, data.X[:, 0], rtol=1e-4)
        names = [f"row {i}" for i in range(33)]
        assert detail(diagnosis, names=names).sample.names[3] == "row 6"

    def test_sample_of_many_rows_says_so(self):
        data = sinc(700)
        diagnosis = diagnose(data.X, data.y, kernels=GAUSSIAN)
        found = detail(diagnosis).sample
        assert len(found.names) == len(found.given) == 500
        assert found.note.startswith("500 of 700 rows are shown")
        assert found.note in page_of(diagnosis)

    def test_grouped_components_are_said_to_be(self):
        data = sinc(300)
        page = page_of(diagnose(data.X, data.y, kernels=kernels.Laplacian(1.0)))
        sentence = "Beyond 200 components a dot is the mean of several."
        assert sentence in page
        small = sinc(100)
        assert sentence not in page_of(diagnose(small.X, small.y, kernels=GAUSSIAN))

    def test_several_targets_show_the_first(self):
        data = sinc(30)
        diagnosis = diagnose(data.X, np.column_stack([data.y, 2 * data.y]), kernels=GAUSSIAN)
        assert "Of 2 targets the first is shown." in page_of(diagnosis)

    def test_a_column_has_its_name(self):
        data = sinc(30)
        frame = pd.DataFrame({"depth": data.X[:, 0]})
        assert detail(diagnose(frame, data.y, kernels=GAUSSIAN)).sample.x_name == "depth"

    def test_numbers(self):
        assert numbers([1 / 3, np.inf, np.nan, -2e-7]) == (0.33333, None, None, -2e-7)

    @pytest.mark.parametrize(
        "tried, expected",
        [
            ([GAUSSIAN], None),
            ([GAUSSIAN, kernels.Gaussian(2.0)], ("width", [1.0, 2.0])),
            ([GAUSSIAN, kernels.Laplacian(2.0)], None),
            ([kernels.Polynomial(2, 1.0), kernels.Polynomial(3, 1.0)], ("degree", [2.0, 3.0])),
            ([kernels.Polynomial(2, 1.0), kernels.Polynomial(3, 2.0)], None),
            ([kernels.Polynomial(2, 0.0), kernels.Polynomial(2, 1.0)], None),
            ([GAUSSIAN + GAUSSIAN, GAUSSIAN + kernels.Linear()], None),
            ([kernels.Linear(), kernels.Linear()], None),
            ([kernels.as_kernel(np.dot), kernels.as_kernel(np.dot)], None),
            (["no", "dataclass"], None),
        ],
        ids=str,
    )
    def test_parameter(self, tried, expected):
        assert _parameter(tried) == expected

    def test_titles_say_the_finding(self, of_sinc, of_noise):
        best = detail(of_sinc).kernels[of_sinc.index]
        d = of_sinc.dimension
        assert best.titles[0] == f"The first {d} components carry the targets"
        low, high = of_sinc.interval
        assert low < high
        assert best.titles[1] == (
            f"The best cut is at {d}, with 90% probability from {low} to {high}"
        )
        sure = replace(of_sinc.tried[0], outline=replace(of_sinc.tried[0].outline))
        vars(sure.outline)["interval"] = (5, 5)
        title = detail(replace(of_sinc, tried=(sure,), index=0)).kernels[0].titles[1]
        assert title == f"The best cut is at {sure.dimension}"
        assert percent(of_sinc.noise_level) in best.titles[2]
        silent = next(p for p in detail(of_noise).kernels if p.dimension == 0)
        assert silent.titles[0] == "No component stands out from noise"


class TestRows:
    def test_worst_first_and_no_more_than_fit(self, of_sinc):
        table = suspicious_rows(issue_frame(80, [3, 70, 11]), of_sinc)
        assert [row.name for row in table.rows] == ["70", "11", "3"]
        assert (table.found, table.total, table.columns) == (3, 80, ("column 0",))
        assert float(table.rows[0].cells[0]) == pytest.approx(of_sinc.problem.X[70, 0], rel=1e-5)
        many = suspicious_rows(issue_frame(80, range(70)), of_sinc)
        assert (many.found, len(many.rows)) == (70, ROWS)

    def test_wide_data(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(30, COLUMNS + 5))
        found = diagnose(X, X[:, 0], kernels=kernels.Linear())
        table = suspicious_rows(issue_frame(30, [1]), found)
        assert len(table.columns) == len(table.rows[0].cells) == COLUMNS
        assert table.more_columns == 5

    def test_copies_show_their_own_row(self):
        data = sinc(30)
        X, y = np.vstack([data.X, data.X[:2]]), np.append(data.y, data.y[:2])
        found = diagnose(X, y, kernels=GAUSSIAN)
        table = suspicious_rows(issue_frame(32, [31]), found)
        assert table.rows[0].cells == (cell_text(X[31, 0]),)

    def test_prepared_table_needs_the_data(self):
        frame, y = hostile_table()
        found = diagnose(frame, y, kernels=kernels.Linear())
        bare = suspicious_rows(issue_frame(90, [5]), found)
        assert bare.rows[0].cells == ()
        assert "write_report" in bare.hint
        named = frame.set_axis([f"r{i}" for i in range(90)])
        table = suspicious_rows(issue_frame(90, [5]), found, named)
        assert (table.rows[0].name, table.columns[0], table.hint) == ("r5", HOSTILE, "")
        assert table.rows[0].cells[2] == frame["town"].iloc[5]

    @pytest.mark.parametrize("form", [coo_array, csr_matrix, lambda X: X, lambda X: X.tolist()])
    def test_kinds_of_data(self, of_moons, form):
        X, _ = two_moons()
        table = suspicious_rows(issue_frame(80, [4]), of_moons, form(X))
        expected = tuple(cell_text(float(value)) for value in X[4])
        assert table.rows[0].cells[:1] == expected[:1]
        assert table.rows[0].name == "4"

    def test_sequences(self):
        X = ["ACGT", "ACGA", "TCGT", "TCGA", "ACCT", "TCCA"]
        found = diagnose(X, [0, 0, 1, 1, 0, 1], kernels=kernels.WeightedDegree(1))
        assert suspicious_rows(issue_frame(6, [2]), found).rows[0].cells == ("TCGT",)
        assert suspicious_rows(issue_frame(6, [2]), found, X).columns == ("value",)

    def test_kernel_matrix_has_no_values(self):
        data = sinc(30)
        found = diagnose(GAUSSIAN(data.X, data.X), data.y, kernels=kernels.Precomputed())
        table = suspicious_rows(issue_frame(30, [0]), found)
        assert table.columns == table.rows[0].cells == ()
        assert "kernel matrix" in table.hint

    def test_data_of_another_length(self, of_sinc):
        with pytest.raises(InputError, match="each of the 80 rows .* Got 7 rows"):
            suspicious_rows(issue_frame(80, [0]), of_sinc, np.zeros((7, 1)))

    @pytest.mark.parametrize(
        "value, text",
        [
            (None, "–"),
            (pd.NA, "–"),
            (pd.NaT, "–"),
            (12, "12"),
            ([1, 2], "[1, 2]"),
            ((0.5, 1 / 3), "0.5, 0.333333"),
            (True, "True"),
        ],
        ids=str,
    )
    def test_cells(self, value, text):
        assert cell_text(value) == text


class TestForecast:
    def test_rows_ascend_from_those_at_hand(self):
        for n in (2, 3, 10, 777, 100_000):
            rows = forecast_rows(n)
            assert np.all(np.diff(rows) > 0)
            assert (rows[0], rows[-1]) == (n, 10 * n)
            assert 2 * n in rows

    def test_title_compares_with_twice_the_rows(self):
        table = falling_forecast(100, floor=0.1, excess=0.1)
        expected = 0.1 + 0.1 / 2**RATE
        assert (
            table.title == f"Twice as many rows would bring the error from 20.0% to {expected:.1%}"
        )
        assert table.error[table.rows.index(200)] == pytest.approx(expected)
        assert "100 rows at hand" in table.reason
        flat = falling_forecast(100, floor=0.3, excess=0.0)
        assert flat.title == "Twice as many rows would leave the error at 30.0%"


class TestPage:
    def test_holds_all_it_needs(self, of_moons):
        page = Elements(page_of(of_moons))
        assert len(page.tags("script")) == 2
        loads = {"src", "srcset", "data", "action", "ping", "background", "poster"}
        assert not [(tag, a) for tag, a in page.found if loads & a.keys()]
        links = [a["href"] for tag, a in page.found if "href" in a]
        assert all(link.startswith("#") or link == "data:," for link in links)
        assert not [a for _, a in page.found if any(key.startswith("on") for key in a)]
        assert not re.search(r"@import|url\(", " ".join(page.texts["style"]))

    def test_links_lead_somewhere(self, of_moons):
        page = Elements(page_of(of_moons))
        ids = [a["id"] for _, a in page.found if "id" in a]
        assert len(ids) == len(set(ids))
        assert {a["href"][1:] for a in page.tags("a")} <= {*ids}

    def test_policy_admits_our_own_text_alone(self, of_sinc):
        page = page_of(of_sinc)
        policy = unescape(re.search(r'Security-Policy" content="([^"]*)"', page)[1])
        rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
        assert rules["default-src"] == "'none'"
        for rule, pattern in {
            "script-src": r"<script>(.*?)</script>",
            "style-src": r"<style>(.*?)</style>",
        }.items():
            (text,) = re.findall(pattern, page, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert rules[rule] == f"'sha256-{digest}'"

    def test_licence_of_the_plot_library_comes_along(self, of_sinc):
        page = page_of(of_sinc)
        assert "Copyright (c) 2022 Leon Sorokin" in page
        assert "Permission is hereby granted" in page

    def test_user_data_are_escaped(self):
        frame, y = hostile_table()
        found = diagnose(frame, y, kernels={HOSTILE: kernels.Linear(), "other": GAUSSIAN})
        details = detail(found, suspicious=suspicious_rows(issue_frame(90, [5]), found, frame))
        text = diagnosis_page(summarise(found), details, name=HOSTILE, command=HOSTILE)
        page = Elements(text)
        assert len(page.tags("script")) == 2
        assert not page.tags("img")
        assert not page.tags("b")
        assert not page.tags("i")
        assert HOSTILE not in text
        assert escape(HOSTILE) in text
        assert payload_of(text)["classes"] == sorted({*y})
        notebook = Elements(found._repr_html_())
        assert not notebook.tags("script")

    def test_payload_is_what_the_details_hold(self, of_moons):
        payload = payload_of(page_of(of_moons))
        assert payload["shown"] == of_moons.index
        assert len(payload["kernels"]) == len(payload["trials"]) == len(of_moons.tried)
        assert payload["axis_name"] == "width"
        assert payload["axis"] == sorted(payload["axis"])

    @pytest.mark.parametrize("sign", ["<", ">", "&", "\u2028", "\u2029", "</script>", "<!--"])
    def test_embedded_json(self, sign):
        text = embed_json([f"a{sign}b"])
        assert json.loads(text) == [f"a{sign}b"]
        assert sign not in text

    def test_embedded_json_has_no_nan(self):
        with pytest.raises(ValueError, match="JSON compliant"):
            embed_json(float("nan"))

    def test_broken_text_can_be_written(self, of_sinc):
        page = page_of(of_sinc, name="broken \udc80")
        assert "broken ?" in page
        page.encode("utf-8")

    def test_same_diagnosis_same_page(self, of_sinc):
        data = sinc()
        assert page_of(of_sinc) == page_of(diagnose(data.X, data.y))

    def test_command_stands_for_the_call(self, of_sinc):
        assert "reldim.diagnose(X, y)" in page_of(of_sinc)
        page = page_of(of_sinc, command="reldim diagnose a.csv")
        assert "reldim diagnose a.csv" in page
        assert "reldim.diagnose(X, y)" not in page

    def test_sections_come_with_their_data(self, of_moons):
        bare = page_of(of_moons)
        assert 'id="rows"' not in bare
        assert 'id="forecast"' not in bare
        details = detail(
            of_moons,
            suspicious=suspicious_rows(issue_frame(80, [3, 5]), of_moons),
            forecast=falling_forecast(80),
        )
        page = diagnosis_page(summarise(of_moons), details)
        assert "of 2 of 80 rows" in page
        assert "Twice as many rows would" in page
        quiet = detail(of_moons, suspicious=suspicious_rows(issue_frame(80, []), of_moons))
        assert "No row stands out" in diagnosis_page(summarise(of_moons), quiet)
        mute = suspicious_rows(issue_frame(80, [], judged=False), of_moons)
        page = diagnosis_page(summarise(of_moons), detail(of_moons, suspicious=mute))
        assert "too little about each other to judge any of the 80 labels" in page
        some = issue_frame(80, [4]).assign(can_judge=np.arange(80) > 2)
        part = detail(of_moons, suspicious=suspicious_rows(some, of_moons))
        assert "About 3 rows the others say too little." in diagnosis_page(
            summarise(of_moons), part
        )

    def test_one_kernel_leaves_no_choice(self):
        data = sinc(30)
        page = page_of(diagnose(data.X, data.y, kernels=GAUSSIAN))
        assert "One kernel was given" in page
        assert 'id="by-criterion"' not in page

    def test_many_classes_are_not_all_listed(self):
        rng = np.random.default_rng(0)
        centres = 10 * rng.normal(size=(30, 3))
        y = np.repeat(np.arange(30), 4)
        X = centres[y] + rng.normal(size=(120, 3))
        page = page_of(diagnose(X, y, task="classification", kernels=kernels.Gaussian(20.0)))
        assert "18, 19 and 10 more" in page


class TestSplit:
    def test_parts_fill_the_bar(self, of_sinc):
        parts = split_error(of_sinc.summary)
        assert [part.look for part in parts] == ["learned", "open", "noise"]
        assert sum(part.width for part in parts) == pytest.approx(1000, abs=0.1)
        assert parts[2].width == pytest.approx(1000 * of_sinc.noise_estimate.value, abs=0.1)

    @pytest.mark.parametrize("error, noise", [(2.0, 0.5), (0.2, 0.4), (3.0, 5.0), (0.0, 0.0)])
    def test_odd_figures_stay_inside(self, of_sinc, error, noise):
        odd = replace(of_sinc.summary, error_estimate=error, noise_estimate=noise)
        parts = split_error(odd)
        assert all(0 <= part.width <= 1000 for part in parts)
        assert parts[-1].start + parts[-1].width == pytest.approx(1000, abs=0.1)

    def test_nothing_to_split_without_signal(self, of_noise):
        assert of_noise.verdict.code == "RD001"
        assert split_error(of_noise.summary) == ()
        assert 'class="split"' not in page_of(of_noise)


@pytest.fixture(scope="module")
def compared():
    X, y = two_moons()
    noise = np.random.default_rng(0).normal(size=X.shape)
    return compare({"raw": X, HOSTILE: X[:, :1], "noise": noise}, y)


class TestComparison:
    def test_figures_are_those_of_the_table(self, compared):
        found = side_by_side(compared)
        assert [standing.name for standing in found.standings] == [*compared.table["name"]]
        for standing, (_, row) in zip(found.standings, compared.table.iterrows(), strict=True):
            assert standing.error_estimate == row["error_estimate"]
            assert standing.interval_high == row["interval_high"]
            assert standing.behind == row["behind"]
        assert len(found.pairs) == 3
        assert found.pairs[0].adjusted_p_value == compared.differences["adjusted_p_value"][0]
        assert found.more_pairs == 0
        json.dumps([found.dimensions, found.curves], allow_nan=False)

    def test_curves_are_thinned_error_curves(self, compared):
        found = side_by_side(compared)
        best = compared.diagnoses[compared.best].relevance
        whole = error_curve(best)
        assert found.dimensions[0] == 1
        assert found.dimensions[-1] == len(whole) <= POINTS
        at = np.array(found.dimensions) - 1
        np.testing.assert_allclose(found.curves[0], whole[at], rtol=1e-4)

    def test_page(self, compared):
        text = comparison_page(side_by_side(compared), name=HOSTILE, command="reldim compare")
        page = Elements(text)
        assert len(page.tags("script")) == 2
        assert HOSTILE not in text
        assert escape(compared.conclusion) in text
        for found in compared.diagnoses.values():
            assert escape(found.verdict.advice) in text

    def test_many_representations(self):
        data = sinc(20)
        many = {f"number {i}": data.X + i for i in range(22)}
        found = compare(many, data.y, kernels=GAUSSIAN)
        summary = side_by_side(found)
        assert len(summary.curves) == len(LOOKS)
        assert (len(summary.pairs), summary.more_pairs) == (PAIRS, 231 - PAIRS)
        page = comparison_page(summary)
        assert f"The best {len(LOOKS)} are drawn." in page
        assert "31 more pairs are not listed." in page

    def test_is_written_once(self, compared, tmp_path):
        path = tmp_path / "comparison.html"
        compared.write_report(path)
        assert path.stat().st_size < 1e6
        with pytest.raises(FileError, match="exists already"):
            compared.write_report(path)


class TestWriting:
    def test_file_appears_and_is_not_replaced_unasked(self, of_sinc, tmp_path):
        path = tmp_path / "report.html"
        of_sinc.write_report(path, name="sinc")
        first = path.read_text(encoding="utf-8")
        assert first.startswith("<!doctype html>")
        assert path.stat().st_size < 1e6
        with pytest.raises(FileError, match="exists already"):
            of_sinc.write_report(path)
        assert path.read_text(encoding="utf-8") == first
        of_sinc.write_report(path, name="again", overwrite=True)
        assert "again" in path.read_text(encoding="utf-8")

    def test_wrong_labels_and_the_forecast_are_shown(self, tmp_path):
        data = datasets.twonorm(200, random_state=0)
        X, y = data.X, np.where(np.arange(200) < 5, -data.y, data.y)
        found = diagnose(X, y, kernels=kernels.Gaussian(50.0))
        issues = found.label_issues
        assert issues["is_label_issue"].any()
        found.write_report(tmp_path / "a.html")
        page = (tmp_path / "a.html").read_text(encoding="utf-8")
        rows = page.partition('id="rows-title"')[2].partition("</section>")[0]
        listed = [int(row) for row in re.findall(r'<th scope="row">(\d+)</th>', rows)]
        assert sorted(listed) == issues.index[issues["is_label_issue"]].tolist()
        assert cell_text(X[listed[0], 0]) in rows
        forecast = payload_of(page)["forecast"]
        assert forecast["rows"][0] == 200
        assert forecast["error"] == found.forecast(forecast["rows"]).error.tolist()

    def test_data_on_a_cluster(self, tmp_path):
        lazy = pytest.importorskip("dask.array", reason="no Dask: pip install 'reldim[dask]'")
        data = sinc(200)
        X, y = lazy.from_array(data.X, chunks=(50, 1)), lazy.from_array(data.y, chunks=50)
        found = diagnose(X, y, kernels=GAUSSIAN)
        found.write_report(tmp_path / "a.html")
        page = (tmp_path / "a.html").read_text(encoding="utf-8")
        assert 'id="rows"' not in page
        kernel = payload_of(page)["kernels"][0]
        np.testing.assert_allclose(
            kernel["denoised"], np.asarray(found.relevance.denoised), rtol=1e-3, atol=1e-4
        )

    def test_names_of_rows_come_from_the_frame(self, tmp_path):
        frame, y = hostile_table()
        named = frame.set_axis([f"patient {i}" for i in range(90)])
        diagnose(named, y, kernels=kernels.Linear()).write_report(tmp_path / "a.html", data=named)
        payload = payload_of((tmp_path / "a.html").read_text(encoding="utf-8"))
        assert payload["sample"]["names"][7] == "patient 7"

    def test_rows_of_a_cluster_are_counted_as_they_are(self):
        # Where rows were left out there, nobody knows which.
        data = sinc(30)
        found = diagnose(data.X, data.y, kernels=GAUSSIAN)
        unknown = replace(found, problem=replace(found.problem, source=np.zeros(0, np.intp)))
        assert detail(unknown).sample.names == tuple(map(str, range(30)))

    def test_page_stays_small_with_very_many_kernels(self, of_sinc):
        many = replace(of_sinc, tried=of_sinc.tried * 60)
        page = page_of(many)
        assert f"The first {TRIALS} are listed." in page
        assert len(page.encode()) < 3e6
