"""What every plot must have: labels on its axes, and a title that says the finding."""

import warnings

from reldim.plots import canvas


def title(ax):
    return ax.get_title(loc="left").replace("\n", " ")


def assert_readable(*axes):
    """Check what every plot must have, by drawing it."""
    for ax in axes:
        assert ax.get_xlabel(), "the x axis has no label"
        assert ax.get_ylabel(), "the y axis has no label"
        assert title(ax), "the title says nothing"
        assert max(map(len, ax.get_title(loc="left").split("\n"))) <= canvas.TITLE_CHARACTERS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes[0].figure.canvas.draw()
