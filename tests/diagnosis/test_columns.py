"""Which columns matter: those of generated problems, and none of pure noise."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import reldim
from reldim import datasets, diagnose, kernels


def table(n=250, seed=0):
    """Two columns and a category that matter, two that do not, and an identifier."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": range(n),
            "slope": rng.normal(size=n),
            "wave": rng.normal(size=n),
            "kind": rng.choice(["a", "b", "c"], n),
            "junk": rng.normal(size=n),
            "noise": rng.integers(0, 4, n),
        }
    )
    y = frame["slope"] + np.sin(2 * frame["wave"]) + 1.5 * (frame["kind"] == "b")
    return frame, y + 0.3 * rng.normal(size=n)


@pytest.fixture(scope="module")
def found():
    return diagnose(*table())


def test_columns_of_the_table_come_first_by_share(found):
    columns = found.columns
    assert columns.columns.tolist() == ["share", "low", "high", "error_without", "p_value"]
    assert {*columns.index[:3]} == {"slope", "wave", "kind"}
    assert {*columns.index} == {"slope", "wave", "kind", "junk", "noise"}
    assert columns["share"].is_monotonic_decreasing
    assert columns["share"].sum() == pytest.approx(1.0)
    assert ((columns["low"] <= columns["share"]) & (columns["share"] <= columns["high"])).all()


def test_only_what_matters_is_significant(found):
    significant = found.columns.index[found.columns["p_value"] < 0.01]
    assert {*significant} == {"slope", "wave", "kind"}


def test_the_error_without_a_column_is_that_of_a_diagnosis_without_it(found):
    frame, y = table()
    for name in ("slope", "kind"):
        without = diagnose(frame.drop(columns=name), y).error_estimate
        assert found.columns.loc[name, "error_without"] == pytest.approx(without, rel=0.25)
    assert found.columns.loc["junk", "error_without"] < 1.1 * found.error_estimate


def test_views_name_them(found):
    assert "columns that matter" in str(found)
    plain = found.to_dict()["column_shares"]
    assert plain[0]["name"] == found.columns.index[0]


def test_columns_of_an_array_have_numbers():
    frame, y = table()
    found = diagnose(frame[["junk", "slope"]].to_numpy(), y)
    assert found.columns.index[0] == "1"


def test_lists_are_as_good_as_arrays():
    frame, y = table(80)
    X = frame[["junk", "slope"]].to_numpy()
    found = diagnose(X.tolist(), y.tolist(), references=False)
    pd.testing.assert_frame_equal(found.columns, diagnose(X, y, references=False).columns)


def test_classes():
    frame, y = table()
    found = diagnose(frame, np.where(y > 0.5, "high", "low"))
    assert {*found.columns.index[:3]} == {"slope", "wave", "kind"}


def test_one_column_and_named_kernels_have_no_shares():
    data = datasets.noisy_sinc(80, random_state=0)
    assert diagnose(data.X, data.y).columns.empty
    frame, y = table()
    assert diagnose(frame, y, kernels="gaussian").columns.empty


def test_pure_noise_has_no_columns_that_matter():
    rng = np.random.default_rng(0)
    false = 0
    for _ in range(5):
        found = diagnose(rng.normal(size=(80, 6)), rng.normal(size=80), references=False)
        false += int((found.columns["p_value"] < 0.01).sum())
    assert false <= 1


def test_the_order_of_rows_does_not_matter(found):
    frame, y = table()
    order = np.random.default_rng(1).permutation(len(y))
    other = diagnose(frame.iloc[order], y.iloc[order])
    assert other.error_estimate == pytest.approx(found.error_estimate, rel=1e-6)
    assert other.columns.index.tolist() == found.columns.index.tolist()


def test_the_number_of_cores_does_not_matter(found):
    again = diagnose(*table(), n_jobs=1)
    assert again.error_estimate == found.error_estimate
    pd.testing.assert_frame_equal(again.columns, found.columns)


class TestDroppable:
    def test_what_carries_nothing(self, found):
        dropped = found.droppable
        assert {*dropped.names} == {"junk", "noise"}
        assert dropped.error_without < 1.1 * found.error_estimate
        assert found.to_dict()["droppable"]["names"] == [*dropped.names]

    def test_one_of_two_columns_that_tell_the_same(self):
        frame, y = table()
        jitter = 0.01 * np.random.default_rng(3).normal(size=len(y))
        found = diagnose(frame.assign(again=frame["slope"] + jitter), y, references=False)
        # One of them stands for both.
        assert (found.columns.loc[["slope", "again"], "p_value"] > 0.05).sum() == 1
        assert len({"slope", "again"} & {*found.droppable.names}) == 1
        assert {"junk", "noise"} <= {*found.droppable.names}
        assert (
            len({"slope", "again"} & {row.name for row in found.summary.columns_that_matter}) == 1
        )

    def test_sentences(self, found):
        summary = found.summary
        assert "not needed as far as these rows tell: without them the" in summary.about_columns
        none = replace(summary, droppable=replace(summary.droppable, names=()))
        assert none.about_columns.startswith("All columns are needed")
        names = tuple(row.name for row in summary.column_shares)
        every = replace(summary, droppable=replace(summary.droppable, names=names))
        assert every.about_columns == "No column matters beyond chance."
        assert "none beyond chance" in [figure.value for figure in every.figures]

    def test_a_small_share_is_not_none(self, found):
        summary = found.summary
        small = replace(summary.column_shares[0], share=0.002)
        few = replace(summary, column_shares=(small, *summary.column_shares[1:]))
        assert any(figure.value.startswith(f"{small.name} <1%, ") for figure in few.figures)

    def test_the_fewer_are_named(self, found):
        summary = found.summary
        first = summary.column_shares[0]
        rows = (first, *(replace(first, name=name) for name in "vwxyz"))
        many = replace(
            summary, column_shares=rows, droppable=replace(summary.droppable, names=(*"vwxyz",))
        )
        assert many.about_columns.startswith(
            f"As far as these rows tell, all that is needed is {first.name}: with these alone the "
            "expected error"
        )

    def test_saved_with_the_diagnosis(self, found, tmp_path):
        found.save(tmp_path / "found.reldim")
        again = reldim.load(tmp_path / "found.reldim")
        assert again.droppable == found.droppable


def test_shares_do_not_depend_on_which_model_predicts_best():
    """Least squares on components is ahead of learned weights here."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    found = diagnose(X, X[:, 0] + X[:, 1], kernels=None, references=False)
    assert found.conclusions is None
    assert type(found.predictor()).__name__ == "KernelPCRegressor"
    assert found.columns["share"].to_numpy() == pytest.approx([0.5, 0.5], abs=0.1)
    assert (found.columns["p_value"] < 0.01).all()
    assert (found.columns["error_without"] > found.error_estimate).all()


class TestNotes:
    """Where there are no shares, a sentence says why."""

    @pytest.mark.parametrize(
        "what, said",
        [
            ("one column", "single column"),
            ("few rows", "Too few rows"),
            ("noise", "no better than chance"),
            ("named", "Kernels that are named"),
            ("sparse", "sparse data"),
            ("matrix", "kernel matrix"),
            ("sequences", "Kernels of sequences"),
        ],
    )
    def test_why_there_are_none(self, what, said):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 3))
        y = X[:, 0] + 0.1 * rng.normal(size=60)
        strings = ["".join(row) for row in rng.choice(list("ACGT"), size=(60, 6))]
        data, targets, kernel = {
            "one column": (X[:, :1], y, None),
            "few rows": (X[:15], y[:15], None),
            "noise": (X, rng.normal(size=60), None),
            "named": (X, y, "gaussian"),
            "sparse": (csr_array(X), y, None),
            "matrix": (X @ X.T, y, kernels.Precomputed()),
            "sequences": (strings, y, None),
        }[what]
        found = diagnose(data, targets, kernels=kernel, references=False)
        assert found.columns.empty
        assert found.droppable is None
        assert said in found.columns_note
        assert found.summary.about_columns == found.columns_note

    def test_none_where_there_are_shares(self, found):
        assert found.columns_note == ""


def test_constant_columns_and_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 80)), np.ones(60)])
    found = diagnose(X, 3 * X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=60), references=False)
    assert len(found.columns) == 81
    assert found.columns.index[0] == "0"
    assert found.columns.loc["80", "share"] == 0.0
    assert "80" in found.droppable.names


def test_fits_to_some_rows_see_all_values_of_a_column():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(900, 2)), rng.integers(0, 2, 900)])
    found = diagnose(X, 2 * X[:, 2] + 0.3 * X[:, 0] + 0.1 * rng.normal(size=900), references=False)
    assert found.columns.index[0] == "2"
    assert found.columns["share"]["2"] > 0.8
    assert found.droppable.names == ("1",)


def test_many_classes_are_not_told_apart_by_blends():
    X = np.random.default_rng(0).normal(size=(200, 2))
    labels = np.char.add("class ", (np.argsort(np.argsort(X[:, 0])) // 5).astype(str))
    found = diagnose(X, labels, references=False)
    assert len(found.classes) == 40
    assert found.columns_note == "Weights of columns are learned for 30 classes at most."
