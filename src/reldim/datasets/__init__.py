"""Data sets that are generated, so that the truth behind them is known."""

from reldim.datasets.classes import bananas, four_clouds, mixture, ringnorm, twonorm, waveform
from reldim.datasets.dataset import Dataset
from reldim.datasets.generators import gaussian_regression, noisy_sinc, sine

__all__ = [
    "Dataset",
    "bananas",
    "four_clouds",
    "gaussian_regression",
    "mixture",
    "noisy_sinc",
    "ringnorm",
    "sine",
    "twonorm",
    "waveform",
]
