"""The oracle itself: it takes what is right, and notices what is wrong."""

from dataclasses import replace

import numpy as np
import pytest
from fuzz.oracle import WrongAnswerError, check_diagnosis, check_relevance, kernel_matrix
from fuzz.problems import damaged, random_problem
from fuzz.record import record
from fuzz.soak import grown, run

from reldim import datasets, decompose, diagnose, kernels, relevant_dimension
from reldim.exceptions import ReldimError
from reldim.relevance.estimation import estimate
from reldim.spectrum.spectrum import Vectors

DATA = datasets.noisy_sinc(60, noise=0.3, random_state=0)
KERNEL = kernels.Gaussian(1.0)


@pytest.fixture
def rd():
    found = relevant_dimension(decompose(KERNEL, DATA.X), DATA.y)
    assert found.dimension > 2
    return found


def test_takes_what_is_right(rd):
    check_relevance(rd, DATA.X)


@pytest.mark.parametrize(
    "spoil, word",
    [
        (lambda rd: replace(rd, negative_log_likelihood=rd.negative_log_likelihood + 0.01), "like"),
        (lambda rd: replace(rd, coefficients=1.01 * rd.coefficients), "denoised"),
        (lambda rd: replace(rd, coefficients=rd.coefficients[::-1]), "denoised"),
    ],
    ids=["likelihood", "coefficients", "order"],
)
def test_notices_wrong_estimates(rd, spoil, word):
    with pytest.raises(WrongAnswerError, match=word):
        check_relevance(spoil(rd), DATA.X)


def test_notices_a_dimension_that_is_not_the_best(rd):
    worse = estimate(rd.spectrum, rd.targets, dimension=2)
    assert 0 < worse.dimension < rd.dimension
    with pytest.raises(WrongAnswerError, match="higher likelihood"):
        check_relevance(worse, DATA.X)


def test_notices_wrong_eigenvalues_and_vectors(rd):
    wrong = replace(rd.spectrum, eigenvalues=1.001 * rd.spectrum.eigenvalues)
    with pytest.raises(WrongAnswerError, match="eigenvalues"):
        check_relevance(replace(rd, spectrum=wrong), DATA.X)
    turned = replace(rd.spectrum, basis=Vectors(np.roll(rd.spectrum.eigenvectors, 1, axis=1)))
    with pytest.raises(WrongAnswerError, match="denoised"):
        check_relevance(replace(rd, spectrum=turned), DATA.X)


@pytest.mark.parametrize("name", ["noise_level", "fixed_error", "error_estimate"])
def test_notices_wrong_errors(rd, name):
    vars(rd)[name] = getattr(rd, name) + 0.01
    with pytest.raises(WrongAnswerError, match=name.replace("_", " ")):
        check_relevance(rd, DATA.X)


def test_notices_a_kernel_that_was_not_the_best():
    found = diagnose(DATA.X, DATA.y)
    check_diagnosis(found)
    worst = max(range(len(found.tried)), key=lambda i: found.tried[i].criterion_value)
    with pytest.raises(WrongAnswerError, match="not the best"):
        check_diagnosis(replace(found, index=worst))
    with pytest.raises(WrongAnswerError, match="p-value"):
        check_diagnosis(replace(found, choice_p_value=0.0))


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Gaussian(0.7), kernels.Laplacian(0.7), kernels.Matern(2.5, 0.7),
        kernels.InverseMultiquadric(0.7), kernels.Polynomial(3, 0.7), kernels.Linear(),
        2.0 * kernels.Linear() + kernels.Gaussian(1.0) * kernels.Polynomial(2).normalized(),
    ],
    ids=repr,
)  # fmt: skip
def test_formulas_are_those_of_the_kernels(kernel):
    X = np.random.default_rng(0).normal(size=(7, 3))
    np.testing.assert_allclose(kernel_matrix(kernel, X), kernel(X), rtol=1e-12)


@pytest.mark.parametrize("number", range(25))
def test_random_problems_are_diagnosed(number):
    problem = random_problem(np.random.default_rng([77, number]), most_rows=60)
    try:
        assert run(problem) in ("signal", "no signal")
    except ReldimError:
        assert len(problem.y) < 20


@pytest.mark.parametrize("number", range(16))
def test_spoilt_problems_are_refused(number):
    rng = np.random.default_rng([78, number])
    problem = damaged(rng, random_problem(rng, most_rows=60))
    with pytest.raises(ReldimError):
        run(problem)


def test_growth_of_memory_is_seen():
    assert grown([(float(i), 100) for i in range(30)]) == 0
    assert grown([(float(i), 100 + 10 * i) for i in range(30)]) == 100
    assert grown([]) == 0


def test_figures_are_written_where_they_are_marked(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a <!-- runs -->old<!-- /runs --> b\n")
    record(page, {"runs": "12"})
    assert page.read_text() == "a <!-- runs -->12<!-- /runs --> b\n"
    with pytest.raises(SystemExit, match="no place that is marked for other"):
        record(page, {"other": "1"})
