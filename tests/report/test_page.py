"""The page: one HTML file that needs nothing else."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import escape, unescape

import numpy as np
import pandas as pd
import pytest

from reldim import datasets, diagnose, kernels
from reldim.exceptions import FileError
from reldim.report.page import (
    TRIALS,
    _shares,
    diagnosis_page,
    embed_json,
    forecast_page,
    forecast_rows,
    split_error,
)
from reldim.report.pictures import Pictures
from reldim.report.rows import suspicious_rows
from reldim.report.words import cell_text
from reporting import (
    GAUSSIAN,
    HOSTILE,
    Elements,
    falling_forecast,
    hostile_table,
    issue_frame,
    payload_of,
    sinc,
)


class TestPage:
    def test_holds_all_it_needs(self, of_moons):
        page = Elements(diagnosis_page(of_moons))
        assert len(page.tags("script")) == 2
        loads = {"src", "srcset", "data", "action", "ping", "background", "poster"}
        assert not [(tag, a) for tag, a in page.found if loads & a.keys()]
        links = [a["href"] for tag, a in page.found if "href" in a]
        assert all(link.startswith("#") or link == "data:," for link in links)
        assert not [a for _, a in page.found if any(key.startswith("on") for key in a)]
        assert not re.search(r"@import|url\(", " ".join(page.texts["style"]))

    def test_links_lead_somewhere(self, of_moons):
        page = Elements(diagnosis_page(of_moons))
        ids = [a["id"] for _, a in page.found if "id" in a]
        assert len(ids) == len(set(ids))
        assert {a["href"][1:] for a in page.tags("a")} <= {*ids}

    def test_policy_admits_our_own_text_alone(self, of_sinc):
        page = diagnosis_page(of_sinc)
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
        page = diagnosis_page(of_sinc)
        assert "Copyright (c) 2022 Leon Sorokin" in page
        assert "Permission is hereby granted" in page

    def test_user_data_are_escaped(self):
        frame, y = hostile_table()
        found = diagnose(frame, y, kernels={HOSTILE: kernels.Linear(), "other": GAUSSIAN})
        rows = suspicious_rows(issue_frame(90, [5]), found, frame)
        text = diagnosis_page(found, suspicious=rows, name=HOSTILE, command=HOSTILE)
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
        payload = payload_of(diagnosis_page(of_moons))
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
        page = diagnosis_page(of_sinc, name="broken \udc80")
        assert "broken ?" in page
        page.encode("utf-8")

    def test_same_diagnosis_same_page(self, of_sinc):
        data = sinc()
        assert diagnosis_page(of_sinc) == diagnosis_page(diagnose(data.X, data.y))

    def test_command_stands_for_the_call(self, of_sinc):
        assert "reldim.diagnose(X, y)" in diagnosis_page(of_sinc)
        page = diagnosis_page(of_sinc, command="reldim diagnose a.csv")
        assert "reldim diagnose a.csv" in page
        assert "reldim.diagnose(X, y)" not in page

    def test_sections_come_with_their_data(self, of_moons):
        bare = diagnosis_page(of_moons)
        assert 'id="rows"' not in bare
        assert 'id="forecast"' not in bare

        def page_with(issues, **options):
            rows = suspicious_rows(issues, of_moons)
            return diagnosis_page(of_moons, suspicious=rows, **options)

        page = page_with(issue_frame(80, [3, 5]), forecast=falling_forecast(80))
        assert "of 2 of 80 rows" in page
        assert "Twice as many rows would" in page
        assert "No row stands out" in page_with(issue_frame(80, []))
        page = page_with(issue_frame(80, [], judged=False))
        assert "too little about each other to judge any of the 80 labels" in page
        some = issue_frame(80, [4]).assign(can_judge=np.arange(80) > 2)
        assert "About 3 rows the others say too little." in page_with(some)

    def test_one_kernel_leaves_no_choice(self):
        data = sinc(30)
        page = diagnosis_page(diagnose(data.X, data.y, kernels=GAUSSIAN))
        assert "One kernel was given" in page
        assert 'id="by-criterion"' not in page

    def test_many_classes_are_not_all_listed(self):
        rng = np.random.default_rng(0)
        centres = 10 * rng.normal(size=(30, 3))
        y = np.repeat(np.arange(30), 4)
        X = centres[y] + rng.normal(size=(120, 3))
        page = diagnosis_page(diagnose(X, y, task="classification", kernels=kernels.Gaussian(20.0)))
        assert "18, 19 and 10 more" in page


class TestColumns:
    @pytest.fixture(scope="class")
    @classmethod
    def diagnosis(cls):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["slope", "<i>wave", "junk"])
        frame["town"] = rng.choice(["Ulm", "Bonn"], 120)
        y = frame["slope"] + np.sin(2 * frame["<i>wave"]) + 2 * (frame["town"] == "Ulm")
        return diagnose(frame, y + 0.1 * rng.normal(size=120), references=False)

    def test_bars_and_pictures(self, diagnosis):
        page = diagnosis_page(diagnosis)
        section = page.partition('<section id="columns"')[2].partition("</section>")[0]
        assert section.count('<svg viewBox="0 0 1000 10"') == 4
        assert section.count('class="idle"') == 1
        assert "junk is not needed as far as these rows tell" in section
        assert "&lt;i&gt;wave" in section
        assert "<i>wave" not in page
        assert [f'id="effect-{i}"' in section for i in range(4)] == [True, True, True, False]
        assert '<a href="#columns">' in page

    def test_bars_end_inside(self, diagnosis):
        bars = _shares(diagnosis.summary)
        assert max(bar.high for bar in bars) == 1000
        assert all(0 <= bar.low <= bar.width <= bar.high for bar in bars)

    def test_payload(self, diagnosis):
        by_name = {effect["name"]: effect for effect in Pictures.of(diagnosis).effects}
        assert len(by_name["town"]["labels"]) == 2
        assert by_name["town"]["x"] == [0, 1]
        curve = next(one for one in diagnosis.effect_curves if one.name == "slope")
        np.testing.assert_allclose(
            by_name["slope"]["lines"][0]["values"], curve.values[0], rtol=1e-4
        )

    def test_no_section_without_shares(self, of_sinc):
        page = diagnosis_page(of_sinc)
        assert '<section id="columns"' not in page
        assert '<a href="#columns">' not in page


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
        assert 'class="split"' not in diagnosis_page(of_noise)


class TestForecast:
    def test_rows_ascend_from_those_at_hand(self):
        for n in (2, 3, 10, 777, 100_000):
            rows = forecast_rows(n)
            assert np.all(np.diff(rows) > 0)
            assert (rows[0], rows[-1]) == (n, 10 * n)
            assert 2 * n in rows

    def test_title_compares_with_twice_the_rows(self, of_moons):
        expected = 0.1 + 0.1 / 2 ** (2 / 3)
        falling = falling_forecast(100, floor=0.1, excess=0.1)
        assert falling.error[falling.rows.tolist().index(200)] == pytest.approx(expected)
        page = forecast_page(of_moons, falling)
        title = f"Twice as many rows would bring the error from 20.0% to {expected:.1%}"
        assert page.count(title) > 1
        assert "100 rows at hand" in page
        flat = forecast_page(of_moons, falling_forecast(100, floor=0.3, excess=0.0))
        assert "Twice as many rows would leave the error at 30.0%" in flat


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

    @pytest.mark.parametrize("name", ["report.pdf", "report.PNG"])
    def test_refuses_what_no_browser_opens(self, of_sinc, tmp_path, name):
        with pytest.raises(FileError, match=rf"write_report writes a page in HTML.*{name}; a "):
            of_sinc.write_report(tmp_path / name)
        assert not (tmp_path / name).exists()

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
        assert Pictures.of(unknown).sample.names == tuple(map(str, range(30)))

    def test_page_stays_small_with_very_many_kernels(self, of_sinc):
        many = replace(of_sinc, tried=of_sinc.tried * 60)
        page = diagnosis_page(many)
        assert f"The best {TRIALS} are listed." in page
        assert len(page.encode()) < 3e6
