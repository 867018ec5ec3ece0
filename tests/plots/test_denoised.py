"""The plot of denoised targets."""

from types import SimpleNamespace

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import plots

pytest.importorskip("matplotlib")


def estimated(scores, codes=None, classes=None, noise_level=0.0):
    """What is drawn of an estimate with these denoised targets."""
    targets = SimpleNamespace(values=scores, offset=0.0, codes=codes, classes=classes)
    return SimpleNamespace(targets=targets, scores=scores, noise_level=noise_level, dimension=3)


class TestDenoised:
    def test_regression_draws_given_against_denoised(self, sinc):
        display = plots.DenoisedDisplay.from_relevance(sinc)
        assert_readable(display.ax_)
        points = display.ax_.lines[0]
        np.testing.assert_allclose(
            points.get_xdata(), (sinc.targets.values + sinc.targets.offset)[:, 0]
        )
        np.testing.assert_allclose(points.get_ydata(), sinc.denoised)
        assert f"{sinc.noise_level:.1%}" in title(display.ax_)

    def test_many_rows_are_counted_in_cells(self):
        rng = np.random.default_rng(0)
        y = rng.normal(size=5000)
        display = plots.DenoisedDisplay(estimated(y[:, None])).plot()
        assert_readable(display.ax_)
        assert display.ax_.collections[0].get_array().sum() == 5000

    def test_several_outputs_in_standard_deviations(self):
        rng = np.random.default_rng(0)
        Y = rng.normal(size=(50, 3)) * [1.0, 100.0, 0.0] + [0.0, 1e4, 2.0]
        display = plots.DenoisedDisplay(estimated(Y)).plot()
        assert_readable(display.ax_)
        assert "standard deviations" in display.ax_.get_xlabel()
        np.testing.assert_allclose(np.std(display.ax_.lines[1].get_xdata()), 1.0)
        np.testing.assert_allclose(display.ax_.lines[2].get_xdata(), 0.0, atol=1e-9)

    def test_two_classes_count_every_row_once(self, bananas):
        display = plots.DenoisedDisplay.from_relevance(bananas)
        assert_readable(display.ax_)
        codes = bananas.targets.codes
        np.testing.assert_array_equal(display.given, codes)
        wrong = np.mean((display.denoised > 0) != (codes == 1))
        assert wrong == pytest.approx(bananas.noise_level)
        assert display.ax_.get_xlabel() == "denoised label (-1: down, +1: up)"
        heights = [p.get_path().vertices[:, 1].max() for p in display.ax_.patches]
        assert max(heights) <= 90

    def test_more_classes_make_a_table(self, clouds):
        display = plots.DenoisedDisplay.from_relevance(clouds)
        assert_readable(display.ax_)
        shares = display.ax_.images[0].get_array()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        given, found = clouds.targets.codes, display.denoised
        for i in range(3):
            for j in range(3):
                assert shares[i, j] == pytest.approx(np.mean(found[given == i] == j))
        assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["blue", "green", "red"]

    def test_title_names_the_most_frequent_exchange(self):
        given, denoised = np.array([[0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 0, 0, 2]])
        display = plots.DenoisedDisplay(estimated(np.eye(3)[denoised], given, "abc", 2 / 7)).plot()
        assert title(display.ax_).endswith("most often c becomes a")

    def test_a_hundred_classes_are_not_all_named(self):
        codes = np.arange(100)
        names = [f"a rather long name {i}" for i in codes]
        display = plots.DenoisedDisplay(estimated(np.eye(100), codes, names)).plot()
        assert_readable(display.ax_)
        assert len(display.ax_.get_yticklabels()) == 25
        assert not display.ax_.texts

    def test_no_signal(self, nothing):
        display = plots.DenoisedDisplay.from_relevance(nothing.relevance)
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("No signal")
