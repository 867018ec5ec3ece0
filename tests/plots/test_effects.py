"""Panels of effects: curves of numbers and dates, dots of categories."""

from types import SimpleNamespace

import numpy as np
import pytest

from plotting import assert_readable
from reldim.diagnosis.effects import Effect
from reldim.exceptions import InputError
from reldim.plots import EffectsDisplay

ENDS = ((4.0, 6.0, 5.0),), ((6.0, 8.0, 7.0),)


def effect(name="size", kind="numbers", places=(1.0, 2.0, 3.0), outputs=("target",)):
    values, low, high = (tuple(part * len(outputs)) for part in (((5.0, 7.0, 6.0),), *ENDS))
    return Effect(
        name, kind, places, outputs, values, low, high, (10, 10, 10), outputs[0] == "target"
    )


def test_numbers_are_a_curve_with_a_band():
    display = EffectsDisplay([effect()]).plot()
    (ax,) = display.axes_
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [(1, 5), (2, 7), (3, 6)])
    assert len(ax.collections) == 1
    assert ax.get_xlabel() == "size"
    assert_readable(ax)


def test_categories_have_a_dot_each():
    (ax,) = EffectsDisplay([effect(kind="categories", places=("a", "b", "$c"))]).plot().axes_
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b", r"\$c"]
    assert ax.lines[0].get_linestyle() == "None"


def test_several_classes_have_a_legend():
    display = EffectsDisplay([effect(outputs=("red", "green", "blue"))]).plot()
    legend = display.axes_[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["red", "green", "blue"]


@pytest.mark.parametrize("count, rows", [(1, 1), (3, 1), (4, 2)])
def test_one_panel_per_column(count, rows):
    display = EffectsDisplay([effect(f"c{i}") for i in range(count)]).plot()
    assert len(display.axes_) == len(display.figure_.axes) == count
    assert len({round(ax.get_subplotspec().rowspan.start) for ax in display.axes_}) == rows


def test_columns_without_effects_are_refused():
    diagnosis = SimpleNamespace(effect_curves=[effect("a"), effect("b")], columns_note="")
    assert [one.name for one in EffectsDisplay.from_diagnosis(diagnosis, ["b"]).effects] == ["b"]
    with pytest.raises(InputError, match="effects of a, b. Got c instead"):
        EffectsDisplay.from_diagnosis(diagnosis, ["c"])
    nothing = SimpleNamespace(effect_curves=[], columns_note="Too few rows.")
    with pytest.raises(InputError, match=r"no effects to draw. Too few rows\."):
        EffectsDisplay.from_diagnosis(nothing)
