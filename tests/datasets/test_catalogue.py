"""The catalogue of data sets."""

from reldim import datasets
from reldim.datasets import packages


def test_entries_can_be_loaded_from_somewhere():
    for name, entry in datasets.entries().items():
        assert entry.name == name
        assert entry.files or entry.package
        assert not entry.package or name in packages._READERS
