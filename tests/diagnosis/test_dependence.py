"""Rows that depend on each other: found where they do, and not where they do not."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest

from reldim import diagnose
from reldim.exceptions import InputError

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


class TestWhatIsSaid:
    """Groups and orders that are unusual: answered, or refused in a sentence."""

    @pytest.mark.parametrize("column", [False, True])
    def test_units_of_one_row_are_as_if_none_were_named(self, column):
        X, y = plain(np.random.default_rng(0), 60)
        said = np.random.default_rng(1).permutation(60)
        frame = pd.DataFrame(X).add_prefix("x")
        given = (frame.assign(who=said), "who") if column else (frame, said)
        asked = diagnose(given[0], y, groups=given[1], references=False)
        usual = diagnose(frame, y, references=False)
        assert asked.error_estimate == usual.error_estimate
        assert asked.p_value == usual.p_value
        assert asked.verdict == usual.verdict
        (step,) = [one for one in asked.preparation if "single row" in one]
        assert step == "Each unit has a single row: rows are divided as if no units were named."
        assert step not in usual.preparation

    @pytest.mark.parametrize("count", [2, 3, 40])
    def test_fewer_and_more_units_than_folds(self, count):
        X, y = plain(np.random.default_rng(0), 80)
        found = diagnose(X, y, groups=np.arange(80) % count, references=False)
        # Two or three units change places in too few ways to tell signal from chance.
        assert (found.p_value <= 0.05) == (found.error_estimate < 1.0) == (count == 40)

    def test_a_missing_unit_is_refused(self):
        X, y = plain(np.random.default_rng(0), 60)
        who = np.repeat(np.arange(12.0), 5)
        who[7] = np.nan
        frame = pd.DataFrame(X).add_prefix("x").assign(who=who)
        with pytest.raises(InputError, match="missing in 1 of 60, first in row 7.*leave these"):
            diagnose(frame, y, groups="who")

    def test_a_single_unit_is_refused(self):
        X, y = plain(np.random.default_rng(0), 60)
        with pytest.raises(InputError, match="at least two units.*All 60 rows"):
            diagnose(X, y, groups=["ward 1"] * 60)

    def test_a_kernel_matrix_is_as_the_columns_that_it_is_of(self):
        X, y, unit = units(np.random.default_rng(0), k=20, size=5)
        mixed, apart = (
            diagnose(X @ X.T, y, kernels="precomputed", groups=groups, references=False)
            for groups in (None, unit)
        )
        assert apart.p_value > 0.05 > mixed.p_value

    def test_sequences_of_units(self):
        rng = np.random.default_rng(0)
        unit = np.repeat(np.arange(24), 5)
        families = rng.choice(list("ACGT"), size=(24, 16))
        letters = families[unit]
        changed = rng.uniform(size=letters.shape) < 0.05
        letters[changed] = rng.choice(list("ACGT"), size=int(changed.sum()))
        rows = ["".join(row) for row in letters]
        y = rng.permutation(np.arange(24) % 2)[unit]
        mixed, apart = (
            diagnose(rows, y, groups=groups, references=False) for groups in (None, unit)
        )
        assert mixed.error_estimate < 0.1
        assert apart.p_value > 0.05
        assert apart.error_estimate > 0.3

    @pytest.mark.parametrize(
        "said", [{"groups": np.arange(60) // 5}, {"order": np.arange(60)}, {"cv": [([0], [1])]}]
    )
    def test_rows_on_a_cluster_are_refused(self, said):
        X, y = plain(np.random.default_rng(0), 60)
        with pytest.raises(InputError, match=r"need rows in memory.*Pass X.compute\(\)"):
            diagnose(da.from_array(X, chunks=(20, 4)), y, **said)


def test_equal_rows_far_from_others_raise_no_warning():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 30))
    X[:30] = X[30:60]
    # Warnings are errors here, and what a distance of 0 divides overflows.
    assert found_in(X, X[:, 0] + rng.normal(size=120)) == []
