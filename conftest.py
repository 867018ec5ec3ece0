"""All tests and examples: no figure is shown or left open, and chance is reproducible."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

#: Folders of tests that look at how data come in and results go out, not at what models err.
PLUMBING = {"cli", "files", "inputs", "plots", "reliability", "report", "tables"}

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


@pytest.fixture(autouse=True, scope="module")
def _small_models(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give tests of the plumbing smaller models, which take less time.

    Modules elsewhere ask for them by the marker `small`; the marker `whole` leaves the models as
    users get them.
    """
    marked = request.node.get_closest_marker
    if not marked("small") and (request.path.parent.name not in PLUMBING or marked("whole")):
        yield
        return
    from reldim.diagnosis import references
    from reldim.search import blend

    few = (blend.Member("product"), blend.Member("gaussian", equal=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(references, "TREES", 5)
        patch.setattr(references, "ROUNDS", 5)
        patch.setattr(blend, "PENALTIES", blend.PENALTIES[:2])
        patch.setattr(blend, "COSTS", blend.COSTS[:2])
        patch.setitem(blend.cross_fit.__kwdefaults__, "members", few)
        yield
