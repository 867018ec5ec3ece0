"""What all plots share: names and titles."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reldim import decompose, plots, relevant_dimension
from reldim.kernels import Linear
from reldim.plots import canvas

pytest.importorskip("matplotlib")


class TestCanvas:
    @settings(max_examples=100, deadline=None)
    @given(st.text(max_size=80))
    def test_any_name_can_be_drawn(self, name):
        shown = canvas.literal(name)
        assert "\n" not in shown
        assert len(shown.replace(r"\$", "$")) <= canvas.NAME_CHARACTERS
        assert shown.count("$") == shown.count(r"\$")

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=30))
    def test_titles_are_wrapped_and_complete(self, words):
        _, ax = canvas.pyplot().subplots()
        canvas.headline(ax, " ".join(words))
        lines = ax.get_title(loc="left").split("\n")
        canvas.pyplot().close("all")
        assert " ".join(lines).split() == words
        assert max(map(len, lines)) <= canvas.TITLE_CHARACTERS

    def test_pyplot_holds_what_it_can_show_only(self, monkeypatch):
        plt = canvas.pyplot()
        plt.close("all")
        rd = relevant_dimension(decompose(Linear(), [[1.0], [2.0], [3.0], [5.0]]), [1, 2, 4, 3])
        display = plots.CriterionDisplay.from_relevance(rd)
        display.figure_.savefig(io.BytesIO())
        canvas.several_axes(None, 2, 2, (4.0, 4.0))
        assert plt.get_fignums() == []
        monkeypatch.setattr(plt, "get_backend", lambda: "QtAgg")
        assert plt.fignum_exists(canvas.new_axes()[0].number)
        monkeypatch.undo()
        with plt.ion():
            assert plt.fignum_exists(canvas.new_axes()[0].number)
        plt.close("all")

    def test_whole_numbers_are_grouped(self):
        assert canvas.whole(9999) == "9999"
        assert canvas.whole(1_000_000) == "1\N{THIN SPACE}000\N{THIN SPACE}000"

    def test_percentages(self):
        shown = [canvas._percent(value) for value in (0.0, 1e-10, 3e-8, 1e-5, 0.125, 1.0)]
        assert shown == ["0%", "10⁻⁸%", "3·10⁻⁶%", "0.001%", "12.5%", "100%"]

    @pytest.mark.parametrize("low, high", [(0.0, 1.0), (2.0, 2.0), (0.0, 0.0), (-1e-15, 1e-15)])
    def test_view_holds_the_range_with_some_room(self, low, high):
        bottom, top = canvas.clear_view(low, high)
        assert bottom < low
        assert high < top
