"""Findings about rows, columns and residuals, and that they stay away where nothing is wrong."""

import numpy as np
import pandas as pd
import pytest

from reldim import datasets, diagnose, kernels
from reldim.diagnosis.findings import find_in_residuals, scale_ratio

GAUSSIAN = kernels.Gaussian(1.0)


def codes_of(X, y, **options):
    found = diagnose(X, y, references=False, **options)
    return {finding.code: finding for finding in (found.verdict, *found.findings)}


def uneven(seed, n=200, *, slope=1.0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, size=(n, 1))
    spread = 0.1 + slope * (x[:, 0] > 0)
    return x, 2 * x[:, 0] + spread * rng.normal(size=n)


class TestNoiseFromRowToRow:
    def test_is_found(self):
        finding = codes_of(*uneven(0), kernels=GAUSSIAN)["RD012"]
        assert finding.severity == "info"
        assert finding.figures["ratio"] > 4
        assert finding.figures["p_value"] < 0.001
        assert "those with high predictions" in finding.evidence
        assert "sample_weight" in finding.advice

    def test_even_noise_is_not(self):
        alarms = sum(
            "RD012" in codes_of(*uneven(s, slope=0.0), kernels=GAUSSIAN) for s in range(12)
        )
        assert alarms == 0

    def test_few_rows_tell_nothing(self):
        assert "RD012" not in codes_of(*uneven(0, n=45), kernels=GAUSSIAN)

    def test_the_logarithm_is_advised_where_it_makes_noise_even(self):
        rng = np.random.default_rng(0)
        x = rng.uniform(-2, 2, size=(300, 1))
        y = np.exp(x[:, 0] + 0.3 * rng.normal(size=300))
        finding = codes_of(x, y, kernels=GAUSSIAN)["RD012"]
        assert "np.log(y)" in finding.advice
        assert f"not {finding.figures['ratio']:.3g}. Turn" in finding.advice
        assert finding.figures["ratio_of_logarithms"] < finding.figures["ratio"] / 2.5

    def test_what_changes_no_decision_is_not_reported(self):
        # Twice the variance on one side: no reason to do anything.
        rng = np.random.default_rng(0)
        x = rng.uniform(-2, 2, size=(400, 1))
        y = 2 * x[:, 0] + np.where(x[:, 0] > 0, 1.4, 1.0) * rng.normal(size=400)
        assert "RD012" not in codes_of(x, y, kernels=GAUSSIAN)

    @pytest.mark.parametrize("slope", [0.85, 0.0])
    def test_noise_along_any_column_is_found_and_named(self, slope):
        count = 0
        for seed in range(4):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(300, 4))
            y = X[:, 0] + 0.2 * np.exp(slope * X[:, 2]) * rng.normal(size=300)
            found = diagnose(X, y, references=False, kernels=kernels.Gaussian(5.0))
            for one in find_in_residuals(
                found.relevance, found.concluded().conclusions.held_out, found.problem
            ):
                assert one.code == "RD012"
                assert "goes with 2." in one.evidence
                assert one.figures["ratio"] > 9
                assert one in found.findings
                count += 1
        assert count == (4 if slope else 0)


class TestNoiseFromClassToClass:
    def draw(self, seed, first, second, n=400):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 2))
        right = X[:, 0] > 0
        flip = rng.uniform(size=n) < np.where(right, first, second)
        return X, np.where(right ^ flip, "yes", "no")

    def test_is_found(self):
        finding = codes_of(*self.draw(0, 0.25, 0.02, n=1000), kernels=GAUSSIAN)["RD013"]
        assert "rows that look like yes" in finding.evidence
        assert "reldim labels" in finding.advice
        assert finding.figures["largest"] > 3 * finding.figures["smallest"]

    @pytest.mark.parametrize("share", [pytest.param(0.0, marks=pytest.mark.slow), 0.15])
    def test_even_noise_is_not(self, share):
        for seed in range(5):
            assert "RD013" not in codes_of(*self.draw(seed, share, share), kernels=GAUSSIAN)

    def test_of_three_classes(self):
        rng = np.random.default_rng(1)
        kind = np.arange(450) % 3
        X = 4 * np.eye(3)[kind] + rng.normal(size=(450, 3))
        y = np.where((kind == 2) & (rng.uniform(size=450) < 0.35), rng.integers(0, 2, 450), kind)
        found = codes_of(X, np.array(["a", "b", "c"])[y], kernels=kernels.Gaussian(10.0))
        assert "look like c" in found["RD013"].evidence


class TestLimit:
    @pytest.mark.parametrize("seed", [3, 4])
    def test_a_problem_too_complex_for_its_rows(self, seed):
        data = datasets.sine(100, frequency=35.0, noise=0.1, random_state=seed)
        found = codes_of(data.X, data.y)
        assert found["RD022"].figures == {"dimension": 50.0, "rows": 100.0}
        assert "50, is the largest that was considered" in found["RD022"].evidence

    def test_none_below_the_limit_and_without_signal(self):
        for seed in range(3):
            data = datasets.sine(100, frequency=35.0, noise=0.1, random_state=seed)
            assert "RD022" not in codes_of(data.X, data.y)

    def test_none_where_a_problem_is_solved(self):
        for frequency in (4.0, 8.0):
            data = datasets.sine(100, frequency=frequency, noise=0.1, random_state=0)
            assert "RD022" not in codes_of(data.X, data.y)


class TestRepeats:
    def test_copies(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        finding = codes_of(np.vstack([X, X[:6]]), np.append(y, y[:6]))["RD014"]
        assert finding.figures == {"repeated": 6.0, "share": pytest.approx(6 / 66)}
        assert "6 of 66 rows (9.1%) repeat others" in finding.evidence
        assert "RD014" not in codes_of(X, y)

    def test_a_single_copy(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
        finding = codes_of(np.vstack([X, X[:1]]), np.append(y, y[0]))["RD014"]
        assert finding.evidence.startswith("1 of 21 rows (4.8%) repeats another, features")
        assert finding.evidence.endswith("It was left out.")

    def test_conflicting_labels(self):
        rng = np.random.default_rng(1)
        X = np.repeat(rng.normal(size=(50, 2)), 4, axis=0)
        y = X[:, 0] > 0
        y[::4] ^= True
        finding = codes_of(X, y, kernels=GAUSSIAN)["RD015"]
        # Of each four equal rows one has the other label.
        assert finding.figures == {"rows": 200.0, "least_error": pytest.approx(0.25)}
        assert finding.severity == "warning"
        assert "25.0% of the labels" in finding.evidence

    def test_conflicting_measurements(self):
        rng = np.random.default_rng(2)
        X = np.repeat(rng.normal(size=(40, 1)), 3, axis=0)
        y = X[:, 0] + rng.normal(size=120)
        within = y.reshape(40, 3) - y.reshape(40, 3).mean(axis=1, keepdims=True)
        finding = codes_of(X, y, kernels=GAUSSIAN)["RD015"]
        expected = np.sum(within**2) / np.sum((y - y.mean()) ** 2)
        assert finding.figures["least_error"] == pytest.approx(expected)
        assert "of the variance" in finding.evidence

    def test_a_single_conflict_among_many_rows_is_no_finding(self):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(300, 2))
        X[1] = X[0]
        y = X[:, 0] > 0
        y[1] = ~y[0]
        assert "RD015" not in codes_of(X, y, kernels=GAUSSIAN)


class TestLeakage:
    def draw(self, seed=0, n=100):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3))
        return rng, X, X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n)

    def test_a_copy_of_the_target_in_other_units(self):
        _, X, y = self.draw()
        frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(late=np.exp(y))
        finding = codes_of(frame, y, kernels=GAUSSIAN)["RD016"]
        assert finding.evidence.startswith("The column late alone")
        assert finding.figures == {"column": 3.0}

    def test_a_verdict_that_is_too_good_says_so(self):
        _, X, y = self.draw()
        frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(late=1.19 * y)
        found = codes_of(frame, y, kernels=kernels.Linear())
        assert found["RD002"].advice.startswith("See RD016 first")
        alone = codes_of(frame[["late"]], y, kernels=kernels.Linear())
        assert alone["RD002"].advice.startswith("Use the predictor")
        twice = codes_of(frame.assign(later=-y), y, kernels=kernels.Linear())
        assert twice["RD002"].advice.startswith("See RD016 first: columns tell the target")

    def test_a_column_that_orders_classes(self):
        rng, X, y = self.draw()
        labels = np.digitize(y, [-1.0, 1.0])
        told = np.column_stack([X, labels + 0.3 * rng.uniform(size=100)])
        assert codes_of(told, labels, kernels=GAUSSIAN)["RD016"].evidence.startswith("Column 3")
        assert "RD016" not in codes_of(X, labels, kernels=GAUSSIAN)

    def test_ties_between_classes_are_mistakes(self):
        _, X, y = self.draw()
        labels = y > 0
        coarse = np.column_stack([X, np.where(np.abs(y) < 0.5, 0.0, np.sign(y))])
        assert "RD016" not in codes_of(coarse, labels, kernels=GAUSSIAN)
        assert "RD016" in codes_of(np.column_stack([X, np.sign(y)]), labels, kernels=GAUSSIAN)

    def test_a_multiple_of_a_column_that_was_read_in_two_units(self):
        # Thousands that were read as decimals: 1.234 beside 999.
        rng = np.random.default_rng(0)
        cost = np.round(rng.lognormal(6.5, 0.8, size=200))
        read = np.where(cost >= 1000, cost / 1000, cost)
        frame = pd.DataFrame({"a": rng.normal(size=200), "cost": read, "b": rng.normal(size=200)})
        finding = codes_of(frame, 2.5 * cost, kernels=GAUSSIAN)["RD016"]
        assert "multiple of the same column, the column cost" in finding.evidence
        assert finding.figures["share"] == pytest.approx(np.mean(cost < 1000), abs=0.01)

    def test_many_equal_targets_are_no_line(self):
        _, X, y = self.draw()
        assert "RD016" not in codes_of(X, np.maximum(y, 0.5), kernels=GAUSSIAN)

    def test_the_only_column_is_no_leak(self):
        x = np.linspace(-1, 1, 60)[:, None]
        assert "RD016" not in codes_of(x, x[:, 0] ** 3, kernels=GAUSSIAN)

    def test_several_outputs_and_constant_columns_are_left_alone(self):
        _, X, y = self.draw()
        Y = np.column_stack([y, -y])
        told = np.column_stack([X, y, np.ones(100)])
        assert "RD016" not in codes_of(told, Y, kernels=GAUSSIAN)
        assert codes_of(told, y, kernels=GAUSSIAN)["RD016"].figures == {"column": 3.0}


class TestOddValues:
    def draw(self, n=150, seed=0):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
        return X, X["a"] + rng.normal(size=n), rng.permutation(n)

    def test_they_are_counted_and_shown(self):
        X, y, order = self.draw()
        X["a"] = X["a"].astype(str).astype(object)
        X.loc[order[:4], "a"] = ["unknown", "--", "1.5 kg", "2 kg"]
        X.loc[order[4:9], "b"] = -999.0
        finding = codes_of(X, y, kernels=GAUSSIAN)["RD021"]
        assert finding.severity == "warning"
        assert finding.figures == {"columns": 2.0, "values": 9.0, "rows": 0.0}
        assert "a: 2 of 150 values are no numbers" in finding.evidence
        assert "a: 2 of 150 values have a unit" in finding.evidence
        assert "b: 5 of 150 values are -999" in finding.evidence

    def test_a_line_of_totals(self, tmp_path):
        X, y, _ = self.draw()
        X["c"] = X["a"] * X["b"]
        X.assign(y=y).to_csv(tmp_path / "sales.csv", index=False)
        with (tmp_path / "sales.csv").open("a") as file:
            file.write(f"Total,,,{1000 * y.sum():.2f}\n")
        read = pd.read_csv(tmp_path / "sales.csv")
        finding = codes_of(read.drop(columns="y"), read["y"], kernels=GAUSSIAN)["RD021"]
        assert "a: 1 of 151 values is no number and counts as missing: 'Total'" in finding.evidence
        assert "row 150 (counted from 0) has a target and hardly any other" in finding.evidence
        assert finding.figures["rows"] == 1.0

    def test_tables_with_many_gaps_have_no_odd_rows(self):
        X, y, _ = self.draw()
        rng = np.random.default_rng(1)
        gaps = X.assign(c=rng.normal(size=150), d=rng.normal(size=150)).mask(
            rng.random((150, 4)) < 0.5
        )
        assert "RD021" not in codes_of(gaps, y, kernels=GAUSSIAN)

    def test_clean_tables_have_none(self):
        X, y, _ = self.draw()
        X["c"] = np.where(X["b"] > 0, "Yes", "no")
        assert "RD021" not in codes_of(X, y, kernels=GAUSSIAN)
        assert "RD021" not in codes_of(X[["a", "b"]].to_numpy(), y, kernels=GAUSSIAN)


class TestOddTargets:
    def draw(self, n=150, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 2))
        return X, np.clip(np.round(3 + 1.5 * X[:, 0] + 0.7 * rng.normal(size=n)), 0, 7)

    def test_counts_taken_for_classes(self):
        X, y = self.draw()
        finding = codes_of(X, y, kernels=kernels.Gaussian(5.0))["RD018"]
        assert "whole numbers 0 to 7" in finding.evidence
        assert "task='regression'" in finding.advice
        assert "--task regression" in finding.advice

    def test_fractions_are_no_grades(self):
        X, y = self.draw()
        halves = pd.Categorical(y + 0.5)
        assert "RD018" not in codes_of(X, halves, kernels=kernels.Gaussian(5.0))

    def test_grades_are_known_by_how_frequent_they_are(self):
        rng = np.random.default_rng(0)
        grades = np.repeat(np.arange(3, 10), [3, 15, 60, 90, 50, 14, 2])
        X = rng.normal(size=(len(grades), 2))
        finding = codes_of(X, grades, kernels=GAUSSIAN)["RD018"]
        assert "whole numbers 3 to 9" in finding.evidence
        assert "as grades are" in finding.evidence
        even = rng.integers(0, 7, size=len(grades))
        assert "RD018" not in codes_of(X, even, kernels=GAUSSIAN)

    def test_targets_that_were_cut_off(self):
        X, _ = self.draw(n=200)
        y = 20 + 10 * X[:, 0] + np.random.default_rng(1).normal(size=200)
        finding = codes_of(X, np.minimum(y, 30.0), kernels=GAUSSIAN)["RD019"]
        assert finding.figures["limit"] == pytest.approx(30.0)
        assert finding.figures["rows"] == np.sum(y >= 30.0)
        assert "the largest target, 30" in finding.evidence
        assert "RD019" not in codes_of(X, y, kernels=GAUSSIAN)
        assert "RD019" not in codes_of(X, np.round(y), task="regression", kernels=GAUSSIAN)
        below = codes_of(X, np.maximum(y - 20, 0.0), kernels=GAUSSIAN)["RD019"]
        assert "the smallest target, 0:" in below.evidence

    def test_classes_that_happen_to_be_numbers(self):
        X, y = self.draw()
        names = np.array([5, 0, 7, 2, 4, 6, 1, 3])[y.astype(int)]
        assert "RD018" not in codes_of(X, names, kernels=kernels.Gaussian(5.0))

    def test_nobody_is_told_who_asked_for_classes(self):
        X, y = self.draw()
        assert "RD018" not in codes_of(X, y, task="classification", kernels=kernels.Gaussian(5.0))

    def test_numbers_written_as_text(self):
        X, y = self.draw()
        finding = codes_of(X, [f"{value + 3:.1f}" for value in y], kernels=GAUSSIAN)["RD018"]
        assert "'10.0'" in finding.evidence

    @pytest.mark.parametrize("form", ["${:,.0f}", "{:.0f}%"])
    def test_amounts_are_numbers(self, form):
        X, y = self.draw()
        amounts = 1000 * (y + 3)
        found = diagnose(X, [form.format(value) for value in amounts], kernels=GAUSSIAN)
        assert found.classes.tolist() == sorted({*amounts})
        assert found.preparation[0].startswith("Read the target as numbers")

    def test_words_are_labels(self):
        X, y = self.draw()
        labels = np.array(list("abcdefgh"))[y.astype(int)]
        assert not {"RD017", "RD018"} & set(codes_of(X, labels, kernels=GAUSSIAN))

    def test_nearly_as_many_classes_as_rows(self):
        X, _ = self.draw(n=60)
        labels = [f"customer {i // 2}" for i in range(60)]
        finding = codes_of(X, labels, kernels=GAUSSIAN)["RD017"]
        assert finding.figures["classes"] == 30.0
        assert "2.0 rows per class" in finding.evidence


def test_scale_ratio():
    X = np.array([[0.0, 0.0, 1.0], [1.0, 100.0, 1.0]])
    assert scale_ratio(X) == pytest.approx(100.0)
    assert scale_ratio(X[:, :1]) == 1.0
    assert scale_ratio(np.ones((3, 2))) == 1.0
    assert scale_ratio(["AC", "GT"]) == 1.0


def test_plain_data_hold_the_figures():
    x, y = uneven(0)
    plain = diagnose(x, y, kernels=GAUSSIAN).to_dict()
    (finding,) = [one for one in plain["findings"] if one["code"] == "RD012"]
    assert finding["figures"]["ratio"] > 4
    assert plain["verdict"]["figures"]["rows"] == 200.0


def test_a_spread_that_vanishes_does_not_count():
    X = np.column_stack([np.linspace(-1, 1, 9), np.linspace(0, 1e-170, 9)])
    assert scale_ratio(X) == 1.0
