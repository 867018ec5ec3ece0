"""The page of a comparison."""

import re
from html import escape

import numpy as np
import pytest

from reldim import compare
from reldim.exceptions import FileError
from reldim.relevance.error_curve import error_curve
from reldim.report.comparison import LOOKS, PAIRS, POINTS, comparison_page
from reporting import GAUSSIAN, HOSTILE, Elements, payload_of, sinc, two_moons


@pytest.fixture(scope="module")
def compared():
    X, y = two_moons()
    noise = np.random.default_rng(0).normal(size=X.shape)
    return compare({"raw": X, HOSTILE: X[:, :1], "noise": noise}, y)


class TestComparison:
    def test_figures_are_those_of_the_table(self, compared):
        page = comparison_page(compared)
        drawn = payload_of(page)["standings"]
        for name in ("name", "error_estimate", "interval_high", "behind"):
            assert [row[name] for row in drawn] == compared.table[name].tolist()
        pairs = page.partition('id="pairs-title"')[2].partition("</section>")[0]
        values = re.findall(r'Adjusted p" data-value="([^"]*)"', pairs)
        assert [*map(float, values)] == compared.differences["adjusted_p_value"].tolist()
        assert "more pairs" not in pairs

    def test_curves_are_thinned_error_curves(self, compared):
        found = payload_of(comparison_page(compared))
        whole = error_curve(compared.diagnoses[compared.best].relevance)
        assert found["dimensions"][0] == 1
        assert found["dimensions"][-1] == len(whole) <= POINTS
        at = np.array(found["dimensions"]) - 1
        np.testing.assert_allclose(found["curves"][0], whole[at], rtol=1e-4)

    def test_page(self, compared):
        text = comparison_page(compared, name=HOSTILE, command="reldim compare")
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
        page = comparison_page(found)
        assert len(payload_of(page)["curves"]) == len(LOOKS)
        assert page.count('data-label="Adjusted p"') == PAIRS
        assert f"The best {len(LOOKS)} are drawn." in page
        assert "31 more pairs are not listed." in page

    def test_is_written_once(self, compared, tmp_path):
        path = tmp_path / "comparison.html"
        compared.write_report(path)
        assert path.stat().st_size < 1e6
        with pytest.raises(FileError, match="exists already"):
            compared.write_report(path)

    def test_refuses_what_no_browser_opens(self, compared, tmp_path):
        with pytest.raises(FileError, match=r"write_report writes a page in HTML.*x.pdf"):
            compared.write_report(str(tmp_path / "x.pdf"))
        assert not (tmp_path / "x.pdf").exists()
