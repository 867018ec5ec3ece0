"""The plot of eigenfunctions."""

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import plots, theory
from reldim.exceptions import InputError

pytest.importorskip("matplotlib")


class TestEigenfunctions:
    def test_draws_the_functions(self):
        system = theory.GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=3)
        display = plots.EigenfunctionsDisplay.from_system(system, system.density, count=9)
        assert_readable(display.ax_)
        assert len(display.lines_) == 3
        x = display.lines_[1].get_xdata()
        np.testing.assert_allclose(display.lines_[1].get_ydata(), system.functions(x)[:, 1])
        part = system.eigenvalues.sum() / system.trace
        assert title(display.ax_) == f"The first 3 eigenfunctions hold {part:.0%} of the variance"

    def test_single_function(self):
        system = theory.GaussianEigensystem(width=1.0, variance=1.0, terms=2)
        display = plots.EigenfunctionsDisplay.from_system(system, system.density, count=1)
        assert "first eigenfunction holds" in title(display.ax_)

    def test_functions_of_a_plane_are_refused(self):
        system = theory.GaussianEigensystem(width=1.0, variance=(1.0, 1.0), terms=2)
        with pytest.raises(InputError, match="along a line. Got functions of 2 columns"):
            plots.EigenfunctionsDisplay.from_system(system, system.density)
