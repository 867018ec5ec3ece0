"""Relevant dimension against literal readings of the papers and against known truth."""

import numpy as np
import pytest
from fuzz.oracle import check_relevance
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reldim import decompose, kernels, relevant_dimension
from reldim.exceptions import InputError
from reldim.relevance.criteria import left_out_residual, spread_over_clusters
from reldim.relevance.estimation import estimate
from reldim.relevance.leave_one_out import refitted_predictions, within_range
from reldim.spectrum.spectrum import Spectrum, Vectors


def algorithm_1(K, y):
    """Read Algorithm 1 of the JMLR paper literally, loop and all."""
    n = len(y)
    values, U = np.linalg.eigh(K / n)
    U = U[:, np.argsort(-values)]
    z = U.T @ y
    c, C = 0.0, float(z @ z)
    lengths = []
    for d in range(1, n // 2 + 1):
        c += z[d - 1] ** 2
        s1, s2 = c / d, (C - c) / (n - d)
        lengths.append((d * np.log(s1) + (n - d) * np.log(s2)) / n)
    d = int(np.argmin(lengths)) + 1
    T = U[:, :d]
    return d, np.array(lengths), T @ T.T @ y


def n_refits(U, y):
    """Leave each row out, refit by least squares on the same basis, predict it."""
    residual = np.zeros_like(y)
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        weights, *_ = np.linalg.lstsq(U[keep], y[keep], rcond=None)
        residual[i] = y[i] - U[i] @ weights
    return residual


@pytest.fixture(scope="module")
def labels(problem):
    return np.where(problem[1] > 0.2, 1, -1)


class TestPaperVariant:
    @pytest.mark.parametrize("mean", [0.0, 0.4, 5.0])
    def test_equals_algorithm_1_on_numbers_that_are_not_centred(self, problem, mean):
        spectrum, y = problem
        y = y - y.mean() + mean
        d, curve, denoised = algorithm_1(spectrum.gram.matrix(), y)
        rd = relevant_dimension(spectrum, y, variant="paper", center_targets=False)
        assert rd.dimension == d
        np.testing.assert_allclose(rd.curve, curve, atol=1e-9)
        np.testing.assert_allclose(rd.denoised, denoised, atol=1e-9)
        nmse = np.sum((y - denoised) ** 2) / np.sum((y - y.mean()) ** 2)
        assert rd.noise_level == pytest.approx(nmse)

    def test_centring_is_algorithm_1_on_what_is_left_of_the_mean(self, problem):
        spectrum, y = problem
        d, curve, denoised = algorithm_1(spectrum.gram.matrix(), y - y.mean())
        for shift in (0.0, 1e3):
            rd = relevant_dimension(spectrum, y + shift, variant="paper")
            assert rd.dimension == d
            np.testing.assert_allclose(rd.curve, curve, atol=1e-9)
            np.testing.assert_allclose(rd.denoised, denoised + y.mean() + shift, atol=1e-9)
        shifted = relevant_dimension(spectrum, y + 1e3, variant="paper", center_targets=False)
        assert shifted.noise_level > 10 * rd.noise_level

    def test_classes_are_not_centred_either_way(self, problem, labels):
        found = [
            relevant_dimension(problem[0], labels, variant="paper", center_targets=center).curve
            for center in (False, True)
        ]
        np.testing.assert_array_equal(*found)

    def test_equals_algorithm_1_on_labels(self, problem, labels):
        spectrum, _ = problem
        d, curve, denoised = algorithm_1(spectrum.gram.matrix(), labels.astype(float))
        rd = relevant_dimension(spectrum, labels, variant="paper")
        assert rd.dimension == d
        np.testing.assert_allclose(rd.curve, curve, atol=1e-10)
        np.testing.assert_allclose(rd.denoised, denoised, atol=1e-10)
        assert rd.noise_level == np.mean(np.sign(denoised) != labels)
        assert rd.negative_log_likelihood == pytest.approx(curve.min())

    def test_equals_algorithm_1_on_centred_numbers(self, problem):
        spectrum, y = problem
        d, curve, denoised = algorithm_1(spectrum.gram.matrix(), y - y.mean())
        rd = relevant_dimension(spectrum, y, variant="paper")
        assert rd.dimension == d
        np.testing.assert_allclose(rd.curve, curve, atol=1e-10)
        np.testing.assert_allclose(rd.denoised, denoised + y.mean(), atol=1e-10)
        nmse = np.sum((y - rd.denoised) ** 2) / np.sum((y - y.mean()) ** 2)
        assert rd.noise_level == pytest.approx(nmse)

    def test_coefficients_are_scalar_products_with_the_eigenvectors(self, problem, labels):
        spectrum, _ = problem
        rd = relevant_dimension(spectrum, labels, variant="paper")
        np.testing.assert_allclose(rd.coefficients, spectrum.eigenvectors.T @ labels, atol=1e-12)

    def test_leave_one_out_is_minimised_over_half_the_rows(self, problem, labels):
        rd = relevant_dimension(problem[0], labels, variant="paper", criterion="leave-one-out")
        assert len(rd.curve) == 40
        assert rd.dimension == np.argmin(rd.curve) + 1


class TestCriterionError:
    @pytest.mark.parametrize("width", [1.0, 1e3, 1e5, 1e6])
    @pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
    def test_bounds_what_round_off_in_the_kernel_matrix_does(self, width, criterion):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 3))
        y = X[:, 0] ** 2 + X[:, 1] + 0.1 * rng.normal(size=80)
        K = kernels.Gaussian(width)(X)
        spectrum = decompose(kernels.Precomputed(), K)
        rd = relevant_dimension(spectrum, y, criterion=criterion)
        changes = []
        for _ in range(10):
            noise = np.triu(rng.uniform(-1, 1, size=K.shape))
            other = K * (1 + np.finfo(float).eps * (noise + noise.T))
            turned = decompose(kernels.Precomputed(), other)
            again = estimate(turned, rd.targets, dimension=rd.dimension, criterion=criterion)
            changes.append(abs(again.criterion_value - rd.criterion_value))
        # A billionth is what the rest of the computation may add.
        assert max(changes) < 1e-9 + rd.criterion_error
        assert rd.criterion_error < 1e-9 + 100 * max(changes)


class TestNumericalRank:
    """Of 40 rows 11 differ, and of their components a wide kernel tells 7 from round-off."""

    @pytest.mark.parametrize("variant", ["robust", "paper"])
    @pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
    @pytest.mark.parametrize("seed", range(5))
    def test_no_dimension_is_chosen_beyond_it(self, criterion, variant, seed):
        rng = np.random.default_rng(seed)
        places = np.linspace(-3, 3, 11)
        x = np.concatenate([places, places[rng.integers(11, size=29)]])
        y = np.sinc(x) + 0.3 * rng.normal(size=40)
        spectrum = decompose(kernels.Gaussian(100.0), x.reshape(-1, 1))
        rd = relevant_dimension(spectrum, y, criterion=criterion, variant=variant)
        assert spectrum.rank == 7
        assert rd.dimension <= 7
        assert rd.interval[1] <= 7
        if variant == "paper":
            # The curve goes on to half of the rows, as in the paper.
            assert len(rd.curve) == 20

    def test_what_equal_rows_differ_by_belongs_to_the_null_space(self):
        # The fifth eigenvalue is 1e-13 of the first: round-off turns its component by 1e-3.
        X = np.array([[1.304], [0.3616], [-0.5357], [0.1049], [0.1049], [1.304], [-0.1321]])
        y = np.array([0.96875308, 0.12126351, -0.53229593, -0.01988326, 0.0314811, 0.91019458,
                      -0.16335097])  # fmt: skip
        rd = relevant_dimension(decompose(kernels.Gaussian(100.0), X), y)
        check_relevance(rd, X)
        assert rd.dimension == 2
        distinct = [0, 1, 2, 3, 6]
        counts = np.array([2.0, 1.0, 1.0, 2.0, 1.0])
        means = np.array([(y[0] + y[5]) / 2, y[1], y[2], (y[3] + y[4]) / 2, y[6]]) - y.mean()
        K = kernels.Gaussian(100.0)(X[distinct]) * np.sqrt(np.outer(counts, counts)) / 7
        U = np.linalg.eigh(K)[1][:, ::-1]
        z = U.T @ (np.sqrt(counts) * means)
        np.testing.assert_allclose(np.abs(rd.coefficients[:4]), np.abs(z[:4]), rtol=1e-5)
        assert rd.coefficients[4] ** 2 == pytest.approx(z[4] ** 2, rel=1e-6)


class TestLeaveOneOut:
    @pytest.mark.parametrize("d", [1, 3, 10, 40])
    def test_curve_equals_n_refits(self, problem, labels, d):
        spectrum, _ = problem
        rd = relevant_dimension(spectrum, labels, criterion="leave-one-out", variant="paper")
        residual = n_refits(spectrum.eigenvectors[:, :d], labels.astype(float))
        assert rd.curve[d - 1] == pytest.approx(np.mean(residual**2), rel=1e-9)

    @pytest.mark.parametrize("seed", [28, 32, 140, 160, 175, 180, 265, 272])
    def test_the_papers_variant_reads_leverage_1_literally(self, seed):
        # 11 distinct rows; once components hold a row by itself the fraction is 0/0.
        rng = np.random.default_rng(seed)
        n = int(rng.integers(14, 31))
        distinct = rng.normal(size=(11, 2))
        X = distinct[np.concatenate([np.arange(11), rng.integers(0, 11, n - 11)])]
        y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=n)
        spectrum = decompose(kernels.Gaussian([0.1, 0.5, 1, 3][seed % 4]), X)
        options = {"criterion": "leave-one-out", "variant": "paper", "center_targets": False}
        rd = relevant_dimension(spectrum, y, **options)
        U, curve = spectrum.eigenvectors, []
        for d in range(1, min(n // 2, spectrum.rank) + 1):
            S = U[:, :d] @ U[:, :d].T
            free = 1 - np.diag(S)
            defined = free.min() > 1e-14
            curve.append(np.mean(((S @ y - y) / free) ** 2) if defined else np.inf)
        assert rd.dimension == np.argmin(curve) + 1
        np.testing.assert_allclose(rd.curve[rd.dimension - 1], np.min(curve), rtol=1e-9)
        assert np.isinf(rd.curve[-1])

    def test_curve_of_several_outputs_adds_up(self, problem):
        spectrum, y = problem
        Y = np.column_stack([y, y**2])
        both = relevant_dimension(spectrum, Y, criterion="leave-one-out", variant="paper")
        single = [
            relevant_dimension(
                spectrum, column, criterion="leave-one-out", variant="paper", task="regression"
            )
            for column in Y.T
        ]
        np.testing.assert_allclose(both.curve, single[0].curve + single[1].curve, rtol=1e-9)

    def test_fixed_error_equals_n_refits_on_the_same_basis(self, problem, labels):
        spectrum, y = problem
        rd = relevant_dimension(spectrum, labels)
        residual = n_refits(spectrum.eigenvectors[:, : rd.dimension], labels.astype(float))
        assert rd.fixed_error == np.mean(np.sign(labels - residual) != labels)
        rd = relevant_dimension(spectrum, y)
        residual = n_refits(spectrum.eigenvectors[:, : rd.dimension], y - y.mean())
        expected = np.sum(residual**2) / np.sum((y - y.mean()) ** 2)
        assert rd.fixed_error == pytest.approx(expected)

    def test_error_estimate_computes_the_basis_anew_except_in_the_papers_variant(self, problem):
        spectrum, y = problem
        rd = relevant_dimension(spectrum, y)
        fits = refitted_predictions(spectrum, rd.targets.values, rd.dimension)
        expected = rd.targets.error(within_range(fits, rd.targets.values))
        assert rd.error_estimate == pytest.approx(expected)
        assert rd.error_estimate != rd.fixed_error
        paper = relevant_dimension(spectrum, y, variant="paper")
        assert paper.error_estimate == paper.fixed_error

    def test_leverages_are_the_diagonal_of_the_projection(self, problem, labels):
        spectrum, _ = problem
        rd = relevant_dimension(spectrum, labels)
        U = spectrum.eigenvectors[:, : rd.dimension]
        np.testing.assert_allclose(rd.leverages, np.diag(U @ U.T), atol=1e-12)

    def test_a_row_of_leverage_one_is_predicted_as_least_squares_of_smallest_norm_does(self):
        # Rows 0 and 1 own a component each.
        U = np.zeros((5, 3))
        U[0, 0] = U[1, 1] = 1.0
        U[2:, 2] = 1 / np.sqrt(3)
        y = np.array([1.0, -2.0, 0.5, 1.5, 1.0])
        leverage = np.sum(U**2, axis=1)
        residual = left_out_residual(y - U @ U.T @ y, y, leverage)
        np.testing.assert_allclose(residual, n_refits(U, y), atol=1e-12)

    def test_blocks_of_rows_give_the_same_curve(self, problem, labels, monkeypatch):
        spectrum, _ = problem
        whole = relevant_dimension(spectrum, labels, criterion="leave-one-out")
        monkeypatch.setattr("reldim.spectrum.gram.BLOCK_BYTES", 20_000)
        blocks = relevant_dimension(spectrum, labels, criterion="leave-one-out")
        np.testing.assert_allclose(blocks.curve, whole.curve, rtol=1e-12)
        assert blocks.error_estimate == whole.error_estimate


class TestRobustVariant:
    def test_agrees_with_the_paper_where_the_spectrum_is_separated(self, problem, labels):
        spectrum, _ = problem
        assert len(spectrum.cuts) >= 40
        robust = relevant_dimension(spectrum, labels)
        paper = relevant_dimension(spectrum, labels, variant="paper")
        assert robust.dimension == paper.dimension
        np.testing.assert_allclose(robust.curve, paper.curve, atol=1e-9)

    def test_a_rotation_inside_a_tie_changes_nothing(self):
        rng = np.random.default_rng(1)
        Q, _ = np.linalg.qr(rng.normal(size=(30, 30)))
        values = np.array([5.0] * 4 + [2.0] * 3 + [1.0] + [0.0] * 22)
        y = Q[:, :7] @ rng.normal(size=7) * 3 + 0.1 * rng.normal(size=30)
        gram = decompose(kernels.Precomputed(), np.eye(30)).gram
        answers, curves = [], []
        for seed in range(5):
            R = np.eye(30)
            for block in (slice(0, 4), slice(4, 7), slice(8, 30)):
                size = block.stop - block.start
                R[block, block] = np.linalg.qr(
                    np.random.default_rng(seed).normal(size=(size, size))
                )[0]
            spectrum = Spectrum(values / 30, Vectors(Q @ R), gram, float(values.sum() / 30))
            for criterion in ("likelihood", "leave-one-out"):
                rd = relevant_dimension(spectrum, y, criterion=criterion)
                answers.append((criterion, rd.dimension, rd.interval, rd.p_value))
            curves.append(relevant_dimension(spectrum, y).curve)
        for curve in curves[1:]:
            np.testing.assert_allclose(curve, curves[0], atol=1e-9)
        assert len(set(answers)) == 2
        assert {answer[1] for answer in answers} == {7}

    def test_cuts_only_between_clusters(self):
        rng = np.random.default_rng(0)
        Q, _ = np.linalg.qr(rng.normal(size=(30, 30)))
        K = 3.0 * Q[:, :10] @ Q[:, :10].T  # a tie of ten
        spectrum = decompose(kernels.Precomputed(), (K + K.T) / 2)
        np.testing.assert_array_equal(spectrum.cuts, [10])
        y = Q[:, :4] @ [5.0, -5.0, 5.0, 5.0] + 0.01 * rng.normal(size=30)
        assert relevant_dimension(spectrum, y).dimension == 10

    def test_copied_rows_do_not_change_the_answer(self):
        rng = np.random.default_rng(11)
        X = rng.normal(size=(60, 2))
        y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=60)
        kernel = kernels.Gaussian(width=1.0)
        once = relevant_dimension(decompose(kernel, X), y)
        twice = relevant_dimension(decompose(kernel, np.vstack([X, X])), np.append(y, y))
        assert twice.dimension == once.dimension
        assert twice.interval == once.interval
        np.testing.assert_allclose(np.diff(twice.curve), np.diff(once.curve), atol=1e-9)
        assert twice.noise_level == pytest.approx(once.noise_level)

    def test_some_copied_rows_do_not_drive_the_dimension_up(self):
        # Without care the null space of copies, which holds no noise, makes every other
        # component look like signal.
        rng = np.random.default_rng(12)
        X = rng.normal(size=(100, 2))
        labels = np.where(X[:, 0] + 0.5 * rng.normal(size=100) > 0, 1, -1)
        kernel = kernels.Gaussian(width=2.0)
        plain = relevant_dimension(decompose(kernel, X), labels)
        some = rng.integers(0, 100, size=80)
        more = relevant_dimension(
            decompose(kernel, np.vstack([X, X[some]])), np.append(labels, labels[some])
        )
        assert plain.dimension <= 5
        assert more.dimension <= 10

    def test_repeated_measurements_count_as_rows(self):
        rng = np.random.default_rng(13)
        X = np.repeat(np.linspace(-1, 1, 8), 20).reshape(-1, 1)
        y = 2.0 * X[:, 0] + rng.normal(size=160)
        rd = relevant_dimension(decompose(kernels.Gaussian(width=1.0), X), y)
        assert len(rd.curve) == 80
        assert 1 <= rd.dimension <= 4

    def test_very_narrow_kernels_have_no_structure(self):
        X = np.random.default_rng(0).normal(size=(50, 2))
        spectrum = decompose(kernels.Gaussian(width=1e-9), X)
        rd = relevant_dimension(spectrum, np.sign(X[:, 0]))
        assert rd.dimension == 0
        assert rd.p_value == 1.0

    def test_noiseless_targets_of_rank_d(self, problem):
        spectrum, _ = problem
        rng = np.random.default_rng(2)
        for d in (1, 2, 5, 12):
            y = spectrum.eigenvectors[:, :d] @ rng.choice([-3.0, 2.0, 4.0], size=d)
            # The mean is no part of the two components' span: leave it in.
            rd = relevant_dimension(spectrum, np.column_stack([y, -y]) + 0.0, variant="paper")
            assert np.isfinite(rd.curve).all()
        labels = spectrum.eigenvectors[:, :5] @ np.array([3.0, 2.0, 4.0, 1.0, 2.0])
        flat = labels - labels.mean()
        centred = decompose(
            kernels.Gaussian(width=1.0), np.asarray(spectrum.gram.points), center=True
        )
        y = centred.eigenvectors[:, :5] @ np.array([3.0, 2.0, 4.0, 1.0, 2.0])
        rd = relevant_dimension(centred, y)
        assert rd.dimension == 5
        assert rd.noise_level < 1e-15
        assert np.isfinite(relevant_dimension(spectrum, flat).curve).all()

    def test_pure_noise_has_no_dimension(self, problem):
        spectrum, _ = problem
        rng = np.random.default_rng(3)
        found = [relevant_dimension(spectrum, rng.normal(size=80)) for _ in range(60)]
        silent = [rd.dimension == 0 for rd in found]
        # 95 % are expected; 85 % is four standard errors below.
        assert np.mean(silent) >= 0.85
        for rd in found:
            assert (rd.dimension == 0) == (rd.p_value > 0.05)

    def test_pure_noise_by_leave_one_out_mostly_has_no_dimension(self, problem):
        spectrum, _ = problem
        rng = np.random.default_rng(4)
        zero = [
            relevant_dimension(spectrum, rng.normal(size=80), criterion="leave-one-out").dimension
            == 0
            for _ in range(60)
        ]
        assert np.mean(zero) >= 0.5

    def test_dimension_zero_predicts_the_mean_or_the_majority(self, problem):
        spectrum, _ = problem
        rng = np.random.default_rng(5)
        y = rng.normal(size=80)
        rd = relevant_dimension(spectrum, y)
        assert rd.dimension == 0
        np.testing.assert_allclose(rd.denoised, y.mean())
        assert rd.noise_level == pytest.approx(1.0)
        assert rd.error_estimate == pytest.approx(1.0)
        assert rd.negative_log_likelihood == pytest.approx(np.log(y.var()))
        labels = rng.permutation(np.repeat(["few", "many"], [20, 60]))
        rd = relevant_dimension(spectrum, labels)
        assert rd.dimension == 0
        assert set(rd.denoised_labels) == {"many"}
        assert rd.noise_level == rd.error_estimate == 0.25

    def test_unbalanced_labels_are_not_taken_for_signal(self, problem):
        spectrum, _ = problem
        rng = np.random.default_rng(6)
        p_values = [
            relevant_dimension(spectrum, np.where(rng.random(80) < 0.15, 1, -1)).p_value
            for _ in range(40)
        ]
        assert np.mean(np.array(p_values) <= 0.05) <= 0.2


class TestInvariances:
    @settings(deadline=None, max_examples=20)
    @given(
        scale=st.floats(1e-6, 1e6),
        shift=st.floats(-1e3, 1e3),
        seed=st.integers(0, 100),
        criterion=st.sampled_from(["likelihood", "leave-one-out"]),
    )
    def test_scale_and_offset_of_numbers(self, scale, shift, seed, criterion):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 2))
        y = np.cos(2 * X[:, 0]) + 0.2 * rng.normal(size=40)
        spectrum = decompose(kernels.Gaussian(width=0.7), X)
        one = relevant_dimension(spectrum, y, criterion=criterion)
        moved = scale * y + shift * scale
        assume(np.ptp(moved) > 1e-9 * np.abs(moved).max())
        other = relevant_dimension(spectrum, moved, criterion=criterion)
        assert one.dimension == other.dimension
        assert one.interval == other.interval
        assert one.p_value == other.p_value
        assert one.noise_level == pytest.approx(other.noise_level, rel=1e-6)
        assert one.error_estimate == pytest.approx(other.error_estimate, rel=1e-6)

    @settings(deadline=None, max_examples=20)
    @given(
        seed=st.integers(0, 1000),
        log_width=st.floats(-3, 3),
        copies=st.integers(0, 15),
        criterion=st.sampled_from(["likelihood", "leave-one-out"]),
    )
    def test_order_of_rows_with_duplicates(self, seed, log_width, copies, criterion):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(35, 2))
        X = np.vstack([X, X[:copies]])
        y = np.sign(X[:, 0] + 0.5 * rng.normal(size=len(X)))
        assume(len(np.unique(y)) == 2)
        kernel = kernels.Gaussian(width=10.0**log_width)
        order = rng.permutation(len(X))
        one = relevant_dimension(decompose(kernel, X), y, criterion=criterion)
        other = relevant_dimension(decompose(kernel, X[order]), y[order], criterion=criterion)
        assert one.dimension == other.dimension
        assert one.noise_level == other.noise_level
        assert one.p_value == pytest.approx(other.p_value, abs=0.02)

    @given(seed=st.integers(0, 1000))
    @settings(deadline=None, max_examples=20)
    def test_signs_of_eigenvectors(self, seed):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
        y += X[:, 0]
        spectrum = decompose(kernels.Gaussian(width=1.0), X)
        signs = rng.choice([-1.0, 1.0], size=30)
        flipped = Spectrum(
            spectrum.eigenvalues,
            Vectors(spectrum.eigenvectors * signs),
            spectrum.gram,
            spectrum.trace,
        )
        one, other = relevant_dimension(spectrum, y), relevant_dimension(flipped, y)
        assert one.dimension == other.dimension
        np.testing.assert_allclose(one.denoised, other.denoised, atol=1e-10)
        assert one.p_value == other.p_value

    def test_a_large_offset(self, problem):
        spectrum, y = problem
        plain = relevant_dimension(spectrum, y)
        moved = relevant_dimension(spectrum, 1e-3 * y + 1e6)
        assert moved.noise_level == pytest.approx(plain.noise_level, rel=1e-5)
        assert moved.error_estimate == pytest.approx(plain.error_estimate, rel=1e-5)

    def test_names_of_classes(self, problem, labels):
        spectrum, _ = problem
        numbers = relevant_dimension(spectrum, labels)
        words = relevant_dimension(spectrum, np.where(labels > 0, "yes", "no"))
        assert words.dimension == numbers.dimension
        assert words.noise_level == numbers.noise_level
        np.testing.assert_allclose(words.denoised, numbers.denoised)
        np.testing.assert_array_equal(
            words.denoised_labels, np.where(numbers.denoised > 0, "yes", "no")
        )


class TestSeveralClassesAndOutputs:
    def test_several_classes(self):
        rng = np.random.default_rng(7)
        centres = np.array([[0, 0], [4, 0], [0, 4]])
        truth = rng.integers(0, 3, size=90)
        X = centres[truth] + rng.normal(size=(90, 2))
        names = np.array(["red", "green", "blue"])[truth]
        rd = relevant_dimension(decompose(kernels.Gaussian(width=4.0), X), names)
        assert rd.dimension >= 2
        assert rd.coefficients.shape == (90, 3)
        assert rd.denoised.shape == (90, 3)
        np.testing.assert_allclose(rd.denoised.sum(axis=1), 1.0, atol=1e-9)
        assert rd.noise_level == np.mean(rd.denoised_labels != names)
        assert rd.error_estimate < 0.1
        assert rd.p_value == 0.001

    def test_curve_of_several_classes_counts_free_columns(self, problem):
        spectrum, _ = problem
        codes = np.random.default_rng(8).integers(0, 3, size=80)
        Y = np.eye(3)[codes] - np.eye(3)[codes].mean(axis=0)
        energy = np.sum((spectrum.eigenvectors.T @ Y) ** 2, axis=1)
        rd = relevant_dimension(spectrum, codes, variant="paper")
        for d in (1, 5, 40):
            s1 = energy[:d].sum() / (2 * d)
            s2 = energy[d:].sum() / (2 * (80 - d))
            expected = d / 80 * np.log(s1) + (80 - d) / 80 * np.log(s2)
            assert rd.curve[d - 1] == pytest.approx(expected)

    def test_several_outputs_with_one_repeated_equal_the_single_one(self, problem):
        spectrum, y = problem
        single = relevant_dimension(spectrum, y)
        double = relevant_dimension(spectrum, np.column_stack([y, y]))
        assert double.dimension == single.dimension
        assert double.denoised.shape == (80, 2)
        np.testing.assert_allclose(double.denoised[:, 1], single.denoised, atol=1e-10)
        assert double.noise_level == pytest.approx(single.noise_level)


class TestTruncatedSpectra:
    def test_leading_pairs_give_the_answer_of_all(self, problem, labels):
        spectrum, _ = problem
        full = relevant_dimension(spectrum, labels, max_dimension=20)
        few = decompose(kernels.Gaussian(width=1.0), np.asarray(spectrum.gram.points), rank=25)
        part = relevant_dimension(few, labels, max_dimension=20)
        assert part.dimension == full.dimension
        np.testing.assert_allclose(part.curve, full.curve, atol=1e-9)
        assert part.noise_level == full.noise_level
        assert part.p_value == full.p_value

    def test_a_null_space_that_reaches_beyond_the_pairs(self):
        X = np.random.default_rng(9).normal(size=(40, 3))
        y = X @ [1.0, 2.0, -1.0] + 0.1 * np.random.default_rng(10).normal(size=40)
        full = relevant_dimension(decompose(kernels.Linear(), X), y)
        few = relevant_dimension(decompose(kernels.Linear(), X, rank=10), y)
        assert full.dimension == few.dimension == 3
        np.testing.assert_allclose(few.curve, full.curve[:10], atol=1e-8)

    def test_energies_of_a_cluster_are_shared(self):
        spectrum = decompose(kernels.Precomputed(), np.diag([3.0, 3.0, 1.0, 0.0, 0.0]))
        shared = spread_over_clusters(np.array([4.0, 2.0, 5.0, 1.0, 0.0]), spectrum, 12.0)
        np.testing.assert_allclose(shared, [3.0, 3.0, 5.0, 0.5, 0.5])


class TestBadInput:
    def test_rows_do_not_match(self, problem):
        with pytest.raises(InputError, match=r"each of the 80 rows of X. Got 79"):
            relevant_dimension(problem[0], np.arange(79.0) + 0.5)

    @pytest.mark.parametrize("most", [0, 80, -3])
    def test_max_dimension(self, problem, most):
        with pytest.raises(InputError, match=f"whole number between 1 and 79 .*Got {most}"):
            relevant_dimension(problem[0], problem[1], max_dimension=most)

    def test_max_dimension_must_be_whole(self, problem):
        with pytest.raises(InputError, match=r"whole number between 1 and 79 .*Got 2\.5"):
            relevant_dimension(problem[0], problem[1], max_dimension=2.5)

    def test_a_matrix_is_no_spectrum(self):
        with pytest.raises(TypeError, match=r"takes a Spectrum. Got ndarray: .*Precomputed"):
            relevant_dimension(np.eye(3), [1.0, 2.0, 3.0])

    def test_targets_are_missing(self, problem):
        with pytest.raises(InputError, match="y is None"):
            relevant_dimension(problem[0], None)

    def test_unknown_choices(self, problem):
        with pytest.raises(InputError, match=r"criterion must be one of .*Got 'aic'"):
            relevant_dimension(problem[0], problem[1], criterion="aic")
        with pytest.raises(InputError, match=r"variant must be one of .*Got 'fast'"):
            relevant_dimension(problem[0], problem[1], variant="fast")
        with pytest.raises(InputError, match=r"task must be one of .*Got 'ranking'"):
            relevant_dimension(problem[0], problem[1], task="ranking")
