"""A spectrum from eigenpairs that are made up: rank, clusters, residual and components."""

import numpy as np
import pytest

from reldim import kernels
from reldim.exceptions import InputError
from reldim.spectrum.gram import Gram
from reldim.spectrum.spectrum import Spectrum, Vectors, check_count, roundoff

X = np.random.default_rng(0).normal(size=(6, 2))
KERNEL = kernels.Gaussian(1.0)


def made_up(eigenvalues, **fields):
    values = np.array(eigenvalues)
    fields = {"trace": float(values.sum()), **fields}
    return Spectrum(values, Vectors(np.eye(6)[:, : len(values)]), Gram.of(KERNEL, X), **fields)


def true_spectrum(count=6):
    values, vectors = np.linalg.eigh(KERNEL(X, X) / 6)
    basis = Vectors(vectors[:, ::-1][:, :count])
    return Spectrum(values[::-1][:count], basis, Gram.of(KERNEL, X), trace=1.0)


@pytest.mark.parametrize(
    "eigenvalues, rank, cuts",
    [
        ([4.0, 3.0, 2.0], 3, [1, 2]),  # What lies beyond is not known.
        ([4.0, 3.0, 1e-16], 2, [1, 2]),
        ([4.0, 4.0, 2.0, 0.0], 3, [2, 3]),
        ([4.0, 4.0 * (1 - 1e-10), 2.0, 0.0], 3, [2, 3]),
        ([4.0, 4.0 * (1 - 1e-8), 2.0, 0.0], 3, [1, 2, 3]),
        ([0.0, 0.0], 0, []),
    ],
)
def test_cuts_lie_between_clusters(eigenvalues, rank, cuts):
    spectrum = made_up(eigenvalues)
    assert spectrum.rank == rank
    assert spectrum.cuts.tolist() == cuts


def test_residual_is_what_the_trace_has_beyond():
    assert made_up([3.0, 1.0], trace=5.0).residual == 1.0
    assert made_up([3.0, 1.0], trace=4.0 - 1e-16).residual == 0.0
    assert not made_up([3.0, 1.0], trace=5.0).is_complete
    assert made_up([3.0, 1.0], trace=5.0, exhausted=True).is_complete


def test_components_at_the_data_are_the_eigenvectors():
    spectrum = true_spectrum()
    np.testing.assert_allclose(spectrum.components(X), spectrum.eigenvectors, atol=1e-10)
    new = np.array([[0.3, -0.2]])
    by_hand = KERNEL(new, X) @ spectrum.eigenvectors[:, 0] / (6 * spectrum.eigenvalues[0])
    assert spectrum.components(new, 1)[0, 0] == pytest.approx(by_hand[0])


def test_project_and_combine_are_each_others_inverse():
    spectrum, y = true_spectrum(), np.random.default_rng(1).normal(size=(6, 2))
    np.testing.assert_allclose(spectrum.combine(spectrum.project(y)), y)
    leading = true_spectrum(2)
    np.testing.assert_allclose(leading.project(y), spectrum.project(y)[:2])


def test_sums_over_rows_do_not_depend_on_blocks(monkeypatch):
    basis = true_spectrum().basis
    whole = basis.sum_rows(lambda U, y: U.T @ y, 3, X)
    monkeypatch.setattr(
        "reldim.spectrum.spectrum.row_blocks", lambda n, _: [slice(i, i + 1) for i in range(n)]
    )
    np.testing.assert_allclose(basis.sum_rows(lambda U, y: U.T @ y, 3, X), whole)
    np.testing.assert_allclose(basis.map_rows(lambda U: 2 * U, 3), 2 * basis.vectors(3))


@pytest.mark.parametrize("count", [7, -1, 1.5, True])
def test_counts_out_of_range(count):
    with pytest.raises(InputError, match="from 0 to 6"):
        check_count(count, 6)
    with pytest.raises(InputError, match="numerical rank"):
        true_spectrum().components(X, count)


def test_round_off_grows_with_the_root_of_the_rows():
    assert roundoff(10_000, np.dtype(np.float64)) == 10 * roundoff(100, np.dtype(np.float64))
    # Of numbers in single precision entries are rounded: little beside sums of n of them.
    assert 10 * roundoff(10_000, np.dtype(np.float32)) == roundoff(4, np.dtype(np.float32)) < 1e-6
