"""Rows whose targets look wrong, held against slow computations and known truth."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reldim import (
    datasets,
    decompose,
    diagnose,
    find_label_issues,
    kernels,
    relevant_dimension,
)
from reldim.diagnosis import label_issues
from reldim.diagnosis.held_out import HeldOut
from reldim.diagnosis.label_issues import (
    LabelNoise,
    _kept_shares,
    _leads,
    _Rows,
    _running_mean,
    judge_labels,
    wrong_shares,
)
from reldim.exceptions import InputError, InputTypeError

COLUMNS = [
    "is_label_issue",
    "label_quality",
    "given_label",
    "predicted_label",
    "q_value",
    "can_judge",
]


def two_clouds(n=120, wrong=6, seed=0, gap=2.5):
    """Two classes that hardly overlap; the first ``wrong`` labels are exchanged."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + gap * np.where(y, 1, -1)[:, None]
    y[:wrong] = 1 - y[:wrong]
    return X, y


def three_clouds(n=150, wrong=6, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    X = rng.normal(size=(n, 2)) + centres[y]
    y[:wrong] = (y[:wrong] + 1) % 3
    return X, np.array(["ant", "bee", "cow"])[y]


def sine(n=150, wrong=5, seed=0, noise=0.1):
    """A smooth function; the first ``wrong`` numbers are off by 3."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 1))
    y = np.sin(X[:, 0]) + noise * rng.normal(size=n)
    y[:wrong] += 3.0
    return X, y


def judged(X, y, width=2.0, **options):
    return relevant_dimension(decompose(kernels.Gaussian(width=width), X), y, **options)


class TestFrame:
    def test_two_classes(self):
        X, y = two_clouds()
        issues = find_label_issues(judged(X, y))
        assert list(issues.columns) == COLUMNS
        assert issues.index.equals(pd.RangeIndex(len(y)))
        assert issues["given_label"].tolist() == y.tolist()
        assert issues.index[issues["is_label_issue"]].tolist() == list(range(6))
        assert (issues["predicted_label"][:6] == 1 - y[:6]).all()

    def test_several_classes(self):
        X, y = three_clouds()
        issues = find_label_issues(judged(X, y))
        assert list(issues.columns) == COLUMNS
        assert issues.index[issues["is_label_issue"]].tolist() == list(range(6))
        right = np.array(["ant", "bee", "cow"])[np.arange(6) % 3]
        assert issues["predicted_label"][:6].tolist() == right.tolist()

    def test_numbers(self):
        X, y = sine()
        issues = find_label_issues(judged(X, y))
        assert list(issues.columns) == [*COLUMNS, "residual"]
        np.testing.assert_allclose(issues["given_label"], y, rtol=1e-12)
        np.testing.assert_allclose(
            issues["residual"], issues["given_label"] - issues["predicted_label"], atol=1e-12
        )
        assert issues["is_label_issue"][:5].all()
        assert issues["is_label_issue"][5:].mean() < 0.05

    def test_several_columns_of_numbers(self):
        X, y = sine()
        Y = np.column_stack([y, np.cos(X[:, 0])])
        issues = find_label_issues(judged(X, Y))
        assert issues["is_label_issue"][:5].all()
        np.testing.assert_allclose(np.array(issues["given_label"].tolist()), Y, rtol=1e-9)
        assert {len(cell) for cell in issues["residual"]} == {2}

    def test_qualities_are_probabilities(self):
        for X, y in (two_clouds(gap=0.5), three_clouds(), sine()):
            issues = find_label_issues(judged(X, y))
            for column in ("label_quality", "q_value"):
                assert issues[column].between(0.0, 1.0).all()

    def test_a_lower_rate_flags_no_more(self):
        X, y = two_clouds(gap=1.2, wrong=15)
        rd = judged(X, y)
        flags = [
            find_label_issues(rd, false_discovery_rate=rate)["is_label_issue"].to_numpy()
            for rate in (0.01, 0.1, 0.4)
        ]
        assert np.all(flags[0] <= flags[1])
        assert np.all(flags[1] <= flags[2])
        assert flags[0].sum() < flags[2].sum()


class TestLeftOut:
    @pytest.mark.parametrize("center", [False, True])
    @pytest.mark.parametrize("make", [two_clouds, three_clouds, sine])
    def test_a_row_that_agrees_with_its_prediction_leaves_it_as_it_is(self, make, center):
        # What characterises leave-one-out of a linear fit: put the prediction in the place of
        # the target, fit again, and the fit there is the prediction.
        X, y = make(n=40)
        spectrum = decompose(kernels.Gaussian(width=2.0), X, center=center)
        rd = relevant_dimension(spectrum, y)
        rows, (kept, _) = _Rows.of(rd), _kept_shares(rd)
        U = spectrum.eigenvectors[:, : len(kept)]
        H = U @ np.diag(kept) @ U.T + (1 / 40 if center else 0.0)
        for i in range(40):
            values = rows.coded.copy()
            values[i] = rows.predicted[i]
            np.testing.assert_allclose(H[i] @ values, rows.predicted[i], atol=1e-8)

    def test_prediction_and_variance_are_those_of_normal_targets(self):
        X, y = sine(n=30)
        rd = judged(X, y)
        rows, (kept, noise) = _Rows.of(rd), _kept_shares(rd)
        U = rd.spectrum.eigenvectors[:, : len(kept)]
        C = noise * np.linalg.inv(np.eye(30) - U @ np.diag(kept) @ U.T)
        for i in range(30):
            others = np.arange(30) != i
            weights = np.linalg.solve(C[np.ix_(others, others)], C[others, i])
            np.testing.assert_allclose(rows.predicted[i], weights @ rows.coded[others], atol=1e-6)
            variance = C[i, i] - weights @ C[others, i]
            np.testing.assert_allclose(noise / rows.free[i], variance, rtol=1e-5)

    def test_shares_are_those_of_the_nearest_descending_energies(self):
        X, y = two_clouds(n=60, gap=1.0)
        rd = judged(X, y, width=1.0)
        e, d = rd.coefficients**2, rd.dimension
        noise = np.sum(e[d:]) / (60 - d)
        # The formula of minima and maxima of means over all stretches that hold m.
        nearest = [
            min(max(np.mean(e[a : b + 1]) for b in range(m, 60)) for a in range(m + 1))
            for m in range(30)
        ]
        expected = np.maximum(0.0, 1.0 - noise / np.array(nearest))
        np.testing.assert_allclose(_kept_shares(rd)[0], expected, atol=1e-8)

    def test_a_factor_of_low_rank_says_the_same_where_nothing_is_missing(self):
        X, y = two_clouds(n=100)
        kernel = kernels.Gaussian(width=20.0)
        dense = relevant_dimension(decompose(kernel, X, solver="dense"), y)
        low = relevant_dimension(decompose(kernel, X, solver="lowrank", rank=60), y)
        np.testing.assert_allclose(
            find_label_issues(low)["label_quality"],
            find_label_issues(dense)["label_quality"],
            atol=1e-3,
        )


class TestClasses:
    def test_leads_are_over_the_best_of_the_others(self):
        np.testing.assert_allclose(
            _leads(np.array([[0.1, 0.7, 0.2], [0.5, 0.5, 0.0]])),
            [[-0.6, 0.5, -0.5], [0.0, 0.0, -0.5]],
        )

    @staticmethod
    def overlapping(n, shares, power=4.0, seed=1):
        """Leads, looks and labels of two classes whose labels were exchanged by shares of each."""
        rng = np.random.default_rng(seed)
        looks, place = rng.integers(0, 2, n), rng.uniform(size=n)
        right = np.where(rng.uniform(size=n) < 0.5 * place**power, 1 - looks, looks)
        wrong = (rng.uniform(size=n) < np.array(shares)[looks]) & (right == looks)
        lead = np.where(looks == 1, 1.0 - place, place - 1.0)
        return np.column_stack([-lead, lead]), np.where(wrong, 1 - looks, right), wrong

    @pytest.mark.parametrize("shares", [(0.0, 0.0), (0.1, 0.1), (0.2, 0.0), (0.0, 0.05)])
    def test_the_shares_of_wrong_labels_are_found(self, shares):
        leads, codes, wrong = self.overlapping(3000, shares)
        noise = LabelNoise.of(leads, codes, np.ones(3000, dtype=bool))
        for looks in (0, 1):
            mean, spread = noise.share(looks)
            assert mean == pytest.approx(shares[looks], abs=max(0.006, 3 * spread))
            assert spread < 0.03
        quality = noise.quality(leads, codes)
        flagged = (_running_mean(quality, np.ones(3000, dtype=bool)) <= 0.1) & (quality < 0.5)
        if not any(shares):
            assert not flagged.any()
        else:
            assert np.mean(flagged[wrong]) > 0.5
            assert np.mean(~wrong[flagged]) < 0.15

    def test_posterior_is_that_of_all_combinations(self):
        # Three pairs of two borders; each hypothesis written out, on four shares and two forms.
        rng = np.random.default_rng(0)
        tables = {pair: rng.normal(size=(4, 2)) for pair in [(0, 1), (1, 0), (0, 2)]}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(label_issues, "SHARES", np.array([0.0, 0.1, 0.2, 0.3]))
            patch.setattr(label_issues, "FORMS", np.log([0.4, 0.6]))
            found = label_issues._posteriors(tables)
        often, weights = 1 / 3, {}
        prior = np.array([1 - often, *np.full(3, often / 3)])
        for shares in itertools.product(range(4), repeat=3):
            for one, other in itertools.product(range(2), repeat=2):
                chance = 0.45 * np.prod(prior[list(shares)])
                if len(set(shares)) == 1:
                    chance += 0.1 if shares[0] == 0 else 0.45 / 3
                forms = (one, one, other)
                likelihood = sum(
                    table[share, form]
                    for table, share, form in zip(tables.values(), shares, forms, strict=True)
                )
                forms_chance = np.array([0.4, 0.6])[[one, other]].prod()
                weights[shares, forms] = chance * forms_chance * np.exp(likelihood)
        total = sum(weights.values())
        for place, pair in enumerate(tables):
            expected = np.zeros((4, 2))
            for (shares, forms), weight in weights.items():
                expected[shares[place], forms[place]] += weight / total
            np.testing.assert_allclose(found[pair], expected, atol=1e-12)

    def test_labels_of_one_class_are_found(self):
        flagged = false = found = 0
        for seed in range(4):
            rng = np.random.default_rng(seed)
            X, right = two_clouds(n=300, wrong=0, seed=seed, gap=1.4)
            wrong = (right == 0) & (rng.uniform(size=300) < 0.2)
            issues = find_label_issues(judged(X, np.where(wrong, 1, right)))
            flags = issues["is_label_issue"].to_numpy()
            flagged, false = flagged + flags.sum(), false + np.sum(flags & ~wrong)
            found += np.mean(flags[wrong]) / 4
        assert found > 0.55
        assert false / flagged < 0.1

    def test_swapping_all_labels_changes_no_flag(self):
        X, y = two_clouds(gap=1.5)
        one, other = (find_label_issues(judged(X, labels)) for labels in (y, 1 - y))
        np.testing.assert_allclose(one["label_quality"], other["label_quality"], atol=1e-8)
        assert one["is_label_issue"].equals(other["is_label_issue"])
        assert (other["predicted_label"] == 1 - one["predicted_label"]).all()

    def test_the_share_of_false_flags_is_kept(self):
        flagged = false = found = 0
        for seed in range(12):
            data = datasets.twonorm(200, random_state=seed)
            wrong = np.random.default_rng(seed).permutation(200) < 20
            issues = find_label_issues(
                judged(data.X, np.where(wrong, -data.y, data.y), width=50.0)
            )["is_label_issue"].to_numpy()
            flagged += issues.sum()
            false += np.sum(issues & ~wrong)
            found += np.sum(issues & wrong)
        assert false / flagged <= 0.15
        assert found / (12 * 20) > 0.5

    def test_classes_that_overlap_are_not_taken_for_wrong_labels(self):
        flagged = 0
        for seed in range(8):
            X, y = two_clouds(n=150, wrong=0, seed=seed, gap=0.7)
            flagged += find_label_issues(judged(X, y))["is_label_issue"].sum()
        # Little more than one row in a hundred.
        assert flagged <= 15


class TestNumbers:
    def test_noise_is_seldom_flagged(self):
        alarms = 0
        for seed in range(30):
            X, y = sine(n=100, wrong=0, seed=seed)
            alarms += find_label_issues(judged(X, y, width=0.5))["is_label_issue"].any()
        assert alarms <= 9

    def test_units_do_not_matter(self):
        X, y = sine()
        one, other = (find_label_issues(judged(X, unit * y + 7)) for unit in (1.0, 1e6))
        np.testing.assert_allclose(one["label_quality"], other["label_quality"], atol=1e-6)
        assert one["is_label_issue"].equals(other["is_label_issue"])

    def test_residuals_of_round_off_are_no_issues(self):
        # The kernel fits the line exactly: all residuals are round-off.
        X = np.linspace(-1, 1, 40)[:, None]
        issues = find_label_issues(relevant_dimension(decompose(kernels.Linear(), X), 3 * X[:, 0]))
        assert not issues["is_label_issue"].any()

    def test_one_gross_error_on_an_exact_line(self):
        X = np.linspace(-1, 1, 40)[:, None]
        y = 3 * X[:, 0]
        y[11] += 50.0
        issues = find_label_issues(judged(X, y, width=1.0))
        assert issues["label_quality"].idxmin() == 11

    @pytest.mark.parametrize("noise", ["heavy", "uneven"])
    def test_heavy_and_uneven_noise_is_not_flagged_and_exchanges_are_found(self, noise):
        false = found = flagged = 0
        for seed in range(6):
            rng = np.random.default_rng(seed)
            X = rng.uniform(-2, 2, size=(300, 2))
            drawn = rng.standard_t(2.5, 300) if noise == "heavy" else rng.normal(size=300)
            spread = np.exp(X[:, 1]) if noise == "uneven" else np.ones(300)
            right = 2 * X[:, 0] + 0.15 * spread * drawn
            false += find_label_issues(judged(X, right))["is_label_issue"].sum()
            y = right.copy()
            y[:15] = right[np.roll(np.arange(15), 1)]
            flags = find_label_issues(judged(X, y))["is_label_issue"].to_numpy()
            found, flagged = found + flags[:15].sum(), flagged + flags.sum()
        assert false <= 3
        assert found > 0.4 * 6 * 15
        assert found >= 0.85 * flagged


class TestRates:
    @given(arrays(float, st.integers(1, 30), elements=st.sampled_from([0.0, 0.1, 0.3, 0.35, 1.0])))
    @settings(deadline=None, max_examples=50)
    def test_running_mean_is_that_of_all_that_are_no_better(self, quality):
        everything = np.ones(len(quality), dtype=bool)
        expected = [quality[quality <= value].mean() for value in quality]
        np.testing.assert_allclose(_running_mean(quality, everything), expected, atol=1e-12)

    def test_rows_that_cannot_be_judged_are_left_out(self):
        quality = np.array([0.0, 0.2, 0.4])
        some = np.array([False, True, True])
        np.testing.assert_allclose(
            _running_mean(quality, some), [1.0, *_running_mean(quality[1:], some[1:])], atol=1e-12
        )
        assert _running_mean(quality, np.zeros(3, dtype=bool)).tolist() == [1.0, 1.0, 1.0]

    @given(st.integers(0, 100))
    @settings(deadline=None, max_examples=10)
    def test_the_order_of_rows_does_not_matter(self, seed):
        X, y = two_clouds(n=60, gap=1.5)
        order = np.random.default_rng(seed).permutation(60)
        one, other = find_label_issues(judged(X, y)), find_label_issues(judged(X[order], y[order]))
        np.testing.assert_allclose(
            one["label_quality"].to_numpy()[order], other["label_quality"], atol=1e-6
        )


class TestCannotJudge:
    def test_a_row_far_from_all_others(self):
        X, y = two_clouds(wrong=0)
        X[0] = [80.0, -80.0]
        issues = find_label_issues(judged(X, y, width=4.0))
        assert not issues["is_label_issue"][0]
        assert issues["can_judge"][1:].mean() > 0.9
        X, y = sine(wrong=0)
        X[0] = 100.0
        y[0] = 30.0
        issues = find_label_issues(judged(X, y, width=0.5))
        assert not issues["can_judge"][0]
        assert not issues["is_label_issue"][0]

    def test_a_class_with_one_member(self):
        X, y = three_clouds(wrong=0)
        y = y.astype(object)
        y[4] = "dog"
        issues = find_label_issues(judged(X, y))
        assert issues.index[~issues["can_judge"]].tolist() == [4]
        assert not issues["is_label_issue"][4]

    def test_equal_rows_with_different_labels(self):
        # Twelve kinds of rows, as in a table of categories: exceptions among equals are overlap.
        rng = np.random.default_rng(0)
        kinds = rng.integers(0, 12, 300)
        X = rng.normal(size=(12, 2))[kinds]
        y = ((kinds < 6) ^ ((rng.uniform(size=300) < 0.1) & (kinds > 2))).astype(int)
        issues = find_label_issues(judged(X, y))
        agreed = [len(set(y[kinds == kind])) == 1 for kind in kinds]
        assert 0 < np.sum(agreed) < 300
        np.testing.assert_array_equal(issues["can_judge"], agreed)
        assert not issues["is_label_issue"].any()

    def test_no_signal(self):
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
        rd = judged(X, y)
        assert rd.dimension == 0
        issues = find_label_issues(rd)
        assert not issues["can_judge"].any()
        assert not issues["is_label_issue"].any()
        assert (issues["q_value"] == 1.0).all()

    def test_no_signal_in_numbers(self):
        rng = np.random.default_rng(4)
        rd = judged(rng.normal(size=(60, 3)), rng.normal(size=60))
        assert rd.dimension == 0
        issues = find_label_issues(rd)
        assert not issues["can_judge"].any()
        assert issues["label_quality"].notna().all()


class TestDiagnosis:
    def test_a_row_for_every_row(self):
        X, y = two_clouds()
        frame = pd.DataFrame(X, columns=["a", "b"], index=[f"r{i}" for i in range(len(y))])
        diagnosis = diagnose(frame, y)
        issues = diagnosis.label_issues
        assert issues.index.equals(pd.RangeIndex(len(y)))
        assert issues["given_label"].tolist() == y.tolist()
        assert issues["is_label_issue"][:6].sum() >= 5
        assert diagnosis.label_issues is issues

    def test_copies_say_what_the_row_says_that_stands_for_them(self):
        X, y = two_clouds(n=80)
        order = np.random.default_rng(0).permutation(np.repeat(np.arange(80), 2))
        issues = diagnose(X[order], y[order]).label_issues
        assert len(issues) == 160
        assert issues["given_label"].tolist() == y[order].tolist()
        for i in range(80):
            assert np.ptp(issues[order == i]["label_quality"]) == 0.0

    def test_a_copy_with_another_label_is_judged_by_its_own(self):
        X, y = two_clouds(n=80, wrong=0)
        issues = diagnose(np.vstack([X, X]), np.concatenate([y, [1 - y[0]], y[1:]])).label_issues
        assert issues["given_label"][80] == 1 - y[0]
        assert issues["predicted_label"][80] == y[0]
        assert issues["label_quality"].idxmin() == 80
        assert issues["label_quality"][0] > issues["label_quality"][80]

    def test_numbers_are_given_back_to_the_last_digit(self):
        X, y = sine()
        X, y = np.vstack([X, X[:20]]), np.append(y, y[:20])
        issues = diagnose(X, y).label_issues
        assert issues["given_label"].tolist() == y.tolist()
        assert issues["label_quality"][:20].tolist() == issues["label_quality"][150:].tolist()

    def test_numbers_as_text_are_numbers(self):
        X, y = sine()
        issues = diagnose(X, y.astype(str), task="regression").label_issues
        assert issues["given_label"].tolist() == y.tolist()

    def test_truth_values(self):
        X, y = two_clouds()
        issues = diagnose(X, y.astype(bool)).label_issues
        assert issues["predicted_label"].dtype == bool
        assert issues["is_label_issue"][:6].sum() >= 5

    def test_rows_that_nobody_kept_account_of(self):
        from dataclasses import replace

        X, y = two_clouds()
        diagnosis = diagnose(X, y)
        lost = replace(diagnosis.problem, source=np.zeros(0, dtype=int))
        with pytest.raises(InputError, match="Pass the relevance of the diagnosis alone"):
            find_label_issues(diagnosis.relevance, lost)


class TestBadInput:
    @pytest.mark.parametrize("rate", [0, 1, -0.1, 2.0, float("nan"), "0.1", None])
    def test_rate(self, rate):
        X, y = two_clouds(n=40)
        with pytest.raises(InputError, match="between 0 and 1"):
            find_label_issues(judged(X, y), false_discovery_rate=rate)

    def test_data_without_targets(self):
        X, y = two_clouds(n=40)
        with pytest.raises(InputTypeError, match="Got ndarray and no targets"):
            find_label_issues(X)
        with pytest.raises(InputTypeError, match="part of a RelevantDimension already"):
            find_label_issues(judged(X, y), y)


def test_data_and_a_diagnosis_give_the_same():
    X, y = two_clouds(n=40)
    X = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    expected = diagnose(X, y, references=False).label_issues
    for found in (find_label_issues(X, y), find_label_issues(X.assign(cloud=y), "cloud")):
        pd.testing.assert_frame_equal(found, expected)


def test_the_predictor_has_its_say():
    # Classes at the corners of two columns among noise, which equal weights hardly see.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    wrong = rng.permutation(300) < 20
    given = np.where(wrong, 1 - y, y)
    diagnosis = diagnose(X, given, references=False)
    issues, alone = diagnosis.label_issues, find_label_issues(diagnosis.relevance)
    found, without = (np.sum(one["is_label_issue"] & wrong) for one in (issues, alone))
    assert found > without
    assert np.mean(issues["predicted_label"] == y) > np.mean(alone["predicted_label"] == y)


def test_shares_of_wrong_labels_by_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    side = X[:, 0] + 0.05 * rng.normal(size=600)
    flip = rng.uniform(size=600) < np.where(side > 0, 0.25, 0.02)
    rd = judged(X, np.where((side > 0) ^ flip, "yes", "no"))
    score = np.tanh(2 * side) / 2
    chances = np.column_stack([0.5 - score, 0.5 + score])
    held = HeldOut(np.arange(600), rd.targets, chances, probabilities=True)
    shares = wrong_shares(rd, held, 30)
    assert shares[0].share == pytest.approx(0.02, abs=0.02)
    assert shares[1].share == pytest.approx(0.25, abs=0.08)
    # The rows that are counted are those that the frame flags.
    issues = judge_labels(rd, None, held.predicted)
    looks_yes = issues["predicted_label"] == "yes"
    assert shares[1].flagged == (issues["is_label_issue"] & looks_yes).sum() > 10
    assert wrong_shares(rd, held, 600) == {}


class TestManyRows:
    """Influences that are estimated, against those that are computed."""

    @pytest.fixture
    def rd(self):
        rng = np.random.default_rng(3)
        X = np.vstack([rng.normal(size=(1500, 2)), 30.0 + 20.0 * rng.normal(size=(3, 2))])
        y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=len(X))
        y[:10] += 4.0
        return relevant_dimension(decompose(kernels.Gaussian(1.0), X, solver="lowrank"), y)

    def test_estimates_are_close_and_large_ones_exact(self, rd, monkeypatch):
        kept = np.linspace(1.0, 0.1, 60)
        exact = label_issues._influence(rd.spectrum, kept)
        np.testing.assert_allclose(
            exact, rd.spectrum.eigenvectors[:, :60] ** 2 @ kept, rtol=1e-9, atol=1e-12
        )
        monkeypatch.setattr(label_issues, "MOST_WORK", 0)
        found = label_issues._influence(rd.spectrum, kept)
        large = exact > 0.06
        assert 3 <= large.sum() < 100
        np.testing.assert_allclose(found[large], exact[large], rtol=1e-9)
        assert np.median(np.abs(found / exact - 1.0)) < 0.25
        assert not np.array_equal(found, exact)

    def test_the_same_rows_are_flagged(self, rd, monkeypatch):
        exact = find_label_issues(rd)
        assert exact["is_label_issue"][:10].all()
        monkeypatch.setattr(label_issues, "MOST_WORK", 0)
        found = find_label_issues(rd)
        pd.testing.assert_series_equal(found["is_label_issue"], exact["is_label_issue"])
        np.testing.assert_allclose(found["label_quality"], exact["label_quality"], atol=0.02)


def test_one_of_several_targets_may_be_constant():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.column_stack([X[:, 0] + 0.1 * rng.normal(size=80), np.ones(80)])
    issues = find_label_issues(X, y)
    assert issues["label_quality"].notna().all()
