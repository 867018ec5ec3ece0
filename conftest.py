"""All tests and examples: no figure is shown or left open, and chance is reproducible."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# No window may open, whatever the machine has; set before anything imports matplotlib.
os.environ["MPLBACKEND"] = "agg"

# A gate must not fail by chance, nor because the machine is busy. `make test-random` looks for what
# these examples do not show; what it finds becomes an @example.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "reproducible"))


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
