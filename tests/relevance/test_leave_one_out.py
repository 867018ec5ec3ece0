"""Leave-one-out with components computed anew, against n decompositions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim import decompose, kernels, relevant_dimension
from reldim.inputs.targets import code_targets
from reldim.relevance import leave_one_out
from reldim.relevance.leave_one_out import refitted_error, refitted_predictions, within_range
from reldim.spectrum import gram
from reldim.spectrum.spectrum import roundoff


def n_decompositions(K, y, d):
    """Leave each row out of the matrix, decompose what is left, predict the row."""
    predicted = np.zeros_like(y)
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        values, vectors = np.linalg.eigh(K[np.ix_(keep, keep)])
        values, vectors = values[::-1][:d], vectors[:, ::-1][:, :d]
        predicted[i] = (K[i, keep] @ vectors / values) @ (vectors.T @ y[keep])
    return predicted


def rows_of(n, features=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, features))


@pytest.mark.parametrize("width", [0.05, 0.5, 5.0, 50.0])
@pytest.mark.parametrize("d", [1, 2, 7, 15])
def test_equals_n_decompositions(width, d):
    X = rows_of(40)
    y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    kernel = kernels.Gaussian(width)
    fast = refitted_predictions(decompose(kernel, X), y, d)
    # Of eigenvalues down to 1e-13 of the first, round-off leaves a few digits.
    atol = 1e-6 if width == 50.0 else 1e-9
    np.testing.assert_allclose(fast, n_decompositions(kernel(X), y, d), atol=atol)


@pytest.mark.parametrize(
    "kernel, d",
    [
        (kernels.Linear(), 3),
        (kernels.Polynomial(2, 1.0), 6),
        (kernels.Laplacian(1.0), 20),
        (kernels.Laplacian(1.0), 38),
    ],
    ids=repr,
)
def test_equals_n_decompositions_at_full_and_low_rank(kernel, d):
    X = rows_of(40, features=3)
    y = X[:, [0]] * X[:, [1]] + rows_of(40, 1, seed=1)
    spectrum = decompose(kernel, X)
    assert d <= spectrum.rank
    fast = refitted_predictions(spectrum, y, d)
    np.testing.assert_allclose(fast, n_decompositions(kernel(X), y, d), atol=1e-9)


def test_two_roots_close_to_one_eigenvalue():
    # Without one of the equal rows two eigenvalues lie 1e-7 on either side of an old one.
    X = np.array([[5.0], [-1.0], [-3.0], [3.0], [5.0]])
    y = np.array([[3.9], [-2.2], [-2.1], [3.8], [5.4]])
    kernel = kernels.Gaussian(0.585)
    fast = refitted_predictions(decompose(kernel, X), y, 2)
    np.testing.assert_allclose(fast, n_decompositions(kernel(X), y, 2), atol=1e-9)


def test_equal_eigenvalues_count_as_one_cluster():
    # Corners of a square, three times each: the matrix has a pair of equal eigenvalues.
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] * 3)
    y = rows_of(12, 1)
    kernel = kernels.Gaussian(1.0)
    spectrum = decompose(kernel, X)
    assert spectrum.cuts.tolist() == [1, 3, 4]
    for d in (1, 3):
        fast = refitted_predictions(spectrum, y, d)
        np.testing.assert_allclose(fast, n_decompositions(kernel(X), y, d), atol=1e-8)


def test_rows_without_a_part_in_a_component():
    # Two groups that do not know of each other: half of the products are exactly zero.
    X = np.concatenate([np.linspace(0, 1, 10), np.linspace(1000, 1001, 10)]).reshape(-1, 1)
    y = np.random.default_rng(0).normal(size=(20, 1))
    kernel = kernels.Gaussian(0.3)
    X[:10] *= 1.01
    fast = refitted_predictions(decompose(kernel, X), y, 4)
    np.testing.assert_allclose(fast, n_decompositions(kernel(X), y, 4), atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-3, 1e3), d=st.integers(1, 8))
def test_order_of_rows_and_scale_of_the_kernel_do_not_matter(seed, scale, d):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 2)), rng.normal(size=(25, 1))
    order = rng.permutation(25)
    kernel = kernels.Gaussian(1.0)
    plain = refitted_predictions(decompose(kernel, X), y, d)
    moved = refitted_predictions(decompose(scale * kernel, X[order]), y[order], d)
    np.testing.assert_allclose(moved, plain[order], atol=1e-7)


def test_root_close_to_the_lower_end_of_the_gap():
    rng = np.random.default_rng(362)
    n = int(rng.integers(8, 30))
    X, y = rng.normal(size=(n, int(rng.integers(1, 4)))), rng.normal(size=(n, 1))
    kernel = kernels.Laplacian(5.0)
    fast = refitted_predictions(decompose(kernel, X), y, 22)
    np.testing.assert_allclose(fast, n_decompositions(kernel(X), y, 22), atol=1e-7)


@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Polynomial(2, 1.0)], ids=repr)
@pytest.mark.parametrize("seed", range(12))
def test_a_component_that_one_row_alone_has_goes_with_the_row(kernel, seed):
    # Without the row there is one component less; what round-off leaves of it must not be used.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    X[:, 2] = 0.0
    X[0, 2] = 10 ** rng.uniform(0, 2.5)
    y = rng.normal(size=(30, 1))
    spectrum = decompose(kernel, X)
    fast = refitted_predictions(spectrum, y, spectrum.rank)
    rest = X[1:, :2]
    less = decompose(kernel, rest)
    U, values = less.eigenvectors[:, : less.rank], less.eigenvalues[: less.rank]
    row = kernel(X[:1], X[1:]) @ U / (29 * values)
    assert less.rank < spectrum.rank
    np.testing.assert_allclose(fast[0], (row @ (U.T @ y[1:]))[0], rtol=1e-6, atol=1e-6)


def test_blocks_of_rows_do_not_matter(monkeypatch):
    X, y = rows_of(30), rows_of(30, 2, seed=1)
    spectrum = decompose(kernels.Gaussian(1.0), X)
    at_once = refitted_predictions(spectrum, y, 5)
    monkeypatch.setattr(gram, "BLOCK_BYTES", 1)
    np.testing.assert_allclose(refitted_predictions(spectrum, y, 5), at_once, atol=1e-12)


@pytest.mark.parametrize("most", [1.0, 1.5, 1e3, 1e6, 1e12])
def test_path_goes_around_the_poles_that_count(most):
    # A pole at either end counts, one at zero and one below it do not.
    nodes, steps = leave_one_out._path(1.0, most)
    assert np.all(nodes.imag > 0)
    for pole, residue in [(1.0, 1.0), (most, 1.0), (0.0, 0.0), (-most, 0.0)]:
        assert np.sum(steps / (nodes - pole)).imag == pytest.approx(residue, abs=1e-9)


@pytest.mark.parametrize("seed", [0, 5, 14])
def test_a_component_that_falls_into_round_off_without_the_row_goes_with_it(seed):
    # Columns in units of their own under a wide kernel, all components up to the rank. Taken for
    # components, such roots made the error of seed 0 3.2 instead of 1.6.
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(150, 3)) * [1000.0, 10.0, 1.0]
    y = np.log(X[:, 0]) + 0.01 * X[:, 1] + 0.3 * rng.normal(size=150)
    kernel = kernels.Gaussian(1e6)
    spectrum, targets = decompose(kernel, X), code_targets(y)
    K, values = kernel(X), targets.values
    fits = np.zeros_like(values)
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        l, U = np.linalg.eigh(K[np.ix_(keep, keep)])
        seen = l > l[-1] * roundoff(len(y), l.dtype)
        fits[i] = K[i, keep] @ (U[:, seen] / l[seen]) @ (U[:, seen].T @ values[keep])
    found = refitted_error(spectrum, targets, spectrum.rank, np.zeros_like(values))
    assert found == pytest.approx(targets.error(within_range(fits, values)), rel=0.03)


class TestError:
    def problem(self, n=60, *, classes=False):
        X = rows_of(n)
        y = np.sin(2 * X[:, 0]) + 0.3 * rows_of(n, 1, seed=1)[:, 0]
        targets = code_targets(np.where(y > 0, "up", "down") if classes else y)
        return decompose(kernels.Gaussian(0.5), X), targets

    @pytest.mark.parametrize("classes", [False, True])
    def test_is_that_of_n_decompositions(self, classes):
        spectrum, targets = self.problem(classes=classes)
        K = kernels.Gaussian(0.5)(spectrum.gram.points)
        fits = within_range(n_decompositions(K, targets.values, 9), targets.values)
        found = refitted_error(spectrum, targets, 9, np.zeros_like(targets.values))
        assert found == pytest.approx(targets.error(fits), rel=1e-9)

    def test_fixed_components_where_nothing_else_is_known(self, monkeypatch):
        spectrum, targets = self.problem()
        fixed = np.full_like(targets.values, 0.1)
        expected = targets.error(fixed)
        centred = decompose(kernels.Gaussian(0.5), spectrum.gram.points, center=True)
        assert refitted_error(centred, targets, 5, fixed) == expected
        square = decompose(kernels.Gaussian(1.0), [[1.0, 1], [1, -1], [-1, 1], [-1, -1]] * 15)
        assert refitted_error(square, targets, 2, fixed) == expected
        monkeypatch.setattr(leave_one_out, "MOST_ROWS", 59)
        assert refitted_error(spectrum, targets, 5, fixed) == expected

    def test_reads_nearer_to_the_truth_than_fixed_components(self):
        # Few rows and a narrow kernel: components rest on single rows.
        fixed, anew, true = [], [], []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(60, 3))
            y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=60)
            spectrum = decompose(kernels.Gaussian(2.0), X)
            rd = relevant_dimension(spectrum, y)
            new = rng.normal(size=(500, 3))
            predicted = spectrum.components(new, rd.dimension) @ rd.leading_coefficients
            error = (predicted[:, 0] + y.mean() - new[:, 0] * new[:, 1]) ** 2
            true.append(min(2.0, (np.mean(error) + 0.01) / np.var(y)))
            fixed.append(rd.targets.error(rd.left_out))
            anew.append(rd.error_estimate)
        misses = [np.mean(np.abs(np.subtract(figure, true))) for figure in (fixed, anew)]
        assert misses[1] < 0.9 * misses[0]


def test_fits_are_held_to_twice_the_range():
    values = np.array([[0.0], [2.0]])
    fits = np.array([[-5.0], [-1.0], [2.5], [9.0]])
    np.testing.assert_array_equal(within_range(fits, values)[:, 0], [-1.0, -1.0, 2.5, 3.0])
