"""The plot of the error curve."""

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import datasets, decompose, kernels, plots, relevant_dimension

pytest.importorskip("matplotlib")


class TestErrorCurve:
    def test_is_what_least_squares_leaves(self, bananas):
        display = plots.ErrorCurveDisplay.from_relevance(bananas)
        assert_readable(display.ax_)
        U, y = bananas.spectrum.eigenvectors, bananas.targets.values[:, 0]
        left = [np.sum((y - U[:, :d] @ (U[:, :d].T @ y)) ** 2) / np.sum(y**2) for d in (1, 5, 20)]
        np.testing.assert_allclose(display.lines_[0].get_ydata()[[0, 4, 19]], left)
        assert f"{bananas.dimension} dimensions explain" in title(display.ax_)

    def test_several_curves_have_names(self, sinc, bananas):
        display = plots.ErrorCurveDisplay.from_relevances({"one": sinc, "$two$": bananas})
        assert_readable(display.ax_)
        assert len(display.lines_) == 2
        texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert texts[0] == f"one ({sinc.dimension} dimensions)"
        assert texts[1].startswith(r"\$two\$ (")
        assert title(display.ax_) == "What the leading components leave unexplained"

    def test_best_of_several_kernels_is_the_most_likely(self):
        data = datasets.noisy_sinc(80, random_state=1)
        found = {
            f"width {width}": relevant_dimension(decompose(kernels.Gaussian(width), data.X), data.y)
            for width in (0.01, 1.0, 1000.0)
        }
        display = plots.ErrorCurveDisplay.from_relevances(found)
        d, left = found["width 1.0"].dimension, display.lines_[1].get_ydata()
        assert title(display.ax_) == (
            f"width 1.0 fits best: {d} dimensions explain {1 - left[d - 1]:.0%} of the targets"
        )

    def test_no_signal(self, nothing):
        display = plots.ErrorCurveDisplay.from_relevance(nothing.relevance)
        assert_readable(display.ax_)
        assert title(display.ax_).startswith("No signal")
        assert display.ax_.get_legend() is None
