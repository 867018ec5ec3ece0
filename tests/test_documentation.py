"""The reference lists every public name."""

from pathlib import Path
from types import ModuleType

import pytest

import reldim
from reldim import cutoffs, datasets, kernels, plots, theory

REFERENCE = Path(__file__).parents[1] / "docs" / "api.md"
MODULES = [reldim, cutoffs, datasets, kernels, plots, theory]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_reference_lists_every_public_name(module):
    listed = {line.strip() for line in REFERENCE.read_text(encoding="utf-8").splitlines()}
    public = {name for name in module.__all__ if not name.startswith("_")}
    values = {name for name in public if not isinstance(getattr(module, name), ModuleType)}
    assert values <= listed, f"add to docs/api.md: {sorted(values - listed)}"
