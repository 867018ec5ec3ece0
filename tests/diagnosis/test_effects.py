"""Effects: known functions are recovered, in the units and words of the table."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import reldim
from reldim import diagnose
from reldim.diagnosis.effects import Effect, _accumulated, _averaged, _Column, _edges

N = 300


def table(seed=0):
    """Numbers in units of their own, dates, a category with missing values, text, and junk."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "wave": 50 + 10 * rng.normal(size=N),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), "D"),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], N),
            "flag": rng.choice(["yes", "no"], N),
            "junk": rng.normal(size=N),
        }
    )
    frame.loc[rng.permutation(N)[:30], "wave"] = np.nan
    z = (frame["wave"].fillna(50) - 50) / 10
    day = (frame["when"] - pd.Timestamp("2024-01-01")).dt.days
    y = (
        1000
        + np.sin(1.5 * z)
        + day / 150
        + 1.5 * (frame["town"] == "Ulm")
        + (frame["flag"] == "no")
    )
    return frame, y + 0.1 * rng.normal(size=N)


@pytest.fixture(scope="module")
def found():
    return diagnose(*table(), references=False)


def curve(found, name, output="target"):
    effects = found.effects
    return effects[(effects["column"] == name) & (effects["output"] == output)]


class TestKnownFunctions:
    def test_numbers_in_their_unit(self, found):
        wave = curve(found, "wave")
        x = wave["value"].to_numpy(dtype=float)
        assert (x.min(), x.max()) == (pytest.approx(27, abs=5), pytest.approx(73, abs=5))
        expected = np.sin(1.5 * (x - 50) / 10)
        middle = slice(1, -1)
        actual = wave["effect"].to_numpy()
        shift = (actual - expected)[middle].mean()
        np.testing.assert_allclose(actual[middle] - shift, expected[middle], atol=0.2)
        # Around the mean of the target, not around zero.
        assert 1000 < actual.mean() < 1004

    def test_dates(self, found):
        when = curve(found, "when")
        days = np.array([(one - pd.Timestamp("2024-01-01")).days for one in when["value"]])
        slope = np.polyfit(days, when["effect"], 1)[0]
        assert slope == pytest.approx(1 / 150, rel=0.15)
        # A day is a day, not a second before it.
        assert {one.hour for one in when["value"]} == {0}

    def test_categories(self, found):
        town = curve(found, "town").set_index("value")["effect"]
        assert town["Ulm"] - town["Bonn"] == pytest.approx(1.5, abs=0.2)
        assert town["Kiel"] - town["Bonn"] == pytest.approx(0.0, abs=0.2)
        flag = curve(found, "flag").set_index("value")["effect"]
        assert {*flag.index} == {"yes", "not yes"}
        assert flag["not yes"] - flag["yes"] == pytest.approx(1.0, abs=0.2)

    def test_the_band_holds_most_of_the_truth(self, found):
        wave = curve(found, "wave")
        truth = np.sin(1.5 * (wave["value"].to_numpy(dtype=float) - 50) / 10)
        truth += (wave["effect"].to_numpy() - truth)[1:-1].mean()
        assert ((wave["low"] <= wave["effect"]) & (wave["effect"] <= wave["high"])).all()
        assert ((wave["low"] < truth) & (truth < wave["high"])).mean() > 0.6
        assert (wave["high"] - wave["low"]).median() < 0.6

    def test_only_columns_that_matter(self, found):
        assert {*found.effects["column"]} == {"wave", "when", "town", "flag"}

    def test_columns_that_go_together_keep_their_slopes(self):
        """Partial dependence would ask for rows far from the data, and see flat ends."""
        rng = np.random.default_rng(1)
        X = rng.normal(size=(300, 1)) + 0.3 * rng.normal(size=(300, 2))
        found = diagnose(X, 2 * X[:, 0] - X[:, 1] + 0.05 * rng.normal(size=300), references=False)
        for name, slope in (("0", 2.0), ("1", -1.0)):
            one = curve(found, name).iloc[2:-2]
            assert np.polyfit(one["value"].astype(float), one["effect"], 1)[0] == pytest.approx(
                slope, abs=0.25
            )


def test_probabilities_of_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.digitize(X[:, 0] + 0.2 * rng.normal(size=200), [-0.5, 0.5])
    found = diagnose(X, np.array(["low", "middle", "high"])[y], references=False)
    effects = found.effects
    assert {*effects["output"]} == {"low", "middle", "high"}
    figures = effects[["effect", "low", "high"]].to_numpy()
    assert ((figures >= 0) & (figures <= 1)).all()
    ends = effects[effects["column"] == "0"].groupby("output")["effect"].agg(["first", "last"])
    assert ends.loc["low", "first"] > ends.loc["low", "last"] + 0.6
    assert ends.loc["high", "last"] > ends.loc["high", "first"] + 0.6


class TestOracle:
    """The fast code against sums over single rows."""

    def column(self, X, kind="numbers"):
        edges = _edges(X[:, 0])
        rows = np.array([np.flatnonzero(X[:, 0] == edge)[0] for edge in edges])
        inside = (X[:, 0] >= edges[0]) & (X[:, 0] <= edges[-1])
        place = np.where(inside, np.maximum(np.searchsorted(edges, X[:, 0]), 1), -1)
        return _Column("x", kind, np.array([0]), place, rows, tuple(edges)), edges

    @staticmethod
    def fit(X):
        return np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1] ** 2, X[:, 0] * X[:, 1]])

    def test_accumulated(self):
        X = np.random.default_rng(0).normal(size=(150, 2))
        column, edges = self.column(X)
        centre, curve = _accumulated(column, self.fit, X)
        steps = [np.zeros(2)]
        for low, high in pairwise(edges):
            inside = [
                row for row in X if low < row[0] <= high or (low == edges[0] and row[0] == low)
            ]
            changes = [
                self.fit(np.array([[high, row[1]]]))[0] - self.fit(np.array([[low, row[1]]]))[0]
                for row in inside
            ]
            steps.append(np.mean(changes, axis=0))
        sums = np.cumsum(steps, axis=0)
        np.testing.assert_allclose(curve - curve[0], sums, atol=1e-12)
        np.testing.assert_allclose(centre, self.fit(X).mean(axis=0))
        # Of an additive function the effect is its own part.
        expected = np.sin(3 * edges)
        np.testing.assert_allclose(curve[:, 0] - curve[0, 0], expected - expected[0], atol=1e-12)

    def test_averaged(self):
        X = np.random.default_rng(0).normal(size=(50, 2))
        X[:, 0] = np.arange(50) % 3
        column, _ = self.column(X, "categories")
        centre, values = _averaged(column, self.fit, X)
        for number, place in enumerate((0.0, 1.0, 2.0)):
            direct = [self.fit(np.array([[place, row[1]]]))[0] for row in X]
            np.testing.assert_allclose(centre + values[number], np.mean(direct, axis=0))


class TestBounds:
    def test_json(self, found):
        plain = found.to_dict()["effects"]
        assert json.loads(json.dumps(plain)) == plain
        assert len(plain) <= 12
        for effect in plain:
            assert len(effect["places"]) == len(effect["values"][0]) == len(effect["rows"]) <= 21
        assert next(e for e in plain if e["name"] == "town")["kind"] == "categories"

    def test_nothing_without_shares(self):
        rng = np.random.default_rng(0)
        none = diagnose(rng.normal(size=(60, 3)), rng.normal(size=60), references=False)
        assert none.effects.empty
        assert none.to_dict()["effects"] == []

    def test_the_order_of_rows_does_not_matter(self, found):
        frame, y = table()
        order = np.random.default_rng(1).permutation(N)
        other = diagnose(frame.iloc[order], y.iloc[order], references=False)
        pd.testing.assert_frame_equal(other.effects, found.effects, rtol=1e-3)

    def test_saved_with_the_diagnosis(self, found, tmp_path):
        found.save(tmp_path / "found.reldim")
        again = reldim.load(tmp_path / "found.reldim")
        pd.testing.assert_frame_equal(again.effects, found.effects)

    def test_columns_of_two_values_and_text(self):
        rng = np.random.default_rng(0)
        words = ["red car", "blue dog", "green bird", "small cat"]
        frame = pd.DataFrame({"switch": rng.integers(0, 2, 120), "x": rng.normal(size=120)})
        frame["text"] = [" ".join(rng.choice(words, 3)) + f" {i}" for i in range(120)]
        y = 2.0 * frame["switch"] + frame["x"] + frame["text"].str.count("dog")
        found = diagnose(frame, y + 0.1 * rng.normal(size=120), references=False)
        switch = curve(found, "switch")
        assert switch["value"].tolist() == [0, 1]
        assert np.diff(switch["effect"])[0] == pytest.approx(2.0, abs=0.4)
        # Text has shares, but no order along which a curve could be drawn.
        assert "text" in found.columns.index
        assert "text" not in {*found.effects["column"]}


class TestFinding:
    """What happens along a column, in a few words."""

    @staticmethod
    def effect(outputs, *values, kind="numbers", places=(1.0, 2.0, 3.0)):
        numbers, rows = outputs[0].startswith("target"), (5, 5, 5)
        return Effect(
            "size", kind, places, outputs, values, values, values, rows, of_numbers=numbers
        )

    def test_of_several_classes_the_one_that_changes_most_is_named(self):
        found = self.effect(("a", "b", "c"), (0.4, 0.5, 0.6), (0.5, 0.3, 0.1), (0.1, 0.2, 0.3))
        assert found.finding == "size: b falls from 0.5 to 0.1"

    @pytest.mark.parametrize("outputs", [("a", "b"), ("a", "b", "c")])
    def test_probabilities_that_hardly_change(self, outputs):
        shares = [(0.3, 0.31, 0.32), (0.4, 0.41, 0.42), (0.3, 0.28, 0.26)]
        found = self.effect(outputs, *shares[: len(outputs)])
        assert found.finding == "size: changes little by itself"

    def test_small_numbers_are_not_called_little(self):
        found = self.effect(("target",), (0.001, 0.002, 0.003))
        assert found.finding == "size: the target rises from 0.001 to 0.003"

    def test_several_targets(self):
        found = self.effect(("target 0", "target 1"), (1.0, 2.0, 3.0), (3.0, 2.0, 1.0))
        assert found.finding == "size: what the targets do"


def test_a_class_may_be_called_target():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 0, "target", "unknown")
    (curve, *_) = diagnose(X, y, references=False).effect_curves
    assert not curve.of_numbers
    assert curve.quantity == "probability of unknown"
