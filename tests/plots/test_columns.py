"""The plots of columns: shares, and effects along columns."""

import numpy as np
import pandas as pd
import pytest

from plotting import assert_readable, title
from reldim import diagnose, plots
from reldim.diagnosis.effects import Effect
from reldim.exceptions import InputError

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["$size$", "wave", "junk"])
    frame["kind"] = rng.choice(["a", "b"], 120)
    y = 2 * frame["$size$"] + np.sin(2 * frame["wave"]) + 2 * (frame["kind"] == "b")
    return diagnose(frame, y + 0.1 * rng.normal(size=120), references=False)


def effect(values, kind="numbers", outputs=("target",)):
    places = tuple("abcdefgh"[: len(values)]) if kind == "categories" else tuple(range(len(values)))
    lines = tuple(tuple(map(float, values)) for _ in outputs)
    return Effect(
        "x", kind, places, outputs, lines, lines, lines, (1,) * len(values), outputs[0] == "target"
    )


class TestShares:
    def test_bars_are_the_shares(self, columns):
        display = plots.ColumnsDisplay.from_diagnosis(columns)
        assert_readable(display.ax_)
        widths = [bar.get_width() for bar in display.bars_]
        np.testing.assert_allclose(widths, columns.columns["share"])
        names = [text.get_text().replace("\\", "") for text in display.ax_.get_yticklabels()]
        assert names == columns.columns.index.tolist()
        assert title(display.ax_).endswith("1 column can be dropped")

    def test_many_columns(self):
        share = np.full(50, 0.02)
        names = [f"column {j}" for j in range(50)]
        display = plots.ColumnsDisplay(names=names, share=share, low=share, high=share).plot()
        assert_readable(display.ax_)
        assert len(display.bars_) == 20
        assert "30 more" in next(text.get_text() for text in display.ax_.texts)

    def test_none_matters(self):
        display = plots.ColumnsDisplay(
            names=["a", "b"], share=[0.5, 0.5], low=[0, 0], high=[1, 1], matters=[False, False]
        ).plot()
        assert title(display.ax_) == "No column matters beyond chance"

    def test_without_shares(self, nothing):
        with pytest.raises(InputError, match="No column carries signal"):
            plots.ColumnsDisplay.from_diagnosis(nothing)


class TestEffects:
    def test_one_panel_per_column(self, columns):
        display = plots.EffectsDisplay.from_diagnosis(columns)
        assert_readable(*display.axes_)
        assert len(display.axes_) == 3
        for ax, curve in zip(display.axes_, columns.effect_curves, strict=True):
            if curve.kind == "numbers":
                np.testing.assert_allclose(ax.lines[0].get_ydata(), curve.values[0])

    def test_columns_by_name_on_given_axes(self, columns):
        from matplotlib import pyplot as plt

        _, ax = plt.subplots()
        display = plots.EffectsDisplay.from_diagnosis(columns, ["wave"], ax=ax)
        assert display.axes_[0] is ax
        with pytest.raises(InputError, match="Got junk"):
            plots.EffectsDisplay.from_diagnosis(columns, ["junk"])

    @pytest.mark.parametrize(
        "values, kind, said",
        [
            ([1, 2, 4], "numbers", "rises from 1 to 4"),
            ([4, 2, 1], "numbers", "falls from 4 to 1"),
            ([1, 5, 2], "numbers", "rises, then falls"),
            ([4, 1, 5], "numbers", "falls, then rises"),
            ([3, 1, 5, 2], "numbers", "rises and falls"),
            ([1, 5, 2], "categories", "highest for b"),
        ],
    )
    def test_titles(self, values, kind, said):
        display = plots.EffectsDisplay([effect(values, kind)]).plot()
        assert_readable(*display.axes_)
        assert said in title(display.axes_[0])

    def test_classes_and_dates(self):
        two, three = ("no", "yes"), ("a", "b", "c")
        display = plots.EffectsDisplay(
            [effect([0.1, 0.8], outputs=two), effect([0.1, 0.8], "dates", outputs=three)]
        ).plot()
        assert_readable(*display.axes_)
        assert display.axes_[0].get_ylabel() == "probability of yes"
        assert len(display.axes_[1].get_legend().get_texts()) == 3

    def test_without_effects(self, nothing):
        with pytest.raises(InputError, match="No column carries signal"):
            plots.EffectsDisplay.from_diagnosis(nothing)
