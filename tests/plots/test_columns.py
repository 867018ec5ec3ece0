"""The plots of columns: shares, and effects along columns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from plotting import assert_readable, title
from reldim import diagnose, plots
from reldim.diagnosis.columns import ColumnShare
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


def effect(values, kind="numbers", outputs=("target",), name="x"):
    places = tuple("abcdefgh"[: len(values)]) if kind == "categories" else tuple(range(len(values)))
    lines, low, high = (
        tuple(tuple(float(value) + move for value in values) for _ in outputs)
        for move in (0.0, -1.0, 1.0)
    )
    rows, of_numbers = (10,) * len(values), outputs[0] == "target"
    return Effect(name, kind, places, outputs, lines, low, high, rows, of_numbers)


class TestShares:
    def test_bars_are_the_shares(self, columns):
        display = plots.ColumnsDisplay.from_diagnosis(columns)
        assert_readable(display.ax_)
        widths = [bar.get_width() for bar in display.bars_]
        np.testing.assert_allclose(widths, columns.columns["share"])
        names = [text.get_text().replace("\\", "") for text in display.ax_.get_yticklabels()]
        assert names == columns.columns.index.tolist()
        assert title(display.ax_).endswith("1 column seems not needed")

    def test_many_columns(self):
        shares = [ColumnShare(f"column {j}", 0.02, 0.02, 0.02, 0.5, 0.01) for j in range(50)]
        display = plots.ColumnsDisplay(shares, kept=[row.name for row in shares]).plot()
        assert_readable(display.ax_)
        assert len(display.bars_) == 20
        assert "30 more" in next(text.get_text() for text in display.ax_.texts)

    def test_none_matters(self):
        shares = [ColumnShare(name, 0.5, 0.0, 1.0, 0.5, 0.5) for name in ("a", "b")]
        display = plots.ColumnsDisplay(shares, kept=[]).plot()
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
        with pytest.raises(InputError, match="effects of .*size.*. Got junk instead"):
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

    def test_numbers_are_a_curve_with_a_band(self):
        (ax,) = plots.EffectsDisplay([effect([5, 7, 6], name="size")]).plot().axes_
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [(0, 5), (1, 7), (2, 6)])
        (band,) = ax.collections
        assert (band.get_datalim(ax.transData).y0, band.get_datalim(ax.transData).y1) == (4, 8)
        assert ax.get_xlabel() == "size"

    def test_categories_have_a_dot_each(self):
        dollar = replace(effect([5, 7, 6], "categories"), places=("a", "b", "$c"))
        (ax,) = plots.EffectsDisplay([dollar]).plot().axes_
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b", r"\$c"]
        assert ax.lines[0].get_linestyle() == "None"

    def test_classes_and_dates(self):
        two, three = ("no", "yes"), ("a", "b", "c")
        display = plots.EffectsDisplay(
            [effect([0.1, 0.8], outputs=two), effect([0.1, 0.8], "dates", outputs=three)]
        ).plot()
        assert_readable(*display.axes_)
        assert display.axes_[0].get_ylabel() == "probability of yes"
        assert display.axes_[0].get_legend() is None
        legend = display.axes_[1].get_legend()
        assert [text.get_text() for text in legend.get_texts()] == [*three]

    @pytest.mark.parametrize("count, rows", [(1, 1), (3, 1), (4, 2)])
    def test_panels_are_laid_out_in_rows_of_three(self, count, rows):
        display = plots.EffectsDisplay([effect([1, 2])] * count).plot()
        assert len(display.axes_) == len(display.figure_.axes) == count
        assert len({ax.get_subplotspec().rowspan.start for ax in display.axes_}) == rows

    def test_without_effects(self, nothing):
        with pytest.raises(InputError, match="no effects to draw. No column carries signal"):
            plots.EffectsDisplay.from_diagnosis(nothing)
