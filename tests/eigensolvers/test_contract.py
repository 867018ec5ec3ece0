"""The contract of every eigensolver: a new one adds a row to SOLVERS and inherits the rest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim import decompose, kernels, relevant_dimension
from reldim.exceptions import InputError, KernelMatrixError, KernelMatrixWarning

SOLVERS = ["auto", "dense", "lowrank", "dask"]
# How near a solver that was asked for few pairs comes to those of the full decomposition.
ACCURACY = {"auto": 1e-12, "dense": 1e-12, "lowrank": 2e-2, "dask": 2e-2}
every_solver = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let 60 rows be several blocks to the solver of a cluster."""
    monkeypatch.setattr("reldim.eigensolvers.dask.rows.MULTIPLE", 16)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(60, 3))


@pytest.fixture(scope="module")
def reference(X):
    """Eigenpairs of K/n by numpy.linalg.eigh, in descending order."""
    K = kernels.Gaussian(width=1.5)(X) / len(X)
    values, vectors = np.linalg.eigh(K)
    return K, values[::-1], vectors[:, ::-1]


def padded(spectrum):
    """All n eigenvalues: a solver may leave out those that are zero."""
    missing = spectrum.n - len(spectrum.eigenvalues)
    return np.append(spectrum.eigenvalues, np.zeros(missing))


@every_solver
class TestContract:
    def decompose(self, solver, X, **settings):
        return decompose(kernels.Gaussian(width=1.5), X, solver=solver, **settings)

    def test_eigenvalues_are_those_of_the_normalised_matrix(self, solver, X, reference):
        _, values, _ = reference
        np.testing.assert_allclose(self.decompose(solver, X).eigenvalues, values, atol=1e-14)

    def test_eigenvectors_diagonalise_the_matrix_and_are_orthonormal(self, solver, X, reference):
        K, _, _ = reference
        spectrum = self.decompose(solver, X)
        U = spectrum.eigenvectors
        np.testing.assert_allclose(K @ U, U * spectrum.eigenvalues, atol=1e-14)
        np.testing.assert_allclose(U.T @ U, np.eye(len(X)), atol=1e-12)

    def test_projection_equals_the_product_with_the_eigenvectors(self, solver, X):
        spectrum = self.decompose(solver, X)
        Y = np.random.default_rng(1).normal(size=(len(X), 2))
        np.testing.assert_allclose(spectrum.project(Y), spectrum.eigenvectors.T @ Y, atol=1e-12)

    def test_projection_does_not_need_the_eigenvectors_first(self, solver, X):
        Y = np.ones((len(X), 1))
        before = self.decompose(solver, X).project(Y)
        spectrum = self.decompose(solver, X)
        _ = spectrum.eigenvectors
        np.testing.assert_array_equal(np.abs(before), np.abs(spectrum.project(Y)))

    @pytest.mark.parametrize("count, outputs", [(0, 1), (3, 2), (40, 1), (40, 20)])
    def test_combination_equals_the_product_with_the_eigenvectors(self, solver, X, count, outputs):
        spectrum = self.decompose(solver, X)
        weights = np.random.default_rng(1).normal(size=(count, outputs))
        before = spectrum.combine(weights)
        expected = np.asarray(spectrum.eigenvectors)[:, :count] @ weights
        np.testing.assert_allclose(before, expected, atol=1e-12)
        # Eigenvectors that are known by now may be used.
        np.testing.assert_allclose(spectrum.combine(weights), expected, atol=1e-12)

    def test_leading_pairs_equal_those_of_the_full_decomposition(self, solver, X):
        full, leading = self.decompose(solver, X), self.decompose(solver, X, rank=7)
        np.testing.assert_allclose(leading.eigenvalues, full.eigenvalues[:7], rtol=ACCURACY[solver])
        overlap = np.linalg.svd(leading.eigenvectors.T @ full.eigenvectors[:, :7])[1]
        np.testing.assert_allclose(overlap, 1.0, atol=ACCURACY[solver])
        assert leading.trace == pytest.approx(full.trace)
        assert leading.residual == pytest.approx(full.eigenvalues[7:].sum(), rel=ACCURACY[solver])

    def test_trace_and_residual(self, solver, X):
        spectrum = self.decompose(solver, X)
        assert spectrum.trace == pytest.approx(1.0)
        assert spectrum.residual == pytest.approx(0.0, abs=1e-12)
        assert spectrum.n == len(X)

    def test_components_at_the_data_are_the_eigenvectors(self, solver, X):
        spectrum = self.decompose(solver, X)
        np.testing.assert_allclose(
            spectrum.components(X, 20), spectrum.eigenvectors[:, :20], atol=1e-9
        )

    def test_components_at_new_points_follow_the_formula(self, solver, X):
        spectrum = self.decompose(solver, X)
        new = np.random.default_rng(2).normal(size=(4, 3))
        expected = np.zeros((4, 5))
        for i, x in enumerate(new):
            for m in range(5):
                for j, z in enumerate(X):
                    k = np.exp(-np.sum((x - z) ** 2) / 3.0)
                    expected[i, m] += k * spectrum.eigenvectors[j, m]
                expected[i, m] /= len(X) * spectrum.eigenvalues[m]
        np.testing.assert_allclose(spectrum.components(new, 5), expected, atol=1e-10)

    def test_centred_spectrum_equals_that_of_the_centred_matrix(self, solver, X, reference):
        K, _, _ = reference
        H = np.eye(len(X)) - 1 / len(X)
        spectrum = self.decompose(solver, X, center=True)
        np.testing.assert_allclose(
            padded(spectrum), np.linalg.eigvalsh(H @ K @ H)[::-1], atol=1e-12
        )
        np.testing.assert_allclose(spectrum.eigenvectors[:, :20].sum(axis=0), 0.0, atol=1e-9)

    def test_centred_components_are_those_of_explicitly_centred_features(self, solver, X):
        spectrum = decompose(kernels.Linear(), X, solver=solver, center=True)
        new = np.random.default_rng(3).normal(size=(5, 3))
        centred = decompose(kernels.Linear(), X - X.mean(axis=0), solver=solver)
        assert spectrum.rank == centred.rank == 3
        np.testing.assert_allclose(
            np.abs(spectrum.components(new)),
            np.abs(centred.components(new - X.mean(axis=0))),
            atol=1e-10,
        )

    def test_kernel_map_has_the_kernel_matrix_as_inner_products(self, solver, X, reference):
        K, _, _ = reference
        spectrum = self.decompose(solver, X)
        inner = spectrum.kernel_map() @ spectrum.kernel_map().T
        np.testing.assert_allclose(inner, K, atol=1e-13)
        np.testing.assert_allclose(
            spectrum.kernel_map(X, 10), spectrum.kernel_map(count=10), atol=1e-9
        )

    def test_single_precision_stays_single_where_rows_are_many(self, solver, X, monkeypatch):
        monkeypatch.setattr("reldim.spectrum.gram.FEW_ROWS", 0)
        spectrum = self.decompose(solver, X.astype(np.float32))
        assert spectrum.eigenvalues.dtype == np.float32
        assert spectrum.eigenvectors.dtype == np.float32
        assert spectrum.components(X.astype(np.float32), 3).dtype == np.float32
        double = self.decompose(solver, X)
        # The low-rank solver leaves out what lies below its resolution.
        np.testing.assert_allclose(
            padded(spectrum), double.eigenvalues, atol=max(1e-6, spectrum.resolution)
        )
        assert spectrum.resolution > 1e6 * double.resolution

    @pytest.mark.parametrize(
        "kernel",
        [
            kernels.Linear(),
            kernels.Polynomial(2, 1.0),
            kernels.Laplacian(scale=1.0).normalized(),
            0.5 * kernels.Gaussian(1.0) + kernels.Linear() * kernels.Matern(1.5, 2.0),
            lambda A, B: A @ B.T + 1.0,
        ],
        ids=["linear", "polynomial", "normalized", "composed", "callable"],
    )
    def test_any_kernel(self, solver, X, kernel):
        spectrum = decompose(kernel, X, solver=solver)
        expected = np.linalg.eigvalsh(np.asarray(kernel(X, X)) / len(X))[::-1]
        np.testing.assert_allclose(padded(spectrum), np.maximum(expected, 0), atol=1e-12)

    def test_sequences(self, solver):
        words = ["ACGTAC", "ACGTTT", "TTGTAC", "ACCCAC", "GGGTAC"]
        kernel = kernels.WeightedDegree(3)
        spectrum = decompose(kernel, words, solver=solver)
        np.testing.assert_allclose(
            spectrum.eigenvalues, np.linalg.eigvalsh(kernel(words) / 5)[::-1], atol=1e-12
        )

    def test_precomputed_equals_computed_also_at_new_points(self, solver, X):
        kernel = kernels.Gaussian(width=1.5)
        computed = self.decompose(solver, X)
        given_matrix = decompose(kernels.Precomputed(), kernel(X), solver=solver)
        np.testing.assert_allclose(given_matrix.eigenvalues, computed.eigenvalues, atol=1e-14)
        new = X[:3] + 0.1
        np.testing.assert_allclose(
            np.abs(given_matrix.components(kernel(new, X), 5)),
            np.abs(computed.components(new, 5)),
            atol=1e-9,
        )

    def test_a_precomputed_matrix_is_left_alone(self, solver, X):
        K = kernels.Gaussian(width=1.5)(X)
        before = K.copy()
        decompose(kernels.Precomputed(), K, solver=solver, center=True)
        np.testing.assert_array_equal(K, before)

    def test_rank_counts_what_stands_out_from_round_off(self, solver, X):
        assert decompose(kernels.Linear(), X, solver=solver).rank == 3
        assert decompose(kernels.Polynomial(2, 1.0), X, solver=solver).rank == 10

    def test_duplicated_rows_lower_the_rank(self, solver, X):
        spectrum = self.decompose(solver, np.vstack([X, X[:20]]))
        assert spectrum.rank == 60
        assert spectrum.cuts.max() == 60

    def test_cuts_avoid_the_inside_of_clusters(self, solver):
        # An orthogonal design: three eigenvalues of 4, two of 1, the rest zero.
        Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(12, 12)))
        K = Q[:, :5] * np.array([4.0, 4.0, 4.0, 1.0, 1.0]) @ Q[:, :5].T
        spectrum = decompose(kernels.Precomputed(), (K + K.T) / 2, solver=solver)
        np.testing.assert_array_equal(spectrum.cuts, [3, 5])
        assert spectrum.rank == 5

    def test_identity_has_no_cut(self, solver):
        spectrum = decompose(kernels.Precomputed(), np.eye(10), solver=solver)
        assert len(spectrum.cuts) == 0
        assert spectrum.rank == 10

    def test_row_order_does_not_matter(self, solver, X):
        order = np.random.default_rng(4).permutation(len(X))
        y = np.sin(X[:, 0]) + 0.1 * X[:, 1]
        one = relevant_dimension(self.decompose(solver, X), y)
        other = relevant_dimension(self.decompose(solver, X[order]), y[order])
        assert one.dimension == other.dimension
        np.testing.assert_allclose(one.curve, other.curve, atol=1e-8)

    def test_too_few_rows(self, solver):
        with pytest.raises(InputError, match=r"two rows.*Got 1"):
            decompose(kernels.Linear(), [[1.0]], solver=solver)

    @pytest.mark.parametrize("rank", [0, -1, 61])
    def test_rank_out_of_range(self, solver, X, rank):
        with pytest.raises(InputError, match=f"rank must lie between 1 .* 60. Got {rank}"):
            self.decompose(solver, X, rank=rank)

    def test_components_beyond_the_rank_are_refused(self, solver, X):
        spectrum = decompose(kernels.Linear(), X, solver=solver)
        with pytest.raises(InputError, match=r"numerical rank 3. Got 4"):
            spectrum.components(X, 4)

    def test_indefinite_matrix_is_refused(self, solver):
        with pytest.raises(KernelMatrixError, match=r"positive semi-definite.*of -.*clip"):
            decompose(kernels.Precomputed(), np.diag([1.0, 1.0, -1.5]), solver=solver)

    def test_slightly_indefinite_matrix_is_repaired_with_a_warning(self, solver):
        K = np.diag([1.0, 1.0, -1e-8])
        with pytest.warns(KernelMatrixWarning, match="set to zero"):
            spectrum = decompose(kernels.Precomputed(), K, solver=solver)
        np.testing.assert_allclose(padded(spectrum), [1 / 3, 1 / 3, 0.0], atol=1e-15)

    def test_asymmetric_matrix_is_refused(self, solver):
        with pytest.raises(KernelMatrixError, match=r"symmetric.*differ by 0\.5"):
            decompose(kernels.Precomputed(), np.array([[1.0, 0.5], [0.0, 1.0]]), solver=solver)

    def test_slightly_asymmetric_matrix_is_repaired_with_a_warning(self, solver):
        K = np.array([[1.0, 0.5 + 1e-10], [0.5, 1.0]])
        with pytest.warns(KernelMatrixWarning, match="not quite symmetric"):
            spectrum = decompose(kernels.Precomputed(), K, solver=solver)
        np.testing.assert_allclose(spectrum.eigenvalues, [0.75, 0.25], atol=1e-9)

    def test_zero_matrix_is_refused(self, solver):
        with pytest.raises(KernelMatrixError, match="is zero"):
            decompose(kernels.Linear(), np.zeros((4, 2)), solver=solver)

    def test_progress_is_reported(self, solver, X):
        seen = []
        self.decompose(solver, X, progress=lambda *call: seen.append(call))
        assert seen[0][1] == 0
        assert seen[-1][1] == seen[-1][2]


def kernels_of(columns):
    """Kernels of all kinds for columns of unit spread: narrow, wide, and wider than all distances.

    Wide ones are of low numerical rank, where a factor in single precision meets its round-off.
    """
    return {
        "narrow": kernels.Gaussian(0.3 * columns),
        "wide": kernels.Gaussian(2.0 * columns),
        "wider": kernels.Gaussian(100.0 * columns),
        "laplacian": kernels.Laplacian(np.sqrt(columns)),
        "polynomial": kernels.Polynomial(3, 1.0),
        "multiquadric": kernels.InverseMultiquadric(np.sqrt(10.0 * columns)),
        "matern": kernels.Matern(2.5, 10.0 * np.sqrt(columns)),
        "city": kernels.ProductLaplacian(columns),
        "linear": kernels.Linear(),
        "normalized": kernels.Polynomial(3, 1.0).normalized(),
        "weighted": kernels.Gaussian(columns, [0.0, *np.linspace(1.0, 3.0, columns - 1)]),
        "composed": 0.5 * kernels.Gaussian(columns) + kernels.Linear() * kernels.Gaussian(columns),
        "callable": lambda A, B: np.exp(A @ B.T / (4.0 * columns)),
    }


QUICK = {"narrow", "wide", "wider", "laplacian", "polynomial"}
# Up to 3000 rows "auto" takes a factor or the whole matrix, "dense" the latter alone.
QUICK_ROWS = {"auto": 1200, "dense": 600, "lowrank": 3000, "dask": 3000}


@every_solver
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in kernels_of(2)]
)
class TestBothPrecisions:
    """What single precision gives is what double precision gives of the same numbers."""

    @pytest.fixture(autouse=True)
    def as_for_many_rows(self, monkeypatch):
        """Let there be a few blocks of rows, and no number of rows too small for a factor of them
        in single precision.
        """
        monkeypatch.setattr("reldim.eigensolvers.dask.rows.MULTIPLE", 512)
        monkeypatch.setattr("reldim.spectrum.gram.FEW_ROWS", 0)

    def compare(self, solver, name, rows, columns):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(rows, columns)).astype(np.float32)
        # Every kernel shows a linear function in components that are far from round-off.
        y = X[:, 0] - 0.5 * X[:, 1] + 0.5 * rng.normal(size=rows)
        kernel = kernels_of(columns)[name]
        # Kernels with much beyond any rank are compared at one that is quick.
        rank = 300 if name in {"narrow", "laplacian", "city", "composed"} or rows > 3000 else None
        single, double = (
            decompose(kernel, X.astype(dtype), solver=solver, rank=rank, random_state=0)
            for dtype in (np.float32, np.float64)
        )
        assert single.eigenvalues.dtype == single.eigenvectors.dtype == np.float32
        seen = double.eigenvalues > 1e-4 * double.eigenvalues[0]
        leading = double.eigenvalues[seen][:100]
        np.testing.assert_allclose(
            single.eigenvalues[: len(leading)], leading, rtol=ACCURACY["lowrank"]
        )
        new = X[:50].astype(np.float64) + 0.01
        one, other = (relevant_dimension(spectrum, y) for spectrum in (single, double))
        assert one.dimension == other.dimension
        assert one.error_estimate == pytest.approx(other.error_estimate, rel=0.02)
        d = one.dimension
        predicted = [
            np.asarray(rd.spectrum.components(new.astype(rd.spectrum.eigenvalues.dtype), d))
            @ rd.spectrum.project(y[:, None])[:d]
            for rd in (one, other)
        ]
        np.testing.assert_allclose(predicted[0], predicted[1], atol=0.02)

    def test_same_answer(self, solver, name):
        self.compare(solver, name, QUICK_ROWS[solver], 5)

    @pytest.mark.slow
    @pytest.mark.parametrize("rows, columns", [(3000, 2), (3000, 50), (6000, 16), (20_000, 8)])
    def test_same_answer_at_other_sizes(self, solver, name, rows, columns):
        if solver == "dense" and rows > 3000:
            pytest.skip("the whole matrix takes minutes")
        self.compare(solver, name, rows, columns)


@pytest.mark.parametrize("solver", ["lowrank", "dask"])
@pytest.mark.parametrize(
    "kernel", [kernels.Gaussian(20_000.0), kernels.InverseMultiquadric(120.0)], ids=repr
)
def test_rows_far_off_do_not_spoil_a_factor_in_single_precision(solver, kernel, monkeypatch):
    """Pivots of which little is left come after those that explain rows far from all others."""
    monkeypatch.setattr("reldim.spectrum.gram.FEW_ROWS", 0)
    X = (100.0 + np.random.default_rng(1).normal(size=(2000, 16)) ** 3).astype(np.float32)
    spectrum = decompose(kernel, X, solver=solver)
    K = kernel(X.astype(np.float64))
    approximation = spectrum.kernel_map().astype(np.float64) @ spectrum.kernel_map().T * len(X)
    assert np.abs(K - approximation).max() < 1e-3 * K.max()


@every_solver
def test_few_rows_in_single_precision_are_computed_with_in_double_precision(solver):
    """Wide kernels need eigenvalues that are far below the rounding of their entries."""
    X = np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32)
    kernel = kernels.Gaussian(100.0) + kernels.Linear()
    single, double = (decompose(kernel, rows, solver=solver) for rows in (X, X.astype(np.float64)))
    assert single.landmarks is None or single.landmarks.dtype == np.float32
    for name in ("eigenvalues", "eigenvectors"):
        own, other = getattr(single, name), getattr(double, name)
        # Answered in the precision that came, and not computed in it.
        assert own.dtype == np.float32
        np.testing.assert_array_equal(own, other.astype(np.float32))
    assert single.components(X[:5]).dtype == np.float32


def test_unknown_solver():
    with pytest.raises(InputError, match=r"solver must be one of auto, .*Got 'magic'"):
        decompose(kernels.Linear(), np.eye(3), solver="magic")


@settings(deadline=None, max_examples=25)
@given(
    n=st.integers(2, 25),
    seed=st.integers(0, 2**32 - 1),
    log_width=st.floats(-4, 4),
    center=st.booleans(),
)
def test_dense_equals_eigh_on_random_problems(n, seed, log_width, center):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    kernel = kernels.Gaussian(width=10.0**log_width)
    K = kernel(X) / n
    if center:
        H = np.eye(n) - 1 / n
        K = H @ K @ H
    spectrum = decompose(kernel, X, solver="dense", center=center)
    np.testing.assert_allclose(
        spectrum.eigenvalues, np.maximum(np.linalg.eigvalsh(K)[::-1], 0), atol=1e-14
    )
    U = spectrum.eigenvectors
    np.testing.assert_allclose(U * spectrum.eigenvalues @ U.T, K, atol=1e-13)
    if spectrum.rank:
        np.testing.assert_allclose(
            spectrum.components(X) * spectrum.eigenvalues[: spectrum.rank],
            U[:, : spectrum.rank] * spectrum.eigenvalues[: spectrum.rank],
            atol=1e-9,
        )


def test_repr_says_what_it_is(X):
    text = repr(decompose(kernels.Linear(), X))
    assert "Linear()" in text
    assert "n=60" in text
    assert "rank=3" in text
