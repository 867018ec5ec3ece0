"""Promises about targets, kernels and options."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from reldim import KernelPCRegressor, compare, decompose, diagnose, kernels, relevant_dimension
from reldim.exceptions import InputTypeError, KernelMatrixError
from reliability.promises import GAUSSIAN, LABELS, NUMBERS, RNG, X, figures, promise, refused, same

N = len(X)
K = GAUSSIAN(X)
PRECOMPUTED = kernels.Precomputed()


def numbers(y, **options):
    return figures(diagnose(X, y, kernels=GAUSSIAN, **options))


@promise("targets", "NaN, infinite or missing targets", "refused; the first row is named")
def gaps_in_targets():
    for gap in (np.nan, np.inf):
        y = NUMBERS.copy()
        y[2] = gap
        refused(lambda y=y: diagnose(X, y), "NaN or infinity", "row 2")
    for gap in (None, float("nan"), pd.NA):
        words = ["a", "b"] * (N // 2)
        words[2] = gap
        refused(lambda words=words: diagnose(X, words), "missing values", "row 2")
    refused(lambda: diagnose(X, np.ma.masked_array(NUMBERS, mask=NUMBERS > 1)), "masked")


@promise("targets", "constant targets", "refused: there is nothing to explain")
def constant_targets():
    refused(lambda: diagnose(X, np.full(N, 0.5), task="regression"), "y is constant")
    refused(lambda: diagnose(X, 0.1 + 1e-17 * NUMBERS, task="regression"), "y is constant")


@promise("targets", "one class", "refused: there is nothing to tell apart")
def one_class():
    for y in (np.ones(N), ["a"] * N, [True] * N):
        refused(lambda y=y: diagnose(X, y), "one class only")


@promise("targets", "a class of its own for every row", "refused: no class can be learned")
def class_for_each_row():
    refused(lambda: diagnose(X, [f"c{i}" for i in range(N)]), "Every one of the 40 rows")


@promise("targets", "nearly as many classes as rows", "diagnosed; nothing can be learned")
def many_classes():
    found = diagnose(X, [f"c{min(i, N - 2)}" for i in range(N)], kernels=GAUSSIAN)
    assert found.dimension == 0
    assert np.isfinite(figures(found)).all()


@promise("targets", "more categories than rows, most of them empty", "those that occur are classes")
def empty_categories():
    words = np.where(LABELS > 0, "a", "b")
    categories = ["a", "b", *(f"c{i}" for i in range(99))]
    same(X, pd.Series(pd.Categorical(words, categories=categories)))


@promise("targets", "a class of a single row", "diagnosed")
def rare_class():
    y = LABELS.copy()
    y[0] = 7
    assert np.isfinite(numbers(y)).all()


@promise("targets", "labels of any type: words, bytes, truth values, empty text", "classes")
def labels():
    for two in (["a", "b"], [b"a", b"b"], [False, True], ["", "x"], ["日本", "ß\u0301"], [5, 90]):
        same(X, np.array(two)[(LABELS > 0).astype(int)])


@promise("targets", "labels of several types", "refused; a NaN beside words is missing, no label")
def mixed_labels():
    refused(lambda: diagnose(X, ["a", 1] * (N // 2)), "one type", "int, str")


@promise("targets", "labels that end in a null character", "refused, for arrays would cut it off")
def null_characters():
    refused(lambda: diagnose(X, ["a\0", "a"] * (N // 2)), "null character", "row 0")


@promise("targets", "texts of more than a thousand characters", "refused: no labels")
def long_labels():
    refused(lambda: diagnose(X, ["a" * 1001, "b"] * (N // 2)), "at most 1000 characters", "row 0")


@promise("targets", "numbers of the types Decimal and Fraction, and large integers", "numbers")
def exact_numbers():
    decimals = [Decimal(f"{value:.6f}") for value in NUMBERS]
    np.testing.assert_allclose(numbers(decimals), numbers(np.round(NUMBERS, 6)))
    large = [int(label) * 10**30 for label in LABELS]
    np.testing.assert_allclose(numbers(large), numbers(LABELS))


@promise("targets", "any unit from 1e-130 to 1e130, and any offset", "the same figures")
def units_of_targets():
    expected = numbers(NUMBERS, references=False)
    scales = slice(0, -1)  # the likelihood has the unit of the targets
    for unit in (1e-130, 1e-30, 1e30, 1e130):
        found = numbers(unit * NUMBERS, references=False)
        np.testing.assert_allclose(found[scales], expected[scales], rtol=1e-6)
    # Trees split elsewhere where the last digit of a mean differs.
    error = diagnose(X, NUMBERS, kernels=GAUSSIAN).error_estimate
    beside = diagnose(X, 1e30 * NUMBERS, kernels=GAUSSIAN).error_estimate
    assert beside == pytest.approx(error, rel=0.01)
    shifted = numbers(NUMBERS + 1e6, references=False)
    np.testing.assert_allclose(shifted, expected, rtol=1e-5)


@promise("targets", "single precision data with targets of any unit", "the same figures")
def units_beside_single_precision():
    single = X.astype(np.float32)

    def found(unit):
        diagnosis = diagnose(single, unit * NUMBERS, kernels=GAUSSIAN, references=False)
        return np.append(figures(diagnosis)[:-1], diagnosis.predictor().predict(single)[:5] / unit)

    for unit in (1e-100, 1e-30, 1e30, 1e100):
        np.testing.assert_allclose(found(unit), found(1.0), rtol=1e-4)


@promise("targets", "numbers beyond 1e140, or that differ by less than 1e-140", "refused")
def extreme_targets():
    refused(lambda: diagnose(X, 1e300 * NUMBERS), "must not exceed 1e+140", "Change the unit")
    refused(lambda: diagnose(X, 1e-310 * NUMBERS), "vary by more than 1e-140", "Change the unit")


@promise(
    "targets",
    "several columns of 0 and 1, or pairs of a time and a mark",
    "taken as several numbers; the steps say what they look like, and what to pass instead",
)
def several_labels():
    marks = RNG.integers(0, 2, (N, 3))
    step = diagnose(X, marks, kernels=GAUSSIAN).preparation[0]
    assert "0 and 1 for labels of which a row may have several" in step
    pairs = [(float(abs(time)), int(mark)) for time, mark in zip(NUMBERS, marks[:, 0], strict=True)]
    assert "no survival analysis" in diagnose(X, pairs, kernels=GAUSSIAN).preparation[0]


@promise(
    "targets", "a structured array, such as of survival times", "refused, with the fields to pass"
)
def structured_targets():
    y = np.array(list(zip(LABELS > 0, abs(NUMBERS), strict=True)), [("seen", "?"), ("time", "f8")])
    refused(lambda: diagnose(X, y), "Survival times", "y['time'][y['seen']]")


@promise(
    "targets",
    "dates and durations, of any type or written as text",
    "refused for what they are, with numbers to pass; at most 20 different ones are classes",
)
def dates_as_targets():
    days = pd.Series(pd.date_range("2024-01-31", periods=N))
    for y in (days, days.to_numpy(), days.dt.strftime("%d.%m.%Y"), list(days.dt.strftime("%F"))):
        refused(lambda y=y: diagnose(X, y), "y holds dates such as", "(y - y.min()).dt.days")
        refused(lambda y=y: compare({"a": X, "b": X}, y), "y holds dates such as")
    refused(lambda: diagnose(X, days - days[0]), "y holds durations such as")
    same(X, np.where(LABELS > 0, "2024-01-31", "2024-02-01").astype("M8[D]"))


@promise(
    "targets",
    "ordered categories of pandas",
    "classes, and the steps name their order and what to pass for numbers",
)
def ordered_categories():
    sizes = pd.CategoricalDtype(["small", "large"], ordered=True)
    y = pd.Series(np.where(LABELS > 0, "large", "small"), dtype=sizes)
    same(X, y)
    assert "(small < large) as classes" in diagnose(X, y, kernels=GAUSSIAN).preparation[0]


@promise("targets", "several columns of numbers", "judged together")
def several_columns():
    assert np.isfinite(numbers(np.column_stack([NUMBERS, X[:, 1]]))).all()


@promise("targets", "sparse, ragged, three-dimensional or complex targets, and none", "refused")
def shapes_of_targets():
    refused(lambda: diagnose(X, sparse.csr_array(NUMBERS[:, None])), "y must be dense")
    refused(lambda: diagnose(X, [[1, 2], [3]] * (N // 2)), "unequal length")
    refused(lambda: diagnose(X, np.zeros((N, 1, 1))), "one or two dimensions")
    refused(lambda: diagnose(X, NUMBERS + 1j), "real numbers or labels")
    for nothing in (None, 3):
        refused(lambda nothing=nothing: diagnose(X, nothing), "y ")
    for nothing, advice in (({1, 2}, "list(y)"), ({"a": 1}, "pd.DataFrame(y)")):
        refused(lambda y=nothing: diagnose(X, y), "y must hold", advice, kind=InputTypeError)


# Kernels


@promise("kernels", "a kernel matrix with NaN or infinite entries", "refused; the place is named")
def nan_in_matrix():
    broken = K.copy()
    broken[2, 3] = np.nan
    refused(
        lambda: diagnose(broken, LABELS, kernels=PRECOMPUTED), "row 2, column 3",
        kind=KernelMatrixError,
    )  # fmt: skip


@promise("kernels", "a kernel matrix that is not square", "refused with its shape")
def not_square():
    refused(lambda: diagnose(K[:, :5], LABELS, kernels=PRECOMPUTED), "(n, n)", "(40, 5)")


@promise("kernels", "an asymmetric kernel matrix", "refused; round-off is averaged away")
def asymmetric():
    refused(lambda: diagnose(np.triu(K), LABELS, kernels=PRECOMPUTED), "symmetric", "(K + K.T) / 2")
    wobbly = K * (1 + 1e-15 * RNG.normal(size=K.shape))
    assert diagnose(wobbly, LABELS, kernels=PRECOMPUTED).dimension > 0


@promise(
    "kernels", "a kernel matrix with negative eigenvalues", "refused; round-off is set to zero"
)
def indefinite():
    refused(lambda: diagnose(-K, LABELS, kernels=PRECOMPUTED), "positive semi-definite")
    refused(
        lambda: diagnose(K - 0.1 * np.eye(N), LABELS, kernels=PRECOMPUTED), "an eigenvalue of -0"
    )


@promise("kernels", "a kernel matrix of zeros", "refused: it says nothing")
def zero_matrix():
    refused(lambda: diagnose(0 * K, LABELS, kernels=PRECOMPUTED), "is zero")


@promise("kernels", "a kernel matrix of the size 1e300 or 1e-300", "the same diagnosis")
def units_of_matrix():
    expected = figures(diagnose(K, LABELS, kernels=PRECOMPUTED))
    for unit in (1e300, 1e-300):
        found = figures(diagnose(unit * K, LABELS, kernels=PRECOMPUTED))
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@promise("kernels", "a function that returns NaN", "refused")
def function_with_nan():
    refused(
        lambda: diagnose(X, LABELS, kernels=lambda A, B: np.full((len(A), len(B)), np.nan)),
        "must return finite numbers",
        kind=KernelMatrixError,
    )


@promise("kernels", "a function that returns another shape, text, None or objects", "refused")
def function_with_wrong_values():
    for wrong in (np.ones(3), "x", None, [[1.0], [1.0, 2.0]]):
        refused(
            lambda wrong=wrong: diagnose(X, LABELS, kernels=lambda A, B: wrong),
            "must return a matrix",
            kind=KernelMatrixError,
        )
    for kind in (complex, object):
        refused(
            lambda kind=kind: diagnose(X, LABELS, kernels=lambda A, B: (A @ B.T).astype(kind)),
            "must return real numbers",
        )
    refused(
        lambda: diagnose(X, LABELS, kernels=lambda A, B: np.ma.masked_less(A @ B.T, 0)), "masked"
    )


@promise("kernels", "a function that is not symmetric, or not positive", "refused")
def function_that_is_no_kernel():
    refused(lambda: diagnose(X, LABELS, kernels=lambda A, B: A[:, :1] - B[:, 0]), "symmetric")
    refused(lambda: diagnose(X, LABELS, kernels=lambda A, B: -(A @ B.T)), "semi-definite")


@promise("kernels", "an exception inside a user's function", "passed on as it is")
def function_that_raises():
    class OwnError(Exception):
        pass

    def fail(A, B):
        raise OwnError("the reason")

    for call in (
        lambda: diagnose(X, LABELS, kernels=fail),
        lambda: decompose(fail, X, solver="lowrank"),
        lambda: KernelPCRegressor(fail).fit(X, NUMBERS),
    ):
        try:
            call()
        except OwnError as error:
            assert str(error) == "the reason"
        else:
            raise AssertionError("was swallowed")


@promise("kernels", "a function that changes its arguments", "cannot: it gets them read-only")
def function_that_writes():
    def shift(A, B):
        A -= A.mean(axis=0)
        return A @ B.T

    data = X.copy()
    try:
        diagnose(data, LABELS, kernels=shift)
    except ValueError as error:
        assert "read-only" in str(error)
    np.testing.assert_array_equal(data, X)


@promise("kernels", "powers that overflow or vanish in a polynomial kernel", "refused")
def overflow_in_kernels():
    refused(lambda: diagnose(1e60 * X, LABELS, kernels="polynomial"), "must be finite")
    refused(lambda: diagnose(1e-60 * X, LABELS, kernels="polynomial"), "is zero", "vanishes")


@promise("kernels", "parameters that are NaN, infinite, zero, negative, text", "refused by name")
def parameters():
    for width in (np.nan, np.inf, 0.0, -1.0):
        refused(lambda width=width: kernels.Gaussian(width), "width must be a positive finite")
    for width in ("1", None, True, [1.0]):
        refused(lambda width=width: kernels.Gaussian(width), "width must be", kind=InputTypeError)


@promise("kernels", "more eigenvectors than there are", "refused with their number")
def too_many_eigenvectors():
    for solver in ("dense", "lowrank"):
        spectrum = decompose(kernels.Linear(), X, solver=solver)
        most = len(spectrum.eigenvalues)
        for count in (most + 1, -1, 10**12, 1.5):
            refused(lambda c=count, s=spectrum: s.basis.vectors(c), f"from 0 to {most}")


# Options


@promise("options", "a random_state of another kind, or below zero", "refused")
def wrong_seed():
    for seed in ("a", 1.5, True, [1]):
        refused(
            lambda seed=seed: diagnose(X, LABELS, random_state=seed), "random_state must be",
            kind=InputTypeError,
        )  # fmt: skip
    refused(lambda: diagnose(X, LABELS, random_state=-1), "random_state must be at least 0")


@promise("options", "a generator of NumPy as random_state", "one seed is drawn from it")
def generator_as_seed():
    def found(make):
        return figures(diagnose(X, NUMBERS, kernels=GAUSSIAN, random_state=make(3)))

    for make in (np.random.default_rng, np.random.RandomState):
        assert found(make) == found(make)


@promise(
    "options", "a task, criterion, solver or family that does not exist", "refused with a list"
)
def unknown_choices():
    for option in ("task", "criterion", "solver"):
        for value in ("foo", None, ["auto"]):
            refused(lambda o=option, v=value: diagnose(X, LABELS, **{o: v}), "must be one of")
    refused(lambda: diagnose(X, LABELS, kernels="foo"), "is one of gaussian")


@promise("options", "kernels that are none: a number, an empty list, a class", "refused")
def no_kernels():
    refused(lambda: diagnose(X, LABELS, kernels=3), "Got int instead", kind=InputTypeError)
    refused(lambda: diagnose(X, LABELS, kernels=[]), "kernels is empty")
    refused(
        lambda: diagnose(X, LABELS, kernels=kernels.Gaussian), "Got the class", kind=InputTypeError
    )


@promise("options", "a limit of memory that is no positive number", "refused")
def wrong_memory():
    refused(lambda: diagnose(X, LABELS, memory=-1), "positive number of bytes")
    refused(lambda: diagnose(X, LABELS, memory="1G"), "number of bytes", kind=InputTypeError)


@promise("options", "something else than a spectrum for relevant_dimension", "refused")
def no_spectrum():
    refused(lambda: relevant_dimension(K, LABELS), "takes a Spectrum", kind=InputTypeError)
