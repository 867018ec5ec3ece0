"""A figure that a notebook shows once."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

from reldim.plots.notebook_figure import NotebookFigure


def test_a_notebook_shows_it_once(monkeypatch):
    figure = plt.figure(FigureClass=NotebookFigure)
    # IPython shows the value of a cell where this raises, then what pyplot holds.
    with pytest.raises(NotImplementedError):
        figure._ipython_display_()
    assert plt.fignum_exists(figure.number), "windows stay open"
    monkeypatch.setattr(mpl, "get_backend", lambda: "inline")
    with pytest.raises(NotImplementedError):
        figure._ipython_display_()
    assert not plt.fignum_exists(figure.number)
