"""Data sets: generated ones with a known truth, and loaders of real ones."""

from reldim.datasets.catalogue import Entry, entries
from reldim.datasets.classes import bananas, four_clouds, mixture, ringnorm, twonorm, waveform
from reldim.datasets.dataset import Dataset, Resample
from reldim.datasets.folder import data_folder
from reldim.datasets.generators import gaussian_regression, noisy_sinc, sine
from reldim.datasets.loaders import load

__all__ = [
    "Dataset",
    "Entry",
    "Resample",
    "bananas",
    "data_folder",
    "entries",
    "four_clouds",
    "gaussian_regression",
    "load",
    "mixture",
    "noisy_sinc",
    "ringnorm",
    "sine",
    "twonorm",
    "waveform",
]
