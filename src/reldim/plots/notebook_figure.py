"""A figure that a notebook shows once. This module imports matplotlib, and is imported late."""

from typing import NoReturn

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]


class NotebookFigure(Figure):
    """A figure that a notebook shows once, although a call returns it.

    A notebook shows the value of the last line of a cell, and then the figures that pyplot holds.
    What has been shown is no longer held.
    """

    def _ipython_display_(self) -> NoReturn:
        # Windows of other back ends stay open.
        if "inline" in mpl.get_backend():
            plt.close(self)
        raise NotImplementedError  # IPython then shows it as any other figure.
