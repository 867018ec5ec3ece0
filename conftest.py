"""Plots in tests and examples: nothing is shown, and no figure is left open."""

import os
import sys
from collections.abc import Iterator

import pytest

# No window may open, whatever the machine has; set before anything imports matplotlib.
os.environ["MPLBACKEND"] = "agg"


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
