"""Levels: one spelling each, and a column each where there are many."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder

import reldim
from reldim.tables.levels import frequent_levels, indicators, joined_levels, recurring_levels
from reldim.tables.preparation import TableEncoder, prepare_table

pytest.importorskip("skrub")


def careless(seed, levels=("Yes", "No"), n=120):
    """Levels of which a third have other capitals or blanks; and the levels."""
    rng = np.random.default_rng(seed)
    meant = rng.choice(levels, n)
    cells = [
        rng.choice([str.upper, str.lower, lambda text: f" {text} "])(text) if odd else text
        for text, odd in zip(meant.tolist(), rng.random(n) < 0.33, strict=True)
    ]
    return pd.Series(cells, name="a"), meant


@pytest.mark.parametrize("seed", range(5))
def test_spellings_are_joined_and_counted(seed):
    cells, meant = careless(seed)
    table = prepare_table(pd.DataFrame({"a": cells, "x": np.arange(len(cells))}), scale=False)
    assert table.feature_names == ("a = Yes", "x")
    np.testing.assert_array_equal(table.X[:, 0], meant == "Yes")
    assert [odd.count for odd in table.odd] == [int((cells != meant).sum())]
    assert table.steps[0].startswith("Joined levels of a: ")
    new = table.transformer.transform(pd.DataFrame({"a": ["yES", "no"], "x": [0, 0]}))
    assert new[:, 0].tolist() == [1, 0]


@pytest.mark.parametrize(
    "cells",
    [
        ["a", "b"] * 10,
        [" a", " b"] * 10,  # how the file is written
        ["a", "A"] * 10,  # one level would be left
        [f"Text {i}" for i in range(19)] + ["text 1"],  # no category
        [1, 2] * 10,
    ],
)
def test_what_is_left_as_it_is(cells):
    assert joined_levels(pd.Series(cells)) is None


def shops(seed, levels=300, n=1500):
    """A number, a category of many levels, and a target that both tell."""
    rng = np.random.default_rng(seed)
    names = [f"{rng.integers(1000, 9999)}-{i}" for i in range(levels)]
    worth = rng.normal(size=levels)
    code, x = rng.integers(0, levels, n), rng.normal(size=n)
    y = worth[code] + x + 0.3 * rng.normal(size=n)
    return pd.DataFrame({"shop": [names[i] for i in code], "x": x}), y


def test_many_levels_have_a_column_each_and_count_as_one():
    X, _ = shops(0)
    table = prepare_table(X)
    own = [j for j, source in enumerate(table.sources) if source == "shop"]
    assert len(own) > 250
    assert table.X[:, own].var(axis=0).sum() == pytest.approx(1.0)
    # All levels are equally far from each other.
    apart = {round(float(np.ptp(table.X[:, j])), 9) for j in own}
    assert len(apart) == 1
    role = next(role for role in table.roles if role.column == "shop")
    assert (role.role, role.reason) == ("category", "many levels that recur")


@pytest.mark.slow
def test_many_levels_are_learned_as_by_means_that_are_shrunken():
    X, y = shops(0, levels=150, n=1200)
    train, test = np.arange(600), np.arange(600, 1200)
    encoded = make_column_transformer((TargetEncoder(), ["shop"]), remainder="passthrough")
    trees = make_pipeline(encoded, HistGradientBoostingRegressor(random_state=0))
    theirs = trees.fit(X.iloc[train], y[train]).predict(X.iloc[test])
    model = reldim.diagnose(X.iloc[train], y[train], references=False).predictor()
    ours = np.asarray(model.predict(X.iloc[test]))
    assert np.mean((ours - y[test]) ** 2) < np.mean((theirs - y[test]) ** 2)


def test_new_levels_are_like_no_other():
    X, _ = shops(0)
    encoder = TableEncoder(scale=False).fit(X)
    new = encoder.transform(pd.DataFrame({"shop": ["never seen"], "x": [0.0]}))
    assert new.tolist() == [[0.0] * (len(encoder.feature_names_) - 1) + [0.0]]


def test_rare_levels_have_no_column():
    column = pd.Series(["a", "a", "b", None])
    assert frequent_levels(column) == ("a",)
    np.testing.assert_array_equal(indicators(column, ("a",))[:, 0], [1, 1, 0, np.nan])


def test_text_that_hardly_recurs_is_no_category():
    assert not recurring_levels(pd.Series([f"a note on {i}" for i in range(300)]))
