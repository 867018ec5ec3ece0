"""Columns that tell the target: the planted ones are found by name, and no others."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim import diagnose, kernels
from reldim.diagnosis.leaks import left_out_mistakes, left_out_variance

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
