"""Which columns matter: those of generated problems, and none of pure noise."""

import numpy as np
import pandas as pd
import pytest

from reldim import datasets, diagnose


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
