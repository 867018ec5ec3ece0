"""Rows that depend on each other: found where they do, and not where they do not."""

import numpy as np
import pandas as pd
import pytest

from reldim import diagnose
from reldim.diagnosis.suspects import suspected

pytestmark = pytest.mark.small


def units(rng, k=30, size=8, spread=0.1):
    unit = np.repeat(np.arange(k), size)
    X = rng.normal(size=(k, 4))[unit] + spread * rng.normal(size=(k * size, 4))
    return X, rng.normal(size=k)[unit] + 0.2 * rng.normal(size=k * size), unit


def copies(rng):
    X = rng.normal(size=(80, 4))
    near = np.vstack([X + 0.01 * rng.normal(size=X.shape) for _ in range(3)])
    return near, np.tile(rng.integers(0, 2, 80), 3)


def walks(rng):
    steps = np.cumsum(rng.normal(size=(240, 4)), axis=0)
    return steps[:, :3], steps[:, 3]


def shuffled(rng):
    X, y, _ = units(rng, k=60)
    order = rng.permutation(len(y))
    return X[order], y[order]


def plain(rng, n=240):
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)


def found_in(X, y, **asked):
    diagnosis = diagnose(X, y, references=False, **asked)
    return [one for one in (diagnosis.verdict, *diagnosis.findings) if one.code == "RD020"]


@pytest.mark.parametrize("make", [lambda rng: units(rng)[:2], copies, walks, shuffled])
@pytest.mark.parametrize("seed", [0, 1])
def test_dependent_rows_are_told(make, seed):
    (said,) = found_in(*make(np.random.default_rng(seed)))
    assert said.figures["error_apart"] > 1.1 * said.figures["error_mixed"]
    assert f"{said.figures['error_apart']:.1%} instead of" in said.evidence


def sorted_by(column):
    def make(rng):
        X, y = plain(rng)
        order = np.argsort(X[:, 0] if column == "x" else y, kind="stable")
        return X[order], y[order]

    return make


def categories(rng):
    frame = pd.DataFrame(rng.integers(0, 4, size=(240, 4))).astype(str).add_prefix("c")
    return frame, np.where((frame["c0"] == "1") ^ (rng.uniform(size=240) < 0.2), "a", "b")


def counts(rng):
    X = rng.poisson(2.0, size=(240, 3)).astype(float)
    return X, rng.poisson(1.0 + X[:, 0]).astype(float)


@pytest.mark.parametrize("make", [plain, sorted_by("x"), sorted_by("y"), categories, counts])
@pytest.mark.parametrize("seed", [0, 1])
def test_independent_rows_are_not(make, seed):
    assert found_in(*make(np.random.default_rng(seed))) == []


def test_praise_and_limits_of_mixed_rows_are_not_given():
    X, y, unit = units(np.random.default_rng(0))
    mixed, apart = (diagnose(X, y, groups=groups) for groups in (None, unit))
    codes = [one.code for one in (mixed.verdict, *mixed.findings)]
    assert codes[0] == "RD020"
    assert not {"RD002", "RD003", "RD004", "RD005"} & {*codes}
    assert apart.verdict.code == "RD001"
    assert apart.p_value > 0.05
    assert apart.error_estimate == 1.0


class TestUnits:
    @pytest.fixture
    def frame(self):
        rng = np.random.default_rng(1)
        X, y, unit = units(rng, size=6)
        frame = pd.DataFrame(X[:, :2] + rng.normal(size=(len(y), 2))).add_prefix("x")
        frame["age"] = rng.integers(20, 80, 30)[unit]
        frame["visit"] = np.tile(np.arange(6), 30)
        return frame.assign(patient=unit, y=y)

    def test_the_column_is_named_with_what_to_do(self, frame):
        (said,) = found_in(frame, "y")
        assert "rows with the same value of patient" in said.evidence
        assert 'groups="patient" (--groups patient)' in said.advice

    def test_the_column_is_no_feature_where_it_names_units(self, frame):
        found = diagnose(frame, "y", groups="patient", references=False)
        assert "patient" not in found.problem.column_names
        assert found.preparation[0] == "patient: kept apart, it names the unit of each row."
        assert len(found.label_issues) == len(frame)
        assert "RD020" not in [one.code for one in (found.verdict, *found.findings)]

    def test_a_kernel_matrix_takes_an_array(self, frame):
        X = frame[["x0", "x1"]].to_numpy()
        found = diagnose(X @ X.T, frame["y"], kernels="precomputed", groups=frame["patient"])
        assert found.p_value > 0.05


def test_columns_that_ascend_anew_within_units_are_suspects():
    rng = np.random.default_rng(0)
    city = np.repeat(list("fbdeac"), 20)
    hour = np.concatenate([np.sort(rng.integers(0, 24, 20)) for _ in range(6)])
    frame = pd.DataFrame({"city": city, "hour": hour, "x": rng.normal(size=120)})
    y = rng.normal(size=(120, 1))
    assert [one.name for one in suspected(frame, y)] == ["city", ""]
    # In another order of rows it is a category.
    mixed = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    assert [one.name for one in suspected(mixed, y)] == [""]
    assert [one.name for one in suspected(frame[["city", "x"]], y)] == [""]


@pytest.mark.parametrize("moments", [["month"], ["year", "quarter"]])
def test_panels_are_suspects_in_any_order(moments):
    month = np.tile(np.arange(20), 9)
    frame = pd.DataFrame({"city": np.repeat(list("fbdeacghi"), 20), "month": month})
    frame = frame.assign(year=month // 3, quarter=month % 7)
    frame = frame.sample(frac=0.9, random_state=0).reset_index(drop=True)
    y = np.random.default_rng(0).normal(size=(len(frame), 1))
    assert "city" in [one.name for one in suspected(frame[["city", *moments]], y)]


def test_dates_are_an_order_whether_rows_stand_in_it_or_not():
    rng = np.random.default_rng(0)
    dates = pd.Series(pd.date_range("2024-01-01", periods=100)).sample(frac=1, random_state=0)
    frame = pd.DataFrame({"day": dates.dt.strftime("%Y-%m-%d"), "x": rng.normal(size=100)})
    names = [one.name for one in suspected(frame, rng.normal(size=(100, 1)))]
    assert names == ["day", ""]
