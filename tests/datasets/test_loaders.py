"""Data sets by name."""

import pytest

from reldim import datasets
from reldim.exceptions import InputError


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="banana"):
        datasets.load("bananarama")
    with pytest.raises(InputError, match="source"):
        datasets.load("wdbc", source="web")
    with pytest.raises(InputError, match="scikit-learn only"):
        datasets.load("wdbc", source="folder")
