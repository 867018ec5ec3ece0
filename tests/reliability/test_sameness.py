"""The same answer everywhere: threads, drivers, orders, precisions, processes."""

import functools
import json
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

import reldim
from foreign import HOLDERS
from reldim import (
    KernelBlendRegressor,
    KernelPCRegressor,
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    LowRankGPClassifier,
    RelevantKernelPCA,
    compare,
    datasets,
    decompose,
    diagnose,
    find_label_issues,
    kernels,
    relevant_dimension,
)

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
DATA = datasets.noisy_sinc(150, noise=0.3, random_state=3)
CLASSES = datasets.bananas(150, random_state=3)


def plain(diagnosis):
    """Return all that a diagnosis says, as text."""
    return json.dumps(diagnosis.to_dict(), sort_keys=True)


def figures(diagnosis):
    return [diagnosis.dimension, diagnosis.noise_level, diagnosis.error_estimate]


def diagnosed(seed):
    data = datasets.noisy_sinc(60, noise=0.3, random_state=seed)
    return plain(diagnose(data.X, data.y, random_state=seed))


@pytest.mark.parametrize("data", [DATA, CLASSES], ids=["numbers", "classes"])
def test_repeated_runs_are_the_same_to_the_bit(data):
    assert plain(diagnose(data.X, data.y)) == plain(diagnose(data.X, data.y))


def test_low_rank_runs_are_the_same_to_the_bit_for_one_seed():
    def found(seed):
        spectrum = decompose(
            kernels.Gaussian(0.01), DATA.X, solver="lowrank", rank=30, random_state=seed
        )
        return spectrum.eigenvalues.tobytes()

    assert found(5) == found(5)
    assert found(5) != found(6)


@pytest.mark.parametrize("data", [DATA, CLASSES], ids=["numbers", "classes"])
def test_numbers_of_threads_and_cores(data):
    expected = plain(diagnose(data.X, data.y, n_jobs=1))
    for threads, cores in ((1, 2), (2, 1), (2, 3)):
        with threadpool_limits(threads):
            assert plain(diagnose(data.X, data.y, n_jobs=cores)) == expected


ANOTHER_PROCESS = """
import sys
sys.path[:0] = {paths!r}
from reliability.test_sameness import DATA, diagnose, plain
sys.stdout.write(plain(diagnose(DATA.X, DATA.y)))
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_another_process(threads):
    paths = [str(ROOT / "src"), str(ROOT / "tests")]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
    done = subprocess.run(
        [sys.executable, "-c", ANOTHER_PROCESS.format(paths=paths)],
        env=environment, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    there, here = json.loads(done.stdout), diagnose(DATA.X, DATA.y).to_dict()
    assert (there["dimension"], there["kernel"]) == (here["dimension"], here["kernel"])
    figures_there, figures_here = there["verdict"].pop("figures"), here["verdict"].pop("figures")
    assert there["verdict"] == here["verdict"]
    assert figures_there == pytest.approx(figures_here, rel=1e-7)


@pytest.mark.parametrize("driver", ["ev", "evd", "evr", "evx"])
@pytest.mark.parametrize("width", [1e-4, 0.1, 10.0, 1e4])
def test_drivers_of_lapack(driver, width):
    kernel = kernels.Gaussian(width)
    spectrum = decompose(kernel, DATA.X)
    values, vectors = eigh(kernel(DATA.X) / len(DATA.X), driver=driver)
    values, vectors = values[::-1], vectors[:, ::-1]
    accuracy = 1e-12 * values[0]
    np.testing.assert_allclose(spectrum.eigenvalues, np.maximum(values, 0), atol=accuracy)
    y = DATA.y - DATA.y.mean()
    rd = relevant_dimension(spectrum, DATA.y)
    d = rd.dimension
    if d:
        # The relevant components are cut where every driver can cut.
        ours = np.sum(rd.coefficients[:d] ** 2)
        assert np.sum((vectors[:, :d].T @ y) ** 2) == pytest.approx(ours, rel=1e-6)


@pytest.mark.parametrize("data", [DATA, CLASSES], ids=["numbers", "classes"])
def test_orders_of_rows(data):
    expected = diagnose(data.X, data.y)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(data.y))
        found = diagnose(data.X[order], data.y[order])
        assert found.kernel == expected.kernel
        assert found.verdict.code == expected.verdict.code
        np.testing.assert_allclose(figures(found), figures(expected), rtol=1e-6)
        np.testing.assert_allclose(
            found.relevance.denoised, expected.relevance.denoised[order], atol=1e-6
        )


def both_precisions(n):
    """Return the same numbers in both precisions, and targets without noise."""
    X = np.random.default_rng(0).normal(size=(n, 5)).astype(np.float32)
    return X, X.astype(np.float64), np.sin(2 * X[:, 0]) + X[:, 1]


@pytest.mark.parametrize("n", [1200, pytest.param(3000, marks=pytest.mark.slow)])
def test_precision_of_the_same_numbers(n):
    """Kernel, dimension and error are the same: wide kernels are seen in double precision."""
    *precisions, y = both_precisions(n)
    single, double = (diagnose(X, y, kernels="gaussian", references=False) for X in precisions)
    assert single.relevance.spectrum.gram.kernel == double.relevance.spectrum.gram.kernel
    assert single.verdict.code == double.verdict.code
    assert single.dimension == double.dimension
    assert single.error_estimate == pytest.approx(double.error_estimate, rel=1e-6)


@pytest.mark.slow
def test_ridge_of_the_same_numbers():
    *precisions, y = both_precisions(3000)
    single, double = (KernelRidgeRegressor(n_jobs=1).fit(X, y) for X in precisions)
    assert single.kernel_ == double.kernel_
    predicted, same = (
        model.predict(X[:50]) for model, X in zip((single, double), precisions, strict=True)
    )
    assert predicted.dtype == np.float32
    np.testing.assert_allclose(predicted, same, atol=1e-5)


@pytest.mark.parametrize("data", [DATA, CLASSES], ids=["numbers", "classes"])
def test_single_precision(data):
    kernel = kernels.Gaussian(1.0)
    double = diagnose(data.X, data.y, kernels=kernel)
    single = diagnose(data.X.astype(np.float32), data.y, kernels=kernel)
    assert single.dimension == double.dimension
    assert single.noise_level == pytest.approx(double.noise_level, abs=1e-3)
    assert single.error_estimate == pytest.approx(double.error_estimate, abs=0.01)
    scale = np.abs(double.relevance.denoised).max()
    np.testing.assert_allclose(
        single.relevance.denoised, double.relevance.denoised, atol=2e-3 * scale
    )


def test_threads_of_one_process():
    expected = [diagnosed(seed) for seed in range(6)]
    with ThreadPoolExecutor(3) as pool:
        assert [*pool.map(diagnosed, range(6))] == expected


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.slow)])
def test_several_processes(method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        dimensions = [json.loads(text)["dimension"] for text in pool.map(diagnosed, range(3))]
    assert dimensions == [json.loads(diagnosed(seed))["dimension"] for seed in range(3)]


def test_one_model_asked_by_many_threads():
    model = KernelPCRegressor(kernels.Gaussian(1.0)).fit(DATA.X, DATA.y)
    expected = model.predict(DATA.X).tobytes()
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda _: model.predict(DATA.X).tobytes(), range(40))
        assert all(answer == expected for answer in answers)


ROWS = np.random.default_rng(0).normal(size=(60, 3))
LINE = np.sin(2 * ROWS[:, 0]) + 0.1 * ROWS[:, 1]
SIDES = (LINE > 0).astype(np.int64)
KERNEL = kernels.Gaussian(2.0)


def diagnosed_and_saved(X, y, path):
    found = diagnose(X, y, references=False)
    found.save(path)
    return plain(reldim.load(path))


@functools.cache
def answers_for_arrays(path):
    return diagnosed_and_saved(ROWS, LINE, path / "plain.reldim")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sameness")


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_a_diagnosis_does_not_depend_on_who_holds_the_numbers(hold, folder):
    path = folder / "held.reldim"
    path.unlink(missing_ok=True)
    assert diagnosed_and_saved(hold(ROWS), hold(LINE), path) == answers_for_arrays(folder)


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_nothing_else_depends_on_who_holds_the_numbers(hold):
    def answers(make):
        X, y, sides = make(ROWS), make(LINE), make(SIDES)
        yield relevant_dimension(decompose(KERNEL, X), y).curve
        yield find_label_issues(relevant_dimension(decompose(KERNEL, X), sides)).to_numpy()
        yield compare({"X": X, "first": make(ROWS[:, :1])}, y, kernels=KERNEL).losses
        yield KERNEL(X, make(ROWS[:5]))
        models = (KernelRidgeRegressor(KERNEL), KernelPCRegressor(KERNEL), KernelBlendRegressor())
        for model in models:
            yield model.fit(X, y).predict(X)
        weights = make(1 + ROWS[:, 0] ** 2)
        yield KernelRidgeRegressor(KERNEL).fit(X, y, weights).predict(X)
        for model in (KernelRidgeClassifier(KERNEL), LowRankGPClassifier(KERNEL)):
            yield model.fit(X, sides).predict_proba(X)
        transformer = RelevantKernelPCA(KERNEL).fit(X, y)
        yield transformer.transform(X)
        yield transformer.inverse_transform(make(transformer.transform(X)))

    for found, expected in zip(answers(hold), answers(np.asarray), strict=True):
        np.testing.assert_array_equal(found, expected)
