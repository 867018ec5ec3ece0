"""Quadrature over boxes against integrals that are known."""

import numpy as np
import pytest

from reldim import kernels
from reldim.exceptions import InputError
from reldim.theory import UniformDensity
from reldim.theory.quadrature import check_mass, checked_box, density_at, kink_correction, rule


@pytest.mark.parametrize("panels, nodes", [(1, 4), (3, 4)])
def test_polynomials_are_integrated_exactly(panels, nodes):
    x, lengths = rule(((-1.0, 2.0),), panels, nodes)
    assert x.shape == (panels * nodes, 1)
    for power in range(2 * nodes):
        exact = (2.0 ** (power + 1) - (-1.0) ** (power + 1)) / (power + 1)
        assert lengths @ x[:, 0] ** power == pytest.approx(exact)


def test_a_plane_is_the_product_of_its_axes():
    x, lengths = rule(((0.0, 1.0), (0.0, 2.0)), 2, 3)
    assert lengths.sum() == pytest.approx(2.0)
    assert lengths @ (x[:, 0] * x[:, 1] ** 2) == pytest.approx(0.5 * 8 / 3)


def test_the_kink_of_a_kernel_is_made_good():
    intervals, density, scale = ((0.0, 1.0),), UniformDensity([(0.0, 1.0)]), 0.3
    kernel = kernels.Laplacian(scale)
    nodes, lengths = rule(intervals, 2, 6)
    x = nodes[:, 0]
    exact = scale * (2 - np.exp(-x / scale) - np.exp(-(1 - x) / scale))
    plain = kernel(nodes, nodes) @ lengths
    corrected = plain + kink_correction(kernel, density, intervals, 2, 6)
    assert np.abs(plain - exact).max() > 1e-4
    np.testing.assert_allclose(corrected, exact, rtol=1e-10)


def test_boxes_and_densities_that_are_refused():
    with pytest.raises(InputError, match="needs box"):
        checked_box(lambda x: np.ones(len(x)), None)
    with pytest.raises(InputError, match="one and two dimensions. Got 3"):
        checked_box(UniformDensity([(0, 1)]), [(0, 1)] * 3)
    with pytest.raises(InputError, match="low < high"):
        checked_box(UniformDensity([(0, 1)]), [(1, 0)])
    with pytest.raises(InputError, match="2 of them negative"):
        density_at(lambda x: -x[:, 0], np.array([[1.0], [2.0]]))
    check_mass([0.5, 0.7])
    with pytest.raises(InputError, match=r"integral came out as 0\.7"):
        check_mass([0.7, 0.7])
