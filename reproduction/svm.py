"""Support vector machines on the benchmark, their parameters chosen as in its original paper.

Rätsch, Onoda and Müller chose the parameters by five-fold cross-validation on each of the first
five resamples, and took the median of the five choices for all resamples.
"""

from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVC

from reproduction.cache import compute
from reproduction.sweep import benchmark, source_of

__all__ = ["svm_errors"]

COSTS = np.geomspace(0.1, 1000.0, 5)
WIDTHS = np.geomspace(0.1, 1000.0, 9)


def svm_errors(name: str, count: int, jobs: int) -> list[float]:
    """Return the test errors of a support vector machine on the first resamples of a set."""
    first, source = range(min(5, count)), source_of(name)
    tasks: list[tuple[Any, ...]] = [(name, number) for number in first]
    chosen = compute(choose_parameters, f"svm-choice-1-{source}", tasks, jobs=jobs)
    cost, width = (float(np.exp(np.median(np.log(column)))) for column in np.array(chosen).T)
    tasks = [(name, number, f"{cost:.6g}", f"{width:.6g}") for number in range(count)]
    return compute(test_error, f"svm-error-1-{source}", tasks, jobs=jobs)


def choose_parameters(name: str, number: int) -> list[float]:
    """Choose cost and width by five-fold cross-validation on a training set."""
    data = benchmark(name)
    train = data.resamples[number].train
    grid = {"C": COSTS, "gamma": 1.0 / (2.0 * WIDTHS)}
    folds = KFold(5, shuffle=True, random_state=number)
    search = GridSearchCV(SVC(cache_size=500), grid, cv=folds)
    search.fit(data.X[train], data.y[train])
    best: dict[str, Any] = search.best_params_
    return [float(best["C"]), 1.0 / (2.0 * float(best["gamma"]))]


def test_error(name: str, number: int, cost: str, width: str) -> float:
    """Train on one resample and return the error on its test rows."""
    data = benchmark(name)
    train, test = data.resamples[number].train, data.resamples[number].test
    machine = SVC(C=float(cost), gamma=1.0 / (2.0 * float(width)), cache_size=500)
    machine.fit(data.X[train], data.y[train])
    return float(np.mean(machine.predict(data.X[test]) != data.y[test]))
