"""Representations that are compared: kinds of data, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from reldim import compare, datasets, kernels
from reldim.exceptions import InputError, InputTypeError

pytestmark = pytest.mark.small

SINC = datasets.noisy_sinc(80, noise=0.1, random_state=0)
RNG = np.random.default_rng(0)
WORDS = ["".join(word) for word in RNG.choice(list("ACGT"), size=(80, 6))]
GAUSSIAN = kernels.Gaussian(width=0.3)


class TestKindsOfData:
    def test_frames_sparse_matrices_and_sequences(self):
        y = np.array([word.count("A") + 0.1 * i / 80 for i, word in enumerate(WORDS)])
        counts = np.array([[word.count(letter) for letter in "ACGT"] for word in WORDS])
        found = compare(
            {
                "words": WORDS,
                "table": pd.DataFrame({"first": [w[0] for w in WORDS], "a": counts[:, 0]}),
                "counts": sparse.csr_array(counts.astype(float)),
            },
            y,
        )
        assert {*found.table["name"]} == {"words", "table", "counts"}
        assert found.diagnoses["table"].preparation
        assert "WeightedDegree" in found.table.set_index("name")["kernel"]["words"]

    def test_a_pair_has_kernels_of_its_own(self):
        K = GAUSSIAN(SINC.X)
        found = compare(
            {"matrix": (K, kernels.Precomputed()), "vectors": SINC.X, "line": (SINC.X, "linear")},
            SINC.y,
            kernels=GAUSSIAN,
        )
        table = found.table.set_index("name")
        assert table["kernel"].to_dict() == {
            "matrix": "Precomputed()",
            "vectors": repr(GAUSSIAN),
            "line": "Linear()",
        }
        assert table["evidence"]["matrix"] == pytest.approx(table["evidence"]["vectors"])

    def test_a_pair_may_have_several_kernels(self):
        data = datasets.noisy_sinc(40, random_state=0)
        pairs = {"two": (data.X, ["gaussian", "linear"]), "one": (data.X, "linear")}
        found = compare(pairs, data.y)
        tried = {name: one.candidates for name, one in found.diagnoses.items()}
        assert len(tried["two"]) > 10
        assert len(tried["one"]) == 1

    def test_a_tuple_of_two_rows_is_no_pair(self):
        with pytest.raises(InputError, match="Got 2 rows in short"):
            compare({"x": SINC.X, "short": ([1.0], [2.0])}, SINC.y)

    @pytest.mark.parametrize(
        "several, names",
        [
            ({"own": GAUSSIAN, "family": "linear"}, ["own", "family"]),
            (["gaussian", "linear"], ["gaussian", "linear"]),
            ([GAUSSIAN, kernels.Linear()], [repr(GAUSSIAN), "Linear()"]),
        ],
        ids=["mapping", "families", "kernels"],
    )
    def test_kernels_on_one_set_of_data(self, several, names):
        found = compare(SINC.X, SINC.y, kernels=several)
        assert [*found.diagnoses] == names
        assert found.best == names[0]
        assert found.diagnoses[names[1]].kernel == kernels.Linear()
        assert found.table["behind"].tolist() == [False, True]

    def test_regression_of_several_columns(self):
        both = np.column_stack([SINC.y, SINC.X[:, 0]])
        found = compare({"x": SINC.X, "size": np.abs(SINC.X)}, both, kernels=GAUSSIAN)
        assert found.best == "x"
        assert found.table["behind"].tolist() == [False, True]


class TestBadInput:
    @pytest.mark.parametrize(
        "representations, options, message",
        [
            ({"x": SINC.X}, {}, "Two or more representations are needed .* Got one (x)"),
            ({}, {}, "Two or more representations are needed .* Got none"),
            (SINC.X, {"kernels": [GAUSSIAN]}, "Two or more kernels are needed .* Got one"),
            (SINC.X, {"kernels": ["linear", "linear"]}, "Got linear more than once"),
            (
                {"x": SINC.X, "y": SINC.X[:70]},
                {},
                "must have the 80 rows that y has, in the same order. Got 70 rows in y.",
            ),
            ({"x": SINC.X, "y": WORDS[:3]}, {}, "Got 3 rows in y"),
            (
                {"x": SINC.X, "y": SINC.X},
                {"by": "luck"},
                "by must be one of squared_error, .*'luck'",
            ),
            ({"x": SINC.X, "y": SINC.X}, {"criterion": "luck"}, "x: criterion must be one of"),
            ({"x": SINC.X, "bad": SINC.X * np.nan}, {}, "^bad: .*NaN"),
        ],
    )
    def test_is_refused(self, representations, options, message):
        with pytest.raises(InputError, match=message.replace("(", r"\(").replace(")", r"\)")):
            compare(representations, SINC.y, **options)

    def test_y_of_another_length(self):
        with pytest.raises(InputError, match="must have the 79 rows that y has"):
            compare({"x": SINC.X, "size": np.abs(SINC.X)}, SINC.y[:79])

    def test_bad_targets_are_not_blamed_on_a_representation(self):
        with pytest.raises(InputError, match="^y is constant"):
            compare({"x": SINC.X, "size": np.abs(SINC.X)}, np.ones(80), task="regression")

    @pytest.mark.parametrize("kernels", [None, "gaussian", GAUSSIAN])
    def test_a_single_X_without_several_kernels(self, kernels):
        with pytest.raises(InputTypeError, match="a mapping from names to representations"):
            compare(SINC.X, SINC.y, kernels=kernels)

    @pytest.mark.parametrize("name", [1, None, ""])
    def test_names_are_texts(self, name):
        with pytest.raises(InputTypeError, match="must be strings"):
            compare({"x": SINC.X, name: SINC.X}, SINC.y)

    def test_data_of_a_kind_that_has_no_rows(self):
        with pytest.raises((InputError, InputTypeError), match="^odd: "):
            compare({"x": SINC.X, "odd": object()}, SINC.y)
