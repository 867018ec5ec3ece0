"""A data set."""

import numpy as np
import pytest

from reldim import datasets
from reldim.exceptions import InputError


def test_unequal_lengths_are_refused():
    with pytest.raises(InputError, match="the same number of rows"):
        datasets.Dataset("d", np.zeros((3, 1)), np.zeros(2))
