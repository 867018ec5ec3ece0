"""Random problems: data and targets of every kind that a diagnosis takes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from reldim import kernels

__all__ = ["Problem", "damaged", "random_problem"]

Generator = np.random.Generator


@dataclass(frozen=True)
class Problem:
    """Data, targets, options, and what they are in words."""

    X: Any = field(repr=False)
    y: Any = field(repr=False)
    options: dict[str, Any]
    what: str


def random_problem(rng: Generator, most_rows: int = 400) -> Problem:
    """Draw a problem; small ones are more frequent than large ones."""
    n = int(np.exp(rng.uniform(np.log(4), np.log(most_rows))))
    kind = rng.choice([*_KINDS])
    # A function of the data, of a few directions, beside noise of any size.
    X, hidden = _KINDS[kind](rng, n)
    target = rng.choice([*_TARGETS])
    y = _TARGETS[target](
        rng, hidden + rng.choice([0.0, 0.1, 1.0, 10.0]) * rng.standard_normal(len(hidden))
    )
    options: dict[str, Any] = {"random_state": int(rng.integers(1000))}
    if kind == "precomputed":
        options["kernels"] = kernels.Precomputed()
    elif kind not in ("sequences", "table") and rng.random() < 0.4:
        options["kernels"] = _kernels(rng)
    if rng.random() < 0.2:
        options["criterion"] = "leave-one-out"
    return Problem(X, y, options, f"{n} rows, {kind}, {target}, {options}")


def damaged(rng: Generator, problem: Problem) -> Problem:
    """Spoil a problem in one of many ways; a diagnosis must refuse it."""
    X, y, options = problem.X, problem.y, dict(problem.options)
    how = rng.choice(["nan", "inf", "short", "constant", "gap", "task", "huge", "empty"])
    if how in ("nan", "inf", "huge"):
        X = np.array(rng.standard_normal((len(y), 3)))
        X[rng.integers(len(y)), rng.integers(3)] = {"nan": np.nan, "inf": -np.inf, "huge": 1e200}[
            how
        ]
        options = {}
    elif how == "short":
        y = y[:-1]
    elif how == "constant":
        y = np.ones(len(y))
    elif how == "gap":
        y = [None, *list(y)[1:]]
    elif how == "task":
        options["task"] = "ranking"
    else:
        X, y = np.zeros((0, 2)), []
    return Problem(X, y, options, f"{how}: {problem.what}")


def _vectors(rng: Generator, n: int) -> tuple[Any, Any]:
    d = int(np.exp(rng.uniform(0, np.log(60))))
    X = rng.standard_normal((n, d)) * 10 ** rng.uniform(-2, 2, d)
    X *= 10.0 ** rng.integers(-20, 20)
    direction = rng.standard_normal(d) / np.abs(X).max(axis=0)
    return X, np.sin(2 * X @ direction) + X @ direction


def _copied(rng: Generator, n: int) -> tuple[Any, Any]:
    X, hidden = _vectors(rng, n)
    rows = rng.integers(n, size=n)
    return X[rows], hidden[rows]


def _constant_columns(rng: Generator, n: int) -> tuple[Any, Any]:
    X, hidden = _vectors(rng, n)
    return np.hstack([X, np.full((n, 1), X.max()), X[:, :1]]), hidden


def _single(rng: Generator, n: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, int(rng.integers(1, 40)))).astype(np.float32)
    return X, np.sin(X[:, 0].astype(np.float64))


def _whole(rng: Generator, n: int) -> tuple[Any, Any]:
    X = rng.integers(-5, 6, size=(n, int(rng.integers(1, 6))), dtype=np.int8)
    return X, X.sum(axis=1).astype(np.float64)


def _truth_values(rng: Generator, n: int) -> tuple[Any, Any]:
    X = rng.random((n, int(rng.integers(3, 20)))) < 0.5
    return X, X.sum(axis=1).astype(np.float64)


def _sparse(rng: Generator, n: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, int(rng.integers(5, 200))))
    X[rng.random(X.shape) < 0.8] = 0.0
    make = rng.choice(np.array([sparse.csr_array, sparse.csc_array, sparse.coo_array]))
    return make(X), X[:, :3].sum(axis=1)


def _views(rng: Generator, n: int) -> tuple[Any, Any]:
    X, hidden = _vectors(rng, n)
    form: Callable[[Any], Any] = rng.choice(
        np.array([np.asfortranarray, lambda Z: np.repeat(Z, 2, axis=0)[::2], lambda Z: Z.tolist()])
    )
    return form(X), hidden


def _frame(rng: Generator, n: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, 4))
    return pd.DataFrame(X, columns=list("abcd"), index=rng.permutation(n)), X[:, 0] ** 2


def _table(rng: Generator, n: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, 2))
    words = rng.choice(["red", "blue", "grün", ""], size=n)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": words, "d": rng.random(n) < 0.5})
    frame.loc[rng.random(n) < 0.1, "b"] = np.nan
    frame["e"] = [f"{100 * v:.1f}%" for v in X[:, 0]]
    return frame, X[:, 0] + (words == "red")


def _sequences(rng: Generator, n: int) -> tuple[Any, Any]:
    n = min(n, 60)
    letters = rng.choice(list("ACGT"), size=(n, int(rng.integers(5, 12))))
    return ["".join(row) for row in letters], (letters[:, 0] == "A") + (
        letters[:, 1] == "C"
    ) + rng.random(n)


def _precomputed(rng: Generator, n: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, int(rng.integers(1, 30))))
    return X @ X.T * 10.0 ** rng.integers(-60, 60), X[:, 0]


_KINDS: dict[str, Callable[[Generator, int], tuple[Any, Any]]] = {
    "vectors": _vectors,
    "copied rows": _copied,
    "constant columns": _constant_columns,
    "single precision": _single,
    "whole numbers": _whole,
    "truth values": _truth_values,
    "sparse": _sparse,
    "views": _views,
    "frame": _frame,
    "table": _table,
    "sequences": _sequences,
    "precomputed": _precomputed,
}


def _kernels(rng: Generator) -> Any:
    names = ["gaussian", "laplacian", "matern", "inverse-multiquadric", "linear", "polynomial"]
    return [str(name) for name in rng.choice(names, size=int(rng.integers(1, 3)), replace=False)]


def _binned(rng: Generator, values: Any) -> Any:
    count = int(rng.integers(2, 6))
    edges = np.quantile(values, np.linspace(0, 1, count + 1)[1:-1])
    return np.searchsorted(edges, values)


_TARGETS: dict[str, Callable[[Generator, Any], Any]] = {
    "two classes": lambda rng, v: np.where(v > np.median(v), 1, -1),
    "unequal classes": lambda rng, v: v >= np.quantile(v, 0.9),
    "words": lambda rng, v: [str(np.array(list("abcdef"))[b]) for b in _binned(rng, v)],
    "whole numbers": _binned,
    "numbers": lambda rng, v: (v + rng.choice([0.0, 1e3])) * 10.0 ** rng.integers(-60, 60),
    "several numbers": lambda rng, v: np.column_stack([v, rng.standard_normal(len(v)), v**2]),
    "noise": lambda rng, v: rng.standard_normal(len(v)),
}
