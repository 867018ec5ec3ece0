"""Forms of a kernel: values and kernels agree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from reldim.kernels import Matern
from reldim.search.forms import AS_LEARNED, NARROWER, ROUGH, ROUGHER, WIDER, formed, kernel_of_form
from reldim.search.weights import weighted_kernel


@pytest.mark.parametrize("form", [AS_LEARNED, NARROWER, WIDER, ROUGH, ROUGHER])
@pytest.mark.parametrize("kind", ["product", "gaussian", "laplacian"])
def test_values_of_a_form_are_those_of_its_kernel(kind, form):
    points = np.random.default_rng(0).normal(size=(30, 2))
    kernel = weighted_kernel(kind, np.array([0.3, 1.0]))
    expected = np.mean([kernel(points) ** power for power in form], axis=0)
    assert_allclose(formed(kernel(points), form), expected, atol=1e-12)
    assert_allclose(kernel_of_form(kernel, form)(points), expected, atol=1e-12)


def test_a_narrowed_matern_kernel_is_its_power():
    kernel = Matern(1.5, 1.0, (1.0, 2.0))
    points = np.random.default_rng(0).normal(size=(10, 2))
    r = np.sqrt(3) * cdist(points * np.sqrt([1.0, 2.0]), points * np.sqrt([1.0, 2.0]))
    assert_allclose(kernel_of_form(kernel, (3.0,))(points), ((1 + r) * np.exp(-r)) ** 3)
    assert kernel_of_form(kernel, (1.0,)) is kernel
