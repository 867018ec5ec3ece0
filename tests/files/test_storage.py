"""Storage: what is saved comes back the same, what cannot be saved is refused, no code is run."""

import datetime as dt
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import reldim
from reldim import cutoffs, kernels
from reldim.exceptions import FileError, InputError, InputTypeError
from reldim.files.container import read_container
from reldim.tables import text_columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NUMBERS = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=60)
LABELS = np.where(NUMBERS > 0, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
FRAME = pd.DataFrame(X, columns=list("abc"))
SEQUENCES = ["".join(row) for row in RNG.choice(list("ACGT"), size=(40, 8))]
TABLE = FRAME.assign(
    site=RNG.choice(["u", "v", "w"], 60),
    kind=pd.Categorical(RNG.choice(["k", "l"], 60)),
    day=pd.date_range("2024-01-01", periods=60),
    moment=pd.date_range("2024-01-01", periods=60, tz="Europe/Berlin"),
    born=[dt.date(1990 + i % 7, 1, 1 + i % 28) for i in range(60)],
    text=[f"these are the words {i % 50} and {i * i % 37}" for i in range(60)],
    share=[f"{value:.1f}%" for value in X[:, 0]],
    flag=X[:, 1] > 0,
    mixed=[i if i % 2 else f"n{i % 4}" for i in range(60)],
)
TABLE.loc[3, "a"] = np.nan
TABLE.loc[4, "site"] = None
GAUSSIAN = kernels.Gaussian(2.0)
DIAGNOSES = {
    "two classes": (X, LABELS, {}),
    "three classes": (X, THREE, {"kernels": "gaussian"}),
    "numbers": (X, NUMBERS, {"criterion": "leave-one-out", "kernels": [GAUSSIAN]}),
    "two outputs": (X, np.column_stack([NUMBERS, X[:, 1]]), {"kernels": [GAUSSIAN]}),
    "noise": (X, RNG.normal(size=60), {"kernels": [GAUSSIAN]}),
    "frame": (FRAME, LABELS, {"kernels": [GAUSSIAN]}),
    "table": (TABLE, LABELS, {"kernels": [kernels.Gaussian(20.0)]}),
    "sequences": (SEQUENCES, LABELS[:40], {}),
    "sparse": (sparse.csr_array(X * (X > 0)), LABELS, {"kernels": [GAUSSIAN]}),
    "list": (X.tolist(), NUMBERS.tolist(), {"kernels": [GAUSSIAN]}),
    "precomputed": (GAUSSIAN(X), LABELS, {"kernels": kernels.Precomputed()}),
    "composed": (X, LABELS, {"kernels": {"sum": 2.0 * GAUSSIAN + kernels.Linear().normalized()}}),
    "weights": (X, LABELS, {"kernels": kernels.ARDGaussian((1.0, 0.5, 0.0))}),
    "low rank": (X, NUMBERS, {"solver": "lowrank", "kernels": [kernels.Gaussian(20.0)]}),
    "single precision": (X.astype(np.float32), NUMBERS, {"kernels": [GAUSSIAN]}),
}
MODELS = {
    "PC regressor": (reldim.KernelPCRegressor(), X, NUMBERS),
    "PC rule": (
        reldim.KernelPCRegressor(GAUSSIAN, dimension=cutoffs.CrossValidated(), ridge=0.01),
        X,
        NUMBERS,
    ),
    "PC classifier": (reldim.KernelPCClassifier([GAUSSIAN, "linear"]), FRAME, LABELS),
    "ridge regressor": (reldim.KernelRidgeRegressor(GAUSSIAN, alphas=[0.1, 0.01]), X, NUMBERS),
    "ridge classifier": (reldim.KernelRidgeClassifier(GAUSSIAN, center=True), X, THREE),
    "GP": (reldim.LowRankGPClassifier(GAUSSIAN), X, THREE),
    "GP regressor": (reldim.LowRankGPRegressor(GAUSSIAN), X, NUMBERS),
    "kernel PCA": (reldim.RelevantKernelPCA(GAUSSIAN), X, NUMBERS),
    "pipeline": (make_pipeline(StandardScaler(), reldim.KernelPCRegressor(GAUSSIAN)), X, NUMBERS),
    "DNA": (make_pipeline(reldim.DNAOneHot(), reldim.KernelPCClassifier()), SEQUENCES, THREE[:40]),
}


def there_and_back(value, folder):
    reldim.save(value, folder / "value.reldim")
    return reldim.load(folder / "value.reldim")


@pytest.mark.parametrize("name", DIAGNOSES)
class TestDiagnoses:
    @pytest.fixture
    def both(self, name, tmp_path):
        data, y, options = DIAGNOSES[name]
        diagnosis = reldim.diagnose(data, y, **options)
        diagnosis.save(tmp_path / "d.reldim")
        return diagnosis, reldim.load(tmp_path / "d.reldim"), data

    def test_all_figures_are_the_same_to_the_bit(self, both):
        diagnosis, again, data = both
        assert again.to_dict() == diagnosis.to_dict()
        assert str(again) == str(diagnosis)
        pd.testing.assert_frame_equal(again.candidates, diagnosis.candidates, check_exact=True)
        rd, rd_again = diagnosis.relevance, again.relevance
        np.testing.assert_array_equal(rd_again.denoised, rd.denoised)
        np.testing.assert_array_equal(rd_again.leave_one_out, rd.leave_one_out)
        np.testing.assert_array_equal(
            again.predictor().predict(data), diagnosis.predictor().predict(data)
        )
        assert again.predictor().predict(data).dtype == diagnosis.predictor().predict(data).dtype

    def test_eigenvectors_beyond_the_relevant_ones_are_computed_again(self, both):
        diagnosis, again, _ = both
        spectrum, spectrum_again = diagnosis.relevance.spectrum, again.relevance.spectrum
        count = min(spectrum.rank, diagnosis.dimension + 2)
        first, second = (s.basis.vectors(count) for s in (spectrum, spectrum_again))
        scale = 1e-4 if first.dtype == np.float32 else 1e-8
        np.testing.assert_allclose(np.abs(first.T @ second).diagonal(), 1.0, atol=scale)
        y = diagnosis.relevance.targets.values
        energies = [np.abs(s.project(y))[:count] for s in (spectrum, spectrum_again)]
        np.testing.assert_allclose(*energies, atol=scale * np.linalg.norm(y))


@pytest.mark.parametrize("name", MODELS)
def test_models_answer_the_same_to_the_bit(name, tmp_path):
    model, data, y = MODELS[name]
    model.fit(data, y)
    again = there_and_back(model, tmp_path)
    assert repr(again) == repr(model)
    methods = ("predict", "predict_proba", "decision_function", "transform")
    asked = [method for method in methods if hasattr(model, method)]
    assert asked
    for method in asked:
        expected, found = getattr(model, method)(data), getattr(again, method)(data)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_the_columns_of_a_frame_are_still_compared(tmp_path):
    again = there_and_back(reldim.KernelPCClassifier(GAUSSIAN).fit(FRAME, LABELS), tmp_path)
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(FRAME.rename(columns={"a": "z"}))


def test_the_same_value_gives_the_same_file(tmp_path):
    model = reldim.KernelPCRegressor(GAUSSIAN).fit(X, NUMBERS)
    reldim.save(model, tmp_path / "a.reldim")
    reldim.save(reldim.load(tmp_path / "a.reldim"), tmp_path / "b.reldim")
    assert (tmp_path / "a.reldim").read_bytes() == (tmp_path / "b.reldim").read_bytes()


def test_every_array_is_stored_once(tmp_path):
    """A diagnosis holds its rows in many places: as given, as prepared, and as landmarks."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 100))
    diagnosis = reldim.diagnose(rows, rows[:, 0] + rows[:, 1] ** 2, references=False)
    diagnosis.save(tmp_path / "d.reldim")
    stored = read_container(tmp_path / "d.reldim").arrays
    assert len({array.tobytes() for array in stored}) == len(stored)
    # As given, and as prepared: no third time.
    assert sum(array.shape == rows.shape for array in stored) <= 2
    again = reldim.load(tmp_path / "d.reldim")
    np.testing.assert_array_equal(
        again.predictor().predict(rows), diagnosis.predictor().predict(rows)
    )


def test_landmarks_are_rows_of_the_data(tmp_path):
    diagnosis = reldim.diagnose(X, NUMBERS, solver="lowrank", kernels=[kernels.Gaussian(20.0)])
    landmarks = diagnosis.relevance.spectrum.landmarks
    diagnosis.save(tmp_path / "d.reldim")
    stored = read_container(tmp_path / "d.reldim").arrays
    assert not any(np.array_equal(array, landmarks) for array in stored)
    again = reldim.load(tmp_path / "d.reldim").relevance.spectrum
    np.testing.assert_array_equal(again.landmarks, landmarks)
    before = diagnosis.relevance.spectrum.extension(diagnosis.dimension)
    for stored, whole in zip(again.extension(diagnosis.dimension), before, strict=True):
        np.testing.assert_array_equal(stored, whole)


def test_an_existing_file_is_kept_unless_asked(tmp_path):
    model = reldim.KernelPCRegressor(GAUSSIAN).fit(X, NUMBERS)
    path = tmp_path / "a.reldim"
    path.write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        reldim.save(model, path)
    assert path.read_text() == "mine"
    reldim.save(model, path, overwrite=True)
    assert reldim.load(path).dimension_ == model.dimension_


class TestRefusals:
    @pytest.mark.parametrize(
        "make, message",
        [
            (lambda: 3, "takes a diagnosis, a fitted estimator or a pipeline. Got int"),
            (
                lambda: reldim.KernelPCRegressor(lambda A, B: A @ B.T).fit(X, NUMBERS),
                "would need code in the file",
            ),
            (
                lambda: reldim.diagnose(X, NUMBERS, kernels=lambda A, B: A @ B.T),
                r"Function\(<lambda>\) cannot be saved",
            ),
            (
                lambda: make_pipeline(StandardScaler(), SVC()).fit(X, LABELS),
                "step of type SVC cannot be saved",
            ),
            (
                lambda: reldim.KernelPCRegressor(
                    GAUSSIAN, random_state=np.random.default_rng(0)
                ).fit(X, NUMBERS),
                "type Generator cannot be saved",
            ),
        ],
        ids=["number", "function", "diagnosis", "step", "generator"],
    )
    def test_what_cannot_be_saved(self, make, message, tmp_path):
        value = make()
        with pytest.raises(InputTypeError, match=message):
            reldim.save(value, tmp_path / "a.reldim")
        assert not [*tmp_path.iterdir()]

    def test_a_kernel_of_the_users_own(self, tmp_path):
        class Own(kernels.Gaussian):
            pass

        with pytest.raises(InputTypeError, match="A Own of your own cannot be saved"):
            reldim.save(reldim.KernelPCRegressor(Own(1.0)).fit(X, NUMBERS), tmp_path / "a.reldim")

    def test_what_is_not_fitted(self, tmp_path):
        with pytest.raises(NotFittedError):
            reldim.save(reldim.KernelPCRegressor(), tmp_path / "a.reldim")

    def test_files_of_others(self, tmp_path):
        for name, content in {
            "pickle": pickle.dumps(reldim.KernelPCRegressor(GAUSSIAN).fit(X, NUMBERS)),
            "text": b"hello",
            "empty": b"",
        }.items():
            (tmp_path / name).write_bytes(content)
            with pytest.raises(FileError, match="damaged"):
                reldim.load(tmp_path / name)
        np.savez(tmp_path / "arrays.npz", X=X)
        with pytest.raises(FileError, match="was not written by reldim"):
            reldim.load(tmp_path / "arrays.npz")
        for nothing in (tmp_path, tmp_path / "no.reldim"):
            with pytest.raises(FileError, match="is no file"):
                reldim.load(nothing)


class TestForgery:
    """Sums can be forged; then values may be wrong, but they are values, and code is never run."""

    @pytest.fixture
    def forge(self, tmp_path):
        path = tmp_path / "a.reldim"
        reldim.save(reldim.KernelPCRegressor(GAUSSIAN).fit(X, NUMBERS), path)

        def forge(change, arrays=None):
            with zipfile.ZipFile(path) as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
            document = json.loads(members["document.json"])
            change(document["value"])
            members["document.json"] = json.dumps(document).encode()
            with zipfile.ZipFile(path, "w") as archive:
                for name, data in members.items():
                    archive.writestr(name, data)
            return path

        return forge

    @staticmethod
    def fitted(value):
        return dict(zip(value["fitted"]["keys"], value["fitted"]["values"], strict=True))

    @pytest.mark.parametrize(
        "form",
        [
            {"!": "os.system", "command": "true"},
            {"!": "Function", "function": "eval"},
            {"!": 3},
            {"no": "form"},
            {"!": "array", "number": 99},
            {"!": "array", "number": True},
            {"!": "tuple"},
            {"!": "Gaussian", "width": -1.0},
            {"!": "Gaussian", "width": 1.0, "__class__": "x"},
            {"!": "csr", "data": [1.0], "indices": [99], "indptr": [0, 1], "shape": [1, 1]},
        ],
        ids=lambda form: str(form)[:30],
    )
    def test_forms_that_are_not_known_or_do_not_fit(self, forge, form):
        path = forge(lambda value: value["fitted"]["values"].__setitem__(0, form))
        with pytest.raises(FileError, match="cannot be loaded"):
            reldim.load(path)

    @pytest.mark.parametrize("key", ["predict", "__class__", "fit", "a b", "__dict__"])
    def test_attributes_that_are_none(self, forge, key):
        path = forge(lambda value: value["fitted"]["keys"].__setitem__(0, key))
        with pytest.raises(FileError, match="has no attribute"):
            reldim.load(path)

    def test_weights_that_do_not_match(self, forge):
        def change(value):
            expansion = self.fitted(value)["_expansion"]
            expansion["weights"] = expansion["landmarks"]

        with pytest.raises(FileError, match="weights do not match"):
            reldim.load(forge(change))

    def test_parameters_that_are_none(self, forge):
        def change(value):
            value["parameters"]["keys"][0] = "command"

        with pytest.raises(FileError, match="does not fit together"):
            reldim.load(forge(change))


class TestTextColumns:
    def test_another_encoding_is_noticed(self, tmp_path, monkeypatch):
        diagnosis = reldim.diagnose(TABLE, LABELS, kernels=[GAUSSIAN])
        diagnosis.save(tmp_path / "d.reldim")
        monkeypatch.setattr(text_columns, "TEXT_COMPONENTS", 20)
        with pytest.raises(FileError, match="encoded by skrub .* gives other numbers. Install"):
            reldim.load(tmp_path / "d.reldim")

    def test_objects_in_cells(self, tmp_path):
        frame = FRAME.assign(t=[b"x", b"y"] * 30)
        with pytest.raises(InputTypeError, match="type bytes cannot be saved"):
            reldim.save(reldim.diagnose(frame, LABELS, kernels=[GAUSSIAN]), tmp_path / "d.reldim")


def test_a_spectrum_that_cannot_be_repeated_is_not_made_up(tmp_path, monkeypatch):
    diagnosis = reldim.diagnose(X, NUMBERS, kernels=[GAUSSIAN])
    again = there_and_back(diagnosis, tmp_path)
    shorter = reldim.decompose(GAUSSIAN, X, rank=5)
    monkeypatch.setattr("reldim.files.storage.decompose_gram", lambda *a, **k: shorter)
    with pytest.raises(InputError, match="Diagnose the data anew"):
        _ = again.relevance.spectrum.eigenvectors


@pytest.mark.parametrize("said", [{}, {"groups": np.repeat(np.arange(20), 4)}, {"cv": KFold(3)}])
def test_how_rows_depend_is_kept(said, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    found = reldim.diagnose(X, X[:, 0], references=False, **said)
    back = there_and_back(found, tmp_path)
    assert back.to_dict() == found.to_dict()
    assert back.forecast(500).error == found.forecast(500).error
    assert [one.words for one in back.problem.suspects] == [
        one.words for one in found.problem.suspects
    ]
    for mine, theirs in zip(
        back.problem.splits.folds(0).pairs, found.problem.splits.folds(0).pairs, strict=True
    ):
        assert all(map(np.array_equal, mine, theirs))
