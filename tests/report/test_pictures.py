"""Pictures: what the scripts of a page draw."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from reldim import diagnose, kernels
from reldim.report.page import diagnosis_page
from reldim.report.pictures import PICTURES, Pictures, _parameter
from reldim.report.words import percent
from reporting import GAUSSIAN, sinc


class TestPictures:
    def test_pictures_are_the_outlines(self, of_moons):
        found = Pictures.of(of_moons)
        assert [picture.candidate.name for picture in found.kernels] == [
            row.name for row in of_moons.tried
        ]
        assert found.shown == of_moons.index
        best, outline = found.best.to_dict(), of_moons.tried[of_moons.index].outline
        np.testing.assert_allclose(best["curve"], outline.curve, rtol=1e-4)
        np.testing.assert_allclose(best["shares"], outline.shares, rtol=1e-4)
        np.testing.assert_allclose(best["denoised"], outline.denoised, rtol=1e-4)
        assert best["decided"] == outline.decided.tolist()

    def test_the_best_kernels_have_pictures(self):
        data = sinc(30)
        many = [kernels.Gaussian(w) for w in np.geomspace(1e-3, 1e3, PICTURES + 9)]
        diagnosis = diagnose(data.X, data.y, kernels=many)
        found = Pictures.of(diagnosis)
        assert len(found.kernels) == PICTURES
        shown = [picture.number for picture in found.kernels]
        assert shown == sorted(shown)
        assert shown[found.shown] == diagnosis.index
        values = np.array([row.criterion_value for row in diagnosis.tried])
        left_out = np.delete(values, shown)
        assert left_out.min() >= values[shown].max()
        page = diagnosis_page(diagnosis)
        assert f"The {PICTURES} best have pictures." in page
        assert len(re.findall(r'class="pick"', page)) == PICTURES

    def test_rows_keep_the_numbers_they_were_given(self):
        data = sinc(30)
        X, y = np.vstack([data.X[:3], data.X]), np.append(data.y[:3], data.y)
        diagnosis = diagnose(X, y, kernels=GAUSSIAN)
        assert diagnosis.n == 30
        found = Pictures.of(diagnosis).sample
        assert found.names == tuple(str(i) for i in (*range(3), *range(6, 33)))
        np.testing.assert_allclose(found.given, data.y, rtol=1e-4)
        np.testing.assert_allclose(found.x, data.X[:, 0], rtol=1e-4)
        names = [f"row {i}" for i in range(33)]
        assert Pictures.of(diagnosis, names=names).sample.names[3] == "row 6"

    def test_sample_of_many_rows_says_so(self):
        data = sinc(700)
        diagnosis = diagnose(data.X, data.y, kernels=GAUSSIAN)
        found = Pictures.of(diagnosis).sample
        assert len(found.names) == len(found.given) == 500
        assert found.note.startswith("500 of 700 rows are shown")
        assert found.note in diagnosis_page(diagnosis)

    def test_grouped_components_are_said_to_be(self):
        data = sinc(300)
        page = diagnosis_page(diagnose(data.X, data.y, kernels=kernels.Laplacian(1.0)))
        sentence = "Beyond 200 components a dot is the mean of several."
        assert sentence in page
        small = sinc(100)
        assert sentence not in diagnosis_page(diagnose(small.X, small.y, kernels=GAUSSIAN))

    def test_several_targets_show_the_first(self):
        data = sinc(30)
        diagnosis = diagnose(data.X, np.column_stack([data.y, 2 * data.y]), kernels=GAUSSIAN)
        assert "Of 2 targets the first is shown." in diagnosis_page(diagnosis)

    def test_a_column_has_its_name(self):
        data = sinc(30)
        frame = pd.DataFrame({"depth": data.X[:, 0]})
        shown = Pictures.of(diagnose(frame, data.y, kernels=GAUSSIAN)).sample
        assert shown.x_name == "depth"
        # In its unit, although the column was scaled.
        np.testing.assert_allclose(shown.x, frame["depth"], rtol=1e-4, atol=1e-4)

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
        best = Pictures.of(of_sinc).kernels[of_sinc.index]
        d = of_sinc.dimension
        assert best.titles[0] == f"The first {d} components carry the targets"
        low, high = of_sinc.interval
        assert low < high
        assert best.titles[1] == (
            f"The best cut is at {d}, with 90% probability from {low} to {high}"
        )
        sure = replace(of_sinc.tried[0], outline=replace(of_sinc.tried[0].outline))
        vars(sure.outline)["interval"] = (5, 5)
        title = Pictures.of(replace(of_sinc, tried=(sure,), index=0)).kernels[0].titles[1]
        assert title == f"The best cut is at {sure.dimension}"
        assert percent(of_sinc.noise_level) in best.titles[2]
        silent = next(p for p in Pictures.of(of_noise).kernels if p.candidate.dimension == 0)
        assert silent.titles[0] == "No component stands out from noise"
