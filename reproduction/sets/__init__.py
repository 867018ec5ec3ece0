"""The papers' data sets: from a folder, from packages on PyPI, from scikit-learn."""

from reproduction.sets.catalogue import CATALOGUE, Entry
from reproduction.sets.divided import DividedSet, Resample
from reproduction.sets.folder import data_folder, holds
from reproduction.sets.loaders import load

__all__ = ["CATALOGUE", "DividedSet", "Entry", "Resample", "data_folder", "holds", "load"]
