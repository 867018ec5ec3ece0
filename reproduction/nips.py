"""The toy problem of the NIPS paper, shared by its two figures."""

from reldim import RelevantDimension, datasets
from reproduction.sweep import WIDTHS, choose_width

__all__ = ["ROWS", "SEED", "fit", "toy"]

ROWS, SEED = 100, 0


def toy(n: int, seed: int) -> datasets.Dataset:
    """Draw four overlapping clouds, of which those at opposite corners share a class."""
    return datasets.four_clouds(n, random_state=seed)


def fit(data: datasets.Dataset) -> RelevantDimension:
    """Choose the width by the likelihood, and estimate the dimension."""
    return choose_width(data.X, data.y, WIDTHS)
