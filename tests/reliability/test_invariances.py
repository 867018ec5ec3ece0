"""Laws of the numerical contract on random problems, and solvers that agree."""

import numpy as np
import pytest
from fuzz.oracle import check_relevance
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from reldim import decompose, kernels, relevant_dimension
from reldim.eigensolvers.exhaustion import exhausted_spectrum
from reldim.exceptions import ReldimError
from reldim.spectrum.gram import Gram

KERNELS = {
    "gaussian": kernels.Gaussian,
    "laplacian": lambda scale: kernels.Laplacian(np.sqrt(scale)),
    "matern": lambda scale: kernels.Matern(2.5, np.sqrt(scale)),
    "multiquadric": lambda scale: kernels.InverseMultiquadric(np.sqrt(scale)),
    "linear": lambda scale: kernels.Linear(),
    "polynomial": lambda scale: kernels.Polynomial(2, scale),
}

slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def problems(draw, most_rows=40):
    """Draw a kernel, rows and targets; some rows are repeated, some kernels are degenerate."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(6, most_rows)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, d))
    if draw(st.booleans()):
        X = X[rng.integers(n, size=n)]
    kernel = KERNELS[draw(st.sampled_from([*KERNELS]))](10.0 ** draw(st.integers(-4, 4)))
    noise = draw(st.sampled_from([0.0, 0.1, 1.0, 10.0]))
    y = np.sin(X[:, 0]) + noise * rng.normal(size=n)
    if draw(st.booleans()):
        y = np.where(y > np.median(y), "b", "a")
        assume(len(set(y)) == 2)
    else:
        assume(np.ptp(y) > 1e-6)
    return kernel, X, y


def repeated_rows():
    """Twenty rows, fourteen of them distinct: products of matrices make equal ones unequal."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))[rng.integers(20, size=20)]
    return kernels.Linear(), X, np.sin(X[:, 0])


#: Two pairs of equal rows with unequal targets, and a component of 1e-13 of the first.
SEVEN_ROWS = (
    kernels.Gaussian(100.0),
    np.array([[1.304], [0.3616], [-0.5357], [0.1049], [0.1049], [1.304], [-0.1321]]),
    np.array(
        [0.96875308, 0.12126351, -0.53229593, -0.01988326, 0.0314811, 0.91019458, -0.16335097]
    ),
)


def estimated(kernel, X, y, **options):
    return relevant_dimension(decompose(kernel, X, **options), y)


def summary(rd):
    return [rd.dimension, rd.noise_level, rd.fixed_error, rd.negative_log_likelihood]


def well_defined(rd):
    """Leave out problems whose answer is a matter of round-off, such as targets without noise."""
    energies = np.sum(rd.coefficients.reshape(len(rd.coefficients), -1) ** 2, axis=1)
    rest = rd.targets.energy - energies[: rd.dimension].sum()
    return rest > 1e-6 * rd.targets.energy


def conditioning(rd):
    """Bound what round-off in the kernel matrix does to the likelihood at the dimension."""
    d, values = rd.dimension, np.append(rd.spectrum.eigenvalues, 0.0)
    if d == 0:
        return 0.0
    energies = np.sum(rd.coefficients.reshape(len(rd.coefficients), -1) ** 2, axis=1)
    rest = 1 - energies[:d].sum() / rd.targets.energy
    turned = (
        20 * np.finfo(float).eps * np.sqrt(rd.targets.n) * values[0] / (values[d - 1] - values[d])
    )
    return turned / np.sqrt(rest)


@slow
@given(problems())
@example(SEVEN_ROWS)
@example(repeated_rows())
def test_agrees_with_the_oracle(problem):
    kernel, X, y = problem
    check_relevance(estimated(kernel, X, y), X)


@slow
@given(problems(), st.integers(0, 1000))
def test_order_of_rows(problem, seed):
    kernel, X, y = problem
    order = np.random.default_rng(seed).permutation(len(y))
    first, second = estimated(kernel, X, y), estimated(kernel, X[order], y[order])
    assume(well_defined(first))
    assume(conditioning(first) < 0.01)
    # Leaving a row out turns the eigenvectors further, as far as few rows allow.
    rtol = 1e-5 + 10 * conditioning(first)
    assert second.dimension == first.dimension
    np.testing.assert_allclose(summary(second), summary(first), rtol=rtol, atol=1e-7)


@slow
@given(problems(), st.integers(-20, 20), st.sampled_from([0.0, 1.0, -3.0]))
def test_unit_and_offset_of_numbers(problem, exponent, offset):
    kernel, X, y = problem
    assume(y.dtype.kind == "f")
    unit = 2.0**exponent
    first, second = (relevant_dimension(decompose(kernel, X), v, task="regression")
                     for v in (y, unit * (y + offset)))  # fmt: skip
    assume(well_defined(first))
    np.testing.assert_allclose(summary(second)[:3], summary(first)[:3], rtol=1e-5, atol=1e-8)


@slow
@given(problems())
def test_names_of_classes(problem):
    kernel, X, y = problem
    assume(y.dtype.kind == "U")
    first, second = estimated(kernel, X, y), estimated(kernel, X, np.where(y == "a", 9, 4))
    assert second.dimension == first.dimension
    assert second.negative_log_likelihood == pytest.approx(first.negative_log_likelihood)
    assert second.p_value == first.p_value


@slow
@given(problems(), st.integers(-30, 30))
def test_unit_of_the_kernel(problem, exponent):
    kernel, X, y = problem
    first, second = estimated(kernel, X, y), estimated(2.0**exponent * kernel, X, y)
    np.testing.assert_allclose(summary(second), summary(first), rtol=1e-6, atol=1e-9)


@slow
@given(problems())
@example(SEVEN_ROWS)
@example(repeated_rows())
def test_a_kernel_matrix_is_as_good_as_the_kernel(problem):
    kernel, X, y = problem
    first = estimated(kernel, X, y)
    assume(well_defined(first))
    second = estimated(kernels.Precomputed(), kernel(X), y)
    np.testing.assert_allclose(summary(second), summary(first), rtol=1e-5, atol=1e-7)


@slow
@given(problems())
def test_figures_keep_to_their_ranges(problem):
    rd = estimated(*problem)
    n = rd.targets.n
    assert 0 <= rd.dimension <= n // 2
    assert 0 < rd.p_value <= 1
    assert rd.interval[0] <= rd.dimension <= rd.interval[1]
    assert rd.posterior.sum() == pytest.approx(1.0)
    assert np.all(rd.leverages > -1e-9)
    assert np.all(rd.leverages < 1 + 1e-6)
    assert rd.leverages.sum() == pytest.approx(rd.dimension, abs=1e-6)
    for figure in summary(rd):
        assert np.isfinite(figure)
    if rd.targets.codes is not None:
        assert 0 <= rd.noise_level <= 1
        assert 0 <= rd.error_estimate <= 1


@slow
@given(problems(most_rows=60))
def test_a_factor_of_full_rank_agrees_with_the_dense_solver(problem):
    kernel, X, y = problem
    dense = decompose(kernel, X, solver="dense")
    low = decompose(kernel, X, solver="lowrank", rank=len(X))
    k = min(len(dense.eigenvalues), len(low.eigenvalues))
    scale = dense.eigenvalues[0]
    np.testing.assert_allclose(low.eigenvalues[:k], dense.eigenvalues[:k], atol=1e-9 * scale)
    assert dense.eigenvalues[k:].sum() <= 1e-9 * len(X) * scale
    first, second = relevant_dimension(dense, y), relevant_dimension(low, y)
    assume(well_defined(first))
    assume(conditioning(first) < 0.1)
    allowed = 1e-4 + conditioning(first)
    assert abs(second.negative_log_likelihood - first.negative_log_likelihood) < allowed


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([1.0, 100.0]))
def test_an_exhausted_factor_agrees_with_the_dense_solver(seed, width):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1000, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=1000)
    kernel = kernels.Gaussian(width)
    exhausted = exhausted_spectrum(Gram.of(kernel, X), rank=None, center=False)
    assume(exhausted is not None)
    literal = np.linalg.eigvalsh(kernel(X) / len(X))[::-1]
    k = len(exhausted.eigenvalues)
    np.testing.assert_allclose(exhausted.eigenvalues, literal[:k], atol=1e-11 * literal[0])
    check_relevance(relevant_dimension(exhausted, y), X)


@slow
@given(st.data())
def test_any_numbers_are_diagnosed_or_refused(data):
    n = data.draw(st.integers(0, 8))
    cell = st.floats(width=data.draw(st.sampled_from([32, 64])))
    X = np.array(data.draw(st.lists(st.tuples(cell, cell), min_size=n, max_size=n))).reshape(n, 2)
    y = np.array(data.draw(st.lists(cell, min_size=n, max_size=n)))
    kernel = KERNELS[data.draw(st.sampled_from([*KERNELS]))](1.0)
    try:
        rd = estimated(kernel, X, y)
    except ReldimError as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite([rd.noise_level, rd.error_estimate, rd.p_value]).all()
