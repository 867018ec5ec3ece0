"""Representations and kernels side by side."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reldim import Comparison, __version__, compare, datasets, diagnose, kernels
from reldim.diagnosis.comparison import holm, paired_p_value
from reldim.exceptions import FileError, InputError
from reldim.inputs.splits import Splits
from reldim.relevance.error_curve import error_curve
from reldim.relevance.gp_evidence import evidence_of

pytestmark = pytest.mark.small

SINC = datasets.noisy_sinc(80, noise=0.1, random_state=0)
Y = SINC.y + 0.3 * SINC.X[:, 0]
LABELS = np.array(["low", "mid", "high"])[np.digitize(Y, [0.0, 0.5])]
RNG = np.random.default_rng(0)
REPRESENTATIONS = {
    "nothing": RNG.normal(size=(80, 1)),
    "x": SINC.X,
    "blurred": SINC.X + 0.7 * RNG.normal(size=SINC.X.shape),
    "bent": SINC.X + 0.1 * SINC.X**3,
    "size": np.abs(SINC.X),
}
GAUSSIAN = kernels.Gaussian(width=0.3)


@pytest.fixture(scope="module")
def of_sinc():
    return compare(REPRESENTATIONS, Y)


@pytest.fixture(scope="module")
def of_labels():
    return compare(REPRESENTATIONS, LABELS, kernels=GAUSSIAN)


class TestDiagnoses:
    def test_are_those_of_each_by_itself(self, of_sinc):
        assert [*of_sinc.diagnoses] == [*REPRESENTATIONS]
        for name, X in REPRESENTATIONS.items():
            alone = diagnose(X, Y, criterion="leave-one-out")
            assert of_sinc.diagnoses[name].to_dict() == alone.to_dict()

    def test_options_reach_them(self):
        found = compare(
            {"x": SINC.X, "size": np.abs(SINC.X)},
            np.round(SINC.y),
            kernels={"narrow": kernels.Gaussian(0.1), "wide": kernels.Gaussian(1.0)},
            task="regression",
            criterion="likelihood",
            solver="lowrank",
            random_state=1,
        )
        for name in ("x", "size"):
            diagnosis = found.diagnoses[name]
            assert diagnosis.candidates["kernel"].tolist() == ["narrow", "wide"]
            assert (diagnosis.task, diagnosis.criterion) == ("regression", "likelihood")
            assert diagnosis.solver == "lowrank"

    def test_progress(self):
        calls = []
        compare(
            {"x": SINC.X, "size": np.abs(SINC.X)},
            SINC.y,
            kernels=GAUSSIAN,
            progress=lambda *call: calls.append(call),
        )
        assert [call for call in calls if call[0] == "representations"] == [
            ("representations", 1, 2),
            ("representations", 2, 2),
        ]
        assert ("kernels", 1, 1) in calls


class TestTable:
    def test_figures_are_those_of_the_diagnoses(self, of_sinc):
        for row in of_sinc.table.to_dict(orient="records"):
            diagnosis = of_sinc.diagnoses[row["name"]]
            rd = diagnosis.relevance
            for name in ("dimension", "p_value", "noise_level", "error_estimate"):
                assert row[name] == getattr(diagnosis, name)
            assert (row["interval_low"], row["interval_high"]) == diagnosis.interval
            assert row["noise_estimate"] == diagnosis.noise_estimate.value
            assert row["negative_log_likelihood"] == rd.negative_log_likelihood
            assert row["evidence"] == evidence_of(rd.spectrum, rd.targets).value
            assert row["area"] == error_curve(rd).mean()
            assert row["verdict"] == diagnosis.verdict.headline
            assert row["kernel"] == repr(diagnosis.kernel)
            assert row["squared_error"] == pytest.approx(rd.targets.error(rd.left_out))

    def test_squared_error_of_classes_is_relative_to_a_constant(self, of_labels):
        table = of_labels.table.set_index("name")
        indicators = pd.get_dummies(LABELS).to_numpy(dtype=float)
        spread = np.sum((indicators - indicators.mean(axis=0)) ** 2)
        for name, diagnosis in of_labels.diagnoses.items():
            squared = np.sum((indicators - diagnosis.relevance.leave_one_out) ** 2)
            assert table["squared_error"][name] == pytest.approx(squared / spread)
        nothing = of_labels.diagnoses["nothing"]
        assert nothing.dimension == 0
        assert table["squared_error"]["nothing"] == pytest.approx(1.0)

    @pytest.mark.parametrize(
        "by, ascending",
        [
            ("squared_error", True),
            ("error_estimate", True),
            ("negative_log_likelihood", True),
            ("evidence", False),
            ("area", True),
        ],
    )
    def test_best_first(self, of_sinc, by, ascending):
        found = Comparison(of_sinc.diagnoses, of_sinc.losses, by)
        values = found.table[by]
        assert values.is_monotonic_increasing if ascending else values.is_monotonic_decreasing
        assert found.table["name"].iloc[0] == found.best == "x"

    def test_what_ranks_can_be_chosen(self):
        first = compare(REPRESENTATIONS, LABELS, kernels=GAUSSIAN, by="evidence")
        assert first.by == "evidence"
        assert " leads by evidence" in first.conclusion

    def test_another_may_be_better_beyond_chance(self, of_sinc):
        first, *_, last = of_sinc.names
        losses, places = of_sinc.losses.copy(), list(of_sinc.diagnoses)
        own = [places.index(first), places.index(last)]
        losses[:, own] = losses[:, own[::-1]]
        found = Comparison(of_sinc.diagnoses, losses, "evidence")
        assert found.best == first
        assert found.conclusion.startswith(f"{first} leads by evidence, but the squared error of ")
        assert last in found.conclusion
        assert found.conclusion.endswith(" is smaller beyond chance.")

    def test_ties_keep_their_order(self):
        X = SINC.X
        found = compare({"b": X, "a": X.copy(), "c": X[:, :1]}, SINC.y, kernels=GAUSSIAN)
        assert found.table["name"].tolist() == ["b", "a", "c"]
        assert found.differences["p_value"].tolist() == [1.0, 1.0, 1.0]
        assert not found.table["behind"].any()
        assert found.conclusion.endswith(" may be as good: no difference to it is beyond chance.")


class TestDifferences:
    def test_are_tests_of_the_same_rows(self, of_labels):
        residuals = {
            name: np.sum((d.relevance.targets.values - d.relevance.left_out) ** 2, axis=1)
            for name, d in of_labels.diagnoses.items()
        }
        pairs = of_labels.differences
        assert len(pairs) == 10
        for row in pairs.itertuples():
            expected = stats.ttest_rel(residuals[row.first], residuals[row.second]).pvalue
            assert row.p_value == pytest.approx(expected)
        np.testing.assert_allclose(pairs["adjusted_p_value"], holm(pairs["p_value"].to_numpy()))
        assert (pairs["beyond_chance"] == (pairs["adjusted_p_value"] <= 0.05)).all()

    def test_are_first_less_second_in_the_order_of_the_table(self, of_sinc):
        errors = of_sinc.table.set_index("name")["squared_error"]
        place = {name: i for i, name in enumerate(of_sinc.table["name"])}
        for row in of_sinc.differences.itertuples():
            assert row.difference == pytest.approx(errors[row.first] - errors[row.second])
            assert place[row.first] < place[row.second]

    def test_what_is_worse_beyond_chance_is_behind(self, of_sinc):
        table = of_sinc.table.set_index("name")
        assert table["behind"][["nothing", "blurred", "size"]].all()
        assert not table["behind"][["x", "bent"]].any()
        said = "x leads by leave-one-out squared error, but bent may be as good. Beyond chance"
        assert of_sinc.conclusion.startswith(said)

    def test_what_is_better_beyond_chance_is_not_behind(self, of_sinc):
        # Ranked by a score under which the worst comes first.
        names = ["nothing", "x"]
        diagnoses = {name: of_sinc.diagnoses[name] for name in names}
        losses = of_sinc.losses[:, [1, 0]]
        found = Comparison(diagnoses, losses, "evidence")
        assert found.best == "x"
        assert found.differences["beyond_chance"].all()
        assert not found.table["behind"].any()

    def test_of_labels_show_the_share_of_labels_too(self, of_labels):
        error = {name: d.error_estimate for name, d in of_labels.diagnoses.items()}
        for row in of_labels.differences.itertuples():
            assert row.error_difference == pytest.approx(error[row.first] - error[row.second])

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["regression", "classes"])
    def test_level_for_representations_of_equal_worth(self, kind):
        rng = np.random.default_rng(3)
        widths = [kernels.Gaussian(width) for width in (0.3, 3.0, 30.0)]
        draws, found = 100, 0
        for _ in range(draws):
            u = rng.normal(size=(60, 2))
            y = np.sin(1.5 * u).sum(axis=1) + 0.3 * rng.normal(size=60)
            y = y if kind == "regression" else np.where(y > 0, "a", "b")
            views = {name: u + 0.5 * rng.normal(size=u.shape) for name in "AB"}
            found += bool(compare(views, y, kernels=widths).differences["beyond_chance"][0])
        # Of 100 tests at 5 %, more than 12 are rejected with probability 0.0015.
        assert found <= 12


class TestRows:
    def test_copies_under_all_representations_count_once(self):
        twice = np.repeat(np.arange(80), 2)
        once = compare(REPRESENTATIONS, Y, kernels=GAUSSIAN)
        found = compare(
            {k: X[twice] for k, X in REPRESENTATIONS.items()}, Y[twice], kernels=GAUSSIAN
        )
        assert found.n == once.n == 80
        np.testing.assert_allclose(found.losses, once.losses, atol=1e-9)
        np.testing.assert_allclose(found.differences["p_value"], once.differences["p_value"])

    def test_copies_under_one_representation_are_matched_to_their_rows(self):
        # Rows 0 and 1 are one row to the second representation, and two to the first.
        rng = np.random.default_rng(4)
        X = rng.normal(size=(60, 1))
        y = np.where(X[:, 0] > 0, "a", "b")
        coarse = X.copy()
        pairs = np.arange(0, 60, 2)[y[::2] == y[1::2]]
        coarse[pairs + 1] = coarse[pairs]
        kernel = kernels.Gaussian(width=0.5)
        found = compare({"fine": X, "coarse": coarse}, y, kernels=kernel)
        assert found.n == 60
        source = found.diagnoses["coarse"].problem.source
        assert source.max() + 1 == 60 - len(pairs)
        rd = found.diagnoses["coarse"].relevance
        expected = (rd.targets.values - rd.left_out)[source, 0] ** 2
        np.testing.assert_allclose(
            found.losses[:, 1] / found.losses[:, 1].mean(), expected / expected.mean()
        )
        np.testing.assert_array_equal(found.losses[pairs, 1], found.losses[pairs + 1, 1])

    def test_rows_that_cannot_be_matched_are_refused(self, of_sinc):
        from dataclasses import replace

        from reldim.diagnosis.representations import comparison_of

        x = of_sinc.diagnoses["x"]
        lost = replace(x, problem=replace(x.problem, source=np.zeros(0, np.intp)))
        with pytest.raises(InputError, match="cannot be matched"):
            comparison_of({"x": x, "lost": lost}, x.relevance.targets)

    def test_the_order_of_rows_does_not_matter(self, of_labels):
        order = np.random.default_rng(5).permutation(80)
        turned = {name: X[order] for name, X in REPRESENTATIONS.items()}
        found = compare(turned, LABELS[order], kernels=GAUSSIAN)
        # The test for signal permutes the targets, so that its p-value depends on their order.
        pd.testing.assert_frame_equal(
            found.table.drop(columns="p_value"), of_labels.table.drop(columns="p_value"), rtol=1e-4
        )
        pd.testing.assert_frame_equal(found.differences, of_labels.differences, rtol=1e-4)


class TestViews:
    def test_text(self, of_sinc):
        text = str(of_sinc)
        assert text == repr(of_sinc)
        lines = text.splitlines()
        assert lines[0] == ("5 representations of 80 rows, regression (numbers with fractions)")
        assert lines[1] == f"  {of_sinc.conclusion}"
        head = next(i for i, line in enumerate(lines) if "dim." in line)
        for line, row in zip(lines[head + 1 :], of_sinc.table.to_dict("records"), strict=False):
            assert line.strip().startswith("<") == row["behind"]
            assert f"  {row['name']} " in line
            assert f" {row['error_estimate']:.1%} " in line
            assert line.endswith(row["verdict"])
        assert not any(line != line.rstrip() for line in lines)

    def test_dictionary_is_plain(self, of_labels):
        plain = of_labels.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain
        assert plain["schema"] == "reldim.comparison/1"
        assert plain["version"] == __version__
        assert (plain["rows"], plain["task"], plain["by"]) == (
            80,
            "classification",
            "squared_error",
        )
        assert plain["best"] == of_labels.best
        assert plain["conclusion"] == of_labels.conclusion
        assert plain["table"] == of_labels.table.to_dict(orient="records")
        assert plain["differences"] == of_labels.differences.to_dict(orient="records")
        assert plain["diagnoses"] == {k: d.to_dict() for k, d in of_labels.diagnoses.items()}

    def test_json(self, of_labels, tmp_path):
        path = tmp_path / "out.json"
        of_labels.to_json(path)
        assert json.loads(path.read_text()) == of_labels.to_dict()
        with pytest.raises(FileError, match="exists already"):
            of_labels.to_json(path)
        path.write_text("old")
        of_labels.to_json(path, overwrite=True)
        assert json.loads(path.read_text())["best"] == of_labels.best

    def test_pickle(self, of_labels):
        back = pickle.loads(pickle.dumps(of_labels))  # noqa: S301 (made one line above)
        pd.testing.assert_frame_equal(back.table, of_labels.table)


def test_differences_are_tested_by_units():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(10), 20)
    first = rng.normal(size=200) ** 2
    second = first + np.repeat(rng.normal(0.6, 1.0, 10), 20)
    splits = Splits(200, groups=unit)
    means = (first - second).reshape(10, 20).mean(axis=1)
    expected = stats.ttest_1samp(means, 0.0).pvalue
    assert paired_p_value(first, second, splits) == pytest.approx(expected, rel=1e-6)
    assert paired_p_value(second, first, splits) == pytest.approx(expected, rel=1e-6)
    assert paired_p_value(first, second) < 0.01 * expected
    assert paired_p_value(first, first, splits) == 1.0


def test_what_is_said_of_rows_reaches_every_diagnosis():
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(15), 6)
    X = rng.normal(size=(15, 2))[unit] + 0.05 * rng.normal(size=(90, 2))
    y = rng.normal(size=15)[unit]
    cv = iter([(np.flatnonzero(unit % 3 != k), np.flatnonzero(unit % 3 == k)) for k in range(3)])
    for found in (
        compare(X, y, kernels=["gaussian", "linear"], groups=unit),
        compare(X, y, kernels=["gaussian", "linear"], cv=cv),
    ):
        assert all(one.problem.dependence is not None for one in found.diagnoses.values())
        assert len(found.losses) == 90
