"""Columns that tell the target: the planted ones are found by name, and no others."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim import diagnose, kernels
from reldim.diagnosis.leaks import find_leak, left_out_mistakes, left_out_variance
from reldim.diagnosis.problem import prepare_problem

LINEAR = kernels.Linear()


def leak(X, y):
    """The finding of a quick diagnosis, or None."""
    found = diagnose(X, y, kernels=LINEAR)
    return next((one for one in found.findings if one.code == "RD016"), None)


def literal_mistakes(x, codes):
    """The rule in words, row by row."""
    wrong = 0
    for i, code in enumerate(codes):
        others = [c for j, c in enumerate(codes) if j != i and x[j] == x[i]]
        if others:
            same, rest = others.count(code), [others.count(c) for c in {*codes} - {code}]
            wrong += same <= max(rest, default=0)
            continue
        below = [v for v in x if v < x[i]]
        above = [v for v in x if v > x[i]]
        beside = []
        for value in ([max(below)] if below else []) + ([min(above)] if above else []):
            held = [c for v, c in zip(x, codes, strict=True) if v == value]
            beside.append(max(sorted({*held}), key=held.count))
        wrong += code not in beside
    return wrong


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), min_size=2, max_size=25))
def test_mistakes_are_those_of_the_rule_in_words(pairs):
    x, codes = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = left_out_mistakes(np.array(x, dtype=float)[:, None], np.array(codes))
    assert found == literal_mistakes(x, codes)


def test_variance_is_that_of_means_over_the_other_rows():
    rng = np.random.default_rng(0)
    values, y = rng.integers(0, 2, (30, 3)).astype(float), rng.normal(size=30)
    residuals = []
    for i in range(30):
        same = [j for j in range(30) if j != i and (values[j] == values[i]).all()]
        residuals.append(y[i] - (y[same].mean() if same else y.mean()))
    expected = np.sum(np.square(residuals)) / np.sum((y - y.mean()) ** 2)
    assert left_out_variance(values, y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [100, 1000, 10_000])
@pytest.mark.parametrize("kind", ["0/1", "category", "continuous"])
@pytest.mark.parametrize("positive", [0.5, 0.1])
def test_no_column_tells_coin_flips(n, kind, positive):
    false = 0
    for seed in range(20):
        rng = np.random.default_rng([n, seed])
        codes = (rng.random(n) < positive).astype(int)
        if kind == "0/1":
            values = rng.integers(0, 2, (n, 1)).astype(float)
        elif kind == "category":
            values = np.eye(20)[rng.integers(0, 20, n)]
        else:
            values = rng.normal(size=(n, 1))
        constant = n - np.bincount(codes).max()
        false += left_out_mistakes(values, codes) <= 0.01 * constant
    assert false == 0


def planted(seed):
    """A table of three columns and a target that one of them tells, in one of several ways."""
    rng = np.random.default_rng(seed)
    n = 150
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "size": rng.normal(size=n),
        }
    )
    labels = rng.choice(["a", "b", "c"], n)
    numbers = rng.normal(size=n)
    ways = [
        (lambda: (frame.assign(leak=np.char.add("is ", labels)), labels)),
        (lambda: (frame.assign(leak=pd.factorize(labels, sort=True)[0]), labels)),
        (lambda: (frame.assign(leak=2.5 * numbers), numbers)),
        (lambda: (frame.assign(leak=np.exp(numbers)), numbers)),
    ]
    return ways[seed % len(ways)]()


@pytest.mark.parametrize("seed", range(20))
def test_planted_leaks_are_found_by_name(seed):
    finding = leak(*planted(seed))
    assert finding is not None
    assert finding.evidence.startswith("The column leak alone")


def test_a_category_is_one_column():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "c"], 120)
    frame = pd.DataFrame({"x": rng.normal(size=120), "copy": np.char.add("class ", y)})
    assert "The column copy" in leak(frame, y).evidence


def test_few_mistakes_of_a_constant_are_no_ground():
    x = np.linspace(0, 1, 100)
    assert leak(np.column_stack([x, np.sin(9 * x)]), x > 0.95) is None


def found_in(X, y, **settings):
    """The finding in data as they are used, or None."""
    problem = prepare_problem(X, y, **settings)
    return next(find_leak(problem, problem.X, problem.targets), None)


def customers(seed, n=400, positive=0.3):
    """A table of plain columns, an event, and a generator."""
    rng = np.random.default_rng([77, seed])
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "size": rng.normal(size=n).round(3),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    return frame, (rng.random(n) < positive).astype(int), rng


def only_where(event, values):
    return pd.Series(values).where(pd.Series(event, dtype=bool))


class TestPresence:
    """Columns that have a value for one class only, whatever the value says."""

    def filled(self, kind, rng, n):
        return {
            "number": rng.normal(size=n),
            "date": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "text": np.array([f"because of matter {i} and more" for i in range(n)], dtype=object),
            "category": rng.choice(["price", "service", "other"], n).astype(object),
        }[kind]

    @pytest.mark.parametrize("kind", ["number", "date", "text", "category"])
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("share", [1.0, 0.7])
    def test_is_found_by_name(self, kind, seed, share):
        frame, y, rng = customers(seed)
        here = (y == 1) & (rng.random(len(y)) < share)
        frame["planted"] = only_where(here, self.filled(kind, rng, len(y)))
        finding = found_in(frame, y)
        assert finding is not None
        assert "column planted" in finding.evidence
        assert "age" not in finding.evidence

    @pytest.mark.parametrize("seed", range(3))
    def test_missing_for_one_class(self, seed):
        frame, y, rng = customers(seed, positive=0.5)
        frame["wage"] = only_where(y == 1, rng.lognormal(3, 0.5, len(y)))
        named = np.array(["out", "employed"])[y]
        assert "Whether the column wage has a value" in found_in(frame, named).evidence

    def test_a_number_that_is_zero_where_a_value_is_missing(self):
        frame, y, rng = customers(0)
        amount = np.where(y == 1, rng.lognormal(3, 1, len(y)), 0.0)
        frame["paid_on"] = only_where(y == 1, rng.normal(size=len(y)))
        assert "Whether the column paid_on has a value" in found_in(frame, amount).evidence

    @pytest.mark.parametrize("seed", range(20))
    def test_values_that_are_missing_at_random_tell_nothing(self, seed):
        frame, y, rng = customers(seed, positive=0.5 if seed % 2 else 0.05)
        for name, share in (("a", 0.02), ("b", 0.5), ("c", 0.97)):
            frame[name] = only_where(rng.random(len(y)) > share, rng.normal(size=len(y)))
        assert found_in(frame, y) is None

    def test_more_often_missing_for_one_class_is_no_leak(self):
        frame, y, rng = customers(1)
        here = rng.random(len(y)) < np.where(y == 1, 0.9, 0.3)
        frame["a"] = only_where(here, rng.normal(size=len(y)))
        assert found_in(frame, y) is None


class TestEnds:
    """Values at the end of a range for one class, and at others for the other."""

    @pytest.mark.parametrize("seed", range(5))
    def test_weeks_until_an_event_or_the_end(self, seed):
        frame, y, rng = customers(seed)
        week = np.where(y == 1, rng.integers(1, 52, len(y)), 52)
        assert "The column week alone" in found_in(frame.assign(week=week), y).evidence
        # A few events in the last week.
        week[np.flatnonzero(y == 1)[:5]] = 52
        frame["week"] = week
        assert "Whether the column week has its largest value, 52" in found_in(frame, y).evidence

    @pytest.mark.parametrize("seed", range(5))
    def test_a_cap_is_no_leak(self, seed):
        frame, y, rng = customers(seed)
        frame["week"] = np.minimum(rng.integers(1, 80, len(y)), 52)
        assert found_in(frame, y) is None


class TestCopies:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("positive", [0.5, 0.3])
    def test_a_copy_that_is_right_in_most_rows(self, seed, positive):
        frame, y, rng = customers(seed, n=1000, positive=positive)
        wrong = rng.permutation(1000)[:18]
        frame["status"] = np.where(np.isin(np.arange(1000), wrong), 1 - y, y)
        evidence = found_in(frame, y).evidence
        assert evidence == "The column status tells the target in 98.2% of the rows."

    def test_a_good_test_is_no_copy(self):
        frame, y, rng = customers(0, n=1000, positive=0.5)
        frame["test"] = np.where(rng.random(1000) < 0.95, y, 1 - y)
        assert found_in(frame, y) is None

    def test_all_of_them_are_named(self):
        frame, _, rng = customers(0)
        y = rng.lognormal(3, 1, len(frame))
        frame["gross"], frame["dollars"] = 1.19 * y, (1.1 * y).round(2)
        finding = found_in(frame, y)
        assert finding.evidence == (
            "The columns gross, dollars each tell the target almost without mistakes."
        )
        assert "they are known" in finding.advice
        assert {"column", "column_2"} <= {*finding.figures}


class TestOfSeveral:
    """Sums, differences, products and ratios."""

    @pytest.mark.parametrize(
        "combine, how",
        [
            (lambda a, b: a + b, "the sum of the columns casual and registered"),
            (lambda a, b: 0.5 * (a - b), "the difference of the columns casual and registered"),
            (lambda a, b: a * b, "the product of the columns casual and registered"),
            (lambda a, b: a / b, "the ratio of the columns casual and registered"),
            (lambda a, b: b / a, "the ratio of the columns registered and casual"),
        ],
        ids=["sum", "difference", "product", "ratio", "inverse"],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_of_two_are_found(self, seed, combine, how):
        frame, _, rng = customers(seed)
        n = len(frame)
        frame["casual"], frame["registered"] = rng.integers(1, 400, (2, n)).astype(float)
        y = np.array(combine(frame["casual"], frame["registered"]))
        y[rng.permutation(n)[: n // 50]] *= 1.5
        finding = found_in(frame, y, task="regression")
        assert finding.evidence == f"The target is {how}, up to a constant and a factor."
        places = {finding.figures["column"], finding.figures["column_2"]}
        names = prepare_problem(frame, y).table.sources
        assert {names[int(place)] for place in places} == {"casual", "registered"}

    def test_a_sum_of_four(self):
        frame, _, rng = customers(0)
        parts = rng.gamma(2, 50, (4, len(frame)))
        y = parts[0] + parts[1] + parts[2] - parts[3]
        frame = frame.assign(**dict(zip("abcd", parts, strict=True)))
        assert "a sum of the columns a, b, c, d" in found_in(frame, y).evidence

    def test_the_larger_of_two(self):
        frame, _, rng = customers(0)
        home, away = rng.poisson(2.5, (2, len(frame)))
        won = np.where(home > away, "home", np.where(home < away, "away", "drawn"))
        found = found_in(frame.assign(home=home, away=away), won)
        assert "Which of the columns home and away is larger" in found.evidence

    @pytest.mark.parametrize("seed", range(10))
    def test_noise_is_no_sum(self, seed):
        frame, _, rng = customers(seed)
        a, b = rng.integers(1, 400, (2, len(frame)))
        frame["a"], frame["b"] = a, b
        assert found_in(frame, a + b + rng.normal(0, 30, len(frame))) is None
        assert found_in(frame, rng.poisson(3, len(frame)), task="regression") is None
        assert found_in(frame, (a + b + rng.normal(0, 100, len(frame)) > 400).astype(int)) is None
