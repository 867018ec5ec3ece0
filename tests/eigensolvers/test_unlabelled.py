"""Components of labelled and unlabelled rows together."""

import numpy as np
import pytest
from scipy import sparse

from reldim import RelevantKernelPCA, datasets, decompose, kernels, relevant_dimension
from reldim.exceptions import InputError

KERNEL = kernels.Gaussian(1.0)
DATA = datasets.noisy_sinc(300, noise=0.2, random_state=0)
X, y, MORE = DATA.X[:60], DATA.y[:60], DATA.X[60:]
NEW = np.linspace(-3, 3, 25)[:, None]


def gram_schmidt(columns):
    """Make columns orthonormal one after the other."""
    found = []
    for column in columns.T:
        left = column - sum((column @ q) * q for q in found)
        left = left - sum((left @ q) * q for q in found)
        found.append(left / np.linalg.norm(left))
    return np.array(found).T


@pytest.fixture(scope="module")
def spectrum():
    return decompose(KERNEL, X, unlabelled=MORE)


def test_components_are_those_of_all_rows_made_orthonormal(spectrum):
    values, U = np.linalg.eigh(KERNEL(DATA.X) / 300)
    values, U = values[::-1][:12], U[:, ::-1][:60, :12]
    np.testing.assert_allclose(spectrum.eigenvalues[:12], values, atol=1e-12)
    ours = spectrum.eigenvectors[:, :12]
    np.testing.assert_allclose(np.abs(ours), np.abs(gram_schmidt(U)), atol=1e-5)
    np.testing.assert_allclose(ours.T @ ours, np.eye(12), atol=1e-12)
    np.testing.assert_allclose(spectrum.components(X, 12), ours, atol=1e-6)
    assert spectrum.n == 60
    assert "240 unlabelled rows" in spectrum.note


def test_leading_functions_are_combinations_of_those_of_all_rows(spectrum):
    whole = decompose(KERNEL, DATA.X)
    for d in (1, 4, 8):
        ours, theirs = spectrum.components(NEW, d), whole.components(NEW, d)
        left = theirs - ours @ np.linalg.lstsq(ours, theirs, rcond=None)[0]
        assert np.abs(left).max() < 1e-8


def test_an_estimate_is_least_squares_on_functions_of_all_rows(spectrum):
    rd = relevant_dimension(spectrum, y)
    d = rd.dimension
    F = decompose(KERNEL, DATA.X).components(X, d)
    weights = np.linalg.lstsq(F, y - y.mean(), rcond=None)[0]
    np.testing.assert_allclose(rd.denoised, y.mean() + F @ weights, atol=1e-8)
    predicted = y.mean() + decompose(KERNEL, DATA.X).components(NEW, d) @ weights
    np.testing.assert_allclose(rd.expansion(NEW)[:, 0], predicted, atol=1e-7)
    residual = [
        y[i] - y.mean() - F[i] @ np.linalg.lstsq(np.delete(F, i, 0), np.delete(y - y.mean(), i))[0]
        for i in range(60)
    ]
    expected = np.sum(np.square(residual)) / np.sum((y - y.mean()) ** 2)
    assert rd.error_estimate == pytest.approx(expected)


def test_more_rows_bring_components_nearer_to_those_of_the_density():
    # The principal angle between the leading spaces and those of 3000 rows.
    data = datasets.noisy_sinc(3000, random_state=1)
    truth = np.linalg.qr(decompose(KERNEL, data.X).components(NEW, 5))[0]

    def distance(spectrum):
        ours = np.linalg.qr(spectrum.components(NEW, 5))[0]
        return 1 - np.linalg.svd(truth.T @ ours)[1].min()

    few = DATA.X[:25]
    assert distance(decompose(KERNEL, few, unlabelled=MORE)) < distance(decompose(KERNEL, few))


@pytest.mark.parametrize("solver", ["dense", "lowrank"])
def test_transformer_has_the_components_of_all_rows(solver):
    model = RelevantKernelPCA(KERNEL, solver=solver).fit(X, y, unlabelled=MORE)
    whole = decompose(KERNEL, DATA.X)
    d = model.dimension_
    expected = whole.components(NEW, d) * np.sqrt(300 * whole.eigenvalues[:d])
    np.testing.assert_allclose(np.abs(model.transform(NEW)), np.abs(expected), atol=1e-5)
    assert d == relevant_dimension(decompose(KERNEL, X, unlabelled=MORE), y).dimension


def test_sparse_rows_and_sequences():
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.5, size=(80, 6)).astype(float)
    plain = decompose(KERNEL, dense[:30], unlabelled=dense[30:])
    rows = sparse.csr_matrix(dense)
    found = decompose(KERNEL, rows[:30], unlabelled=rows[30:])
    np.testing.assert_allclose(found.eigenvalues[:5], plain.eigenvalues[:5], atol=1e-10)
    words = ["".join(rng.choice(list("ACGT"), 8)) for _ in range(40)]
    found = decompose(kernels.WeightedDegree(3), words[:15], unlabelled=words[15:])
    assert found.components(words[:15], 3) == pytest.approx(found.eigenvectors[:, :3], abs=1e-8)


def test_bad_input():
    K = KERNEL(X)
    with pytest.raises(InputError, match="neither with center=True"):
        decompose(KERNEL, X, unlabelled=MORE, center=True)
    with pytest.raises(InputError):
        decompose(KERNEL, X, unlabelled=np.ones((5, 3)))
    with pytest.raises(InputError):
        decompose(kernels.Precomputed(), K, unlabelled=K[:5])
    with pytest.raises(ValueError, match="3 features"):
        RelevantKernelPCA(KERNEL).fit(X, y, unlabelled=np.ones((5, 3)))
    with pytest.raises(InputError, match="No component reaches"):
        decompose(KERNEL, X[:1] + 1e4 + np.zeros((2, 1)), unlabelled=np.zeros((40, 1)), rank=1)
