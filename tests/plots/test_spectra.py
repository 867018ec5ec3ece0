"""The plot of spectra."""

from types import SimpleNamespace

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import plots

pytest.importorskip("matplotlib")


def spectrum_of(*shares):
    return SimpleNamespace(eigenvalues=np.array(shares), rank=len(shares), trace=1.0)


class TestSpectra:
    def test_draws_eigenvalues_and_counts_components(self, sinc, bananas):
        spectra = {"sinc": sinc.spectrum, "bananas": bananas.spectrum}
        display = plots.SpectraDisplay.from_spectra(spectra)
        assert_readable(display.ax_)
        for line, spectrum in zip(display.lines_, spectra.values(), strict=True):
            shares = spectrum.eigenvalues / spectrum.trace
            np.testing.assert_allclose(line.get_ydata(), shares[: spectrum.rank])
            needed = next(d for d in range(1, 80) if shares[:d].sum() >= 0.95)
            assert any(
                f"({needed} components)" in text.get_text()
                for text in display.ax_.get_legend().get_texts()
            )

    def test_spectrum_that_is_cut_short_says_so(self):
        display = plots.SpectraDisplay({"narrow": spectrum_of(0.2, 0.1)}).plot()
        assert "ask for more components" in title(display.ax_)
        assert "more than computed" in display.ax_.get_legend().get_texts()[0].get_text()

    def test_single_spectrum(self):
        display = plots.SpectraDisplay({"wide": spectrum_of(0.96, 0.03)}).plot()
        assert title(display.ax_) == "95% of the variance: 1 component under wide"
