"""What callers may pass as kernels, and the kind of data that it asks for."""

import numpy as np
import pandas as pd
import pytest

from reldim import datasets, kernels
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs.targets import code_targets
from reldim.search.candidates import choose
from reldim.search.kernel_arguments import domain_of, looks_like_sequences

SINC = datasets.noisy_sinc(60, noise=0.1, random_state=0)
WORDS = ["".join(word) for word in np.random.default_rng(0).choice(list("ACGT"), size=(40, 6))]
COUNTS = np.array([word.count("A") + 0.5 * (word[0] == "C") for word in WORDS])
GAUSSIANS = [kernels.Gaussian(width) for width in (0.01, 0.1, 1.0)]


def shared_letters(X, Z):
    return [[sum(a == b for a, b in zip(x, z, strict=True)) for z in Z] for x in X]


def linear(X, Z):
    return X @ Z.T


def chosen(X, y, specification=None, **settings):
    return choose(X, code_targets(y), specification, **settings)


class TestSpecifications:
    @pytest.mark.parametrize(
        "specification, names",
        [
            (kernels.Linear(), ["Linear()"]),
            (linear, ["Function(linear)"]),
            ("linear", ["Linear()"]),
            ("polynomial", [f"Polynomial(degree={d}, constant=3.48)" for d in range(1, 7)]),
            (GAUSSIANS[:2], ["Gaussian(width=0.01)", "Gaussian(width=0.1)"]),
            (
                ("linear", [linear, kernels.Gaussian(1.0)]),
                ["Linear()", "Function(linear)", "Gaussian(width=1.0)"],
            ),
            ({"mine": linear, "narrow": kernels.Gaussian(0.1)}, ["mine", "narrow"]),
            ({"linear": kernels.Gaussian(1.0), 3: "linear"}, ["linear", "Linear()"]),
            (kernels.Linear() + linear, ["Linear() + Function(linear)"]),
        ],
    )
    def test_what_is_tried(self, specification, names):
        found = chosen(SINC.X, SINC.y, specification)
        assert [row.name for row in found.rows] == names

    def test_default_is_gaussian(self):
        found = chosen(SINC.X, SINC.y)
        assert all(isinstance(row.kernel, kernels.Gaussian) for row in found.rows)

    @pytest.mark.parametrize(
        "form",
        [
            WORDS,
            np.array(WORDS),
            [word.encode() for word in WORDS],
            pd.Series(WORDS),
            pd.DataFrame({"dna": WORDS}),
        ],
        ids=["list", "array", "bytes", "series", "frame"],
    )
    def test_default_for_sequences_is_weighted_degree(self, form):
        found = chosen(form, COUNTS)
        assert [row.name for row in found.rows] == [
            f"WeightedDegree(degree={d}).normalized()" for d in (1, 2, 3, 5)
        ]

    def test_a_function_of_strings_sees_strings_beside_other_kernels(self):
        alone = chosen(WORDS, COUNTS, shared_letters)
        beside = chosen(
            WORDS,
            COUNTS,
            ["weighted-degree", shared_letters, kernels.WeightedDegree(2) + shared_letters],
        )
        function, total = beside.rows[-2:]
        assert function.negative_log_likelihood == pytest.approx(alone.best.negative_log_likelihood)
        assert total.name == "WeightedDegree(degree=2) + Function(shared_letters)"

    def test_every_kernel_looks_at_the_data_first(self):
        two = np.column_stack([SINC.X, SINC.X**2])
        kernel = kernels.ARDGaussian(weights=(1.0, 2.0, 3.0))
        with pytest.raises(InputError, match="3 weights and needs as many columns. Got X with 2"):
            chosen(two, SINC.y, [kernels.Gaussian(1.0), kernel])

    def test_mixed_kinds_of_data(self):
        with pytest.raises(InputError, match=r"same kind of data. Got kernels on sequences, vect"):
            chosen(WORDS, COUNTS, [kernels.WeightedDegree(2), kernels.Gaussian(1.0)])
        with pytest.raises(InputError, match=r"same kind of data. Got kernels on sequences, vect"):
            chosen(WORDS, COUNTS, ["gaussian", "weighted-degree"])

    def test_unknown_family(self):
        with pytest.raises(InputError, match="is one of gaussian,.*, weighted-degree. Got 'gabor'"):
            chosen(SINC.X, SINC.y, "gabor")

    @pytest.mark.parametrize("empty", [[], {}, [kernels.Linear(), []]])
    def test_nothing_to_try(self, empty):
        with pytest.raises(InputError, match="kernels is empty: pass at least one kernel"):
            chosen(SINC.X, SINC.y, empty)

    @pytest.mark.parametrize("wrong", [3, [kernels.Linear(), 2.5], {"a": 1}])
    def test_what_is_no_kernel(self, wrong):
        with pytest.raises(InputTypeError, match=r"kernel.*must be.*Got"):
            chosen(SINC.X, SINC.y, wrong)

    def test_a_class_in_place_of_a_kernel(self):
        with pytest.raises(InputTypeError, match="Got the class Gaussian: create one"):
            chosen(SINC.X, SINC.y, kernels.Gaussian)

    def test_unknown_solver(self):
        with pytest.raises(InputError, match="solver must be one of .*Got 'fast' instead"):
            chosen(SINC.X, SINC.y, solver="fast")


@pytest.mark.parametrize(
    "specification, domain",
    [
        (None, "vectors"),
        ("laplacian", "vectors"),
        ("weighted-degree", "sequences"),
        (kernels.Precomputed(), "precomputed"),
        (2.0 * kernels.Precomputed(), "precomputed"),
        (linear, "any"),
        ([linear, shared_letters], "any"),
        ([linear, kernels.WeightedDegree(2)], "sequences"),
        (["weighted-degree"], "sequences"),
        ({"mine": kernels.Precomputed()}, "precomputed"),
    ],
)
def test_domain(specification, domain):
    assert domain_of(specification) == domain


def test_domain_where_the_data_decide():
    assert domain_of(None, WORDS) == "sequences"
    assert domain_of("gaussian", WORDS) == "vectors"


@pytest.mark.parametrize(
    "X, answer",
    [
        (WORDS, True),
        (tuple(WORDS), True),
        (np.array(WORDS), True),
        (pd.Series(WORDS), True),
        (pd.DataFrame({"dna": WORDS}), True),
        ([b"ACGT"], True),
        ("ACGT", False),
        ([[1.0], [2.0]], False),
        (np.ones((3, 1)), False),
        (pd.DataFrame({"a": WORDS, "b": WORDS}), False),
        (pd.DataFrame({"a": [1.0]}), False),
        ([], False),
        (None, False),
    ],
)
def test_sequences_are_told_from_numbers(X, answer):
    assert looks_like_sequences(X) is answer
