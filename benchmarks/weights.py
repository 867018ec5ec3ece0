"""Learned weights of columns beside peers that learn them too, on real tables of numbers.

python benchmarks/weights.py --folder FOLDER [--xrfm PYTHON] [--write] [NAME ...]

FOLDER holds NAME.csv.gz, training rows first, and reference.json with target, task and number of
training rows. PYTHON is the interpreter of an environment with xrfm, which needs torch. ``--write``
puts the table into docs/benchmarks.md.
"""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import table
from numpy.typing import NDArray
from run import PAGE, publish
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import reldim
from tables import parser_of_tables

Array = NDArray[np.float64]

TABLES = ("airfoil", "bikes", "boston", "concrete", "cpu", "insurance", "puma32h", "yacht")

#: Rows that a Gaussian process is fitted to at most: its time grows with their cube.
GP_ROWS = 1000

#: Categories of a column that get an indicator each; dates, for one, have more.
MOST_CATEGORIES = 30

#: What runs in the other environment. A fifth of the rows validates, as the package asks for, and
#: chooses bandwidth, penalty, and weights of columns or of all pairs of them.
XRFM = """
import itertools, sys, time, numpy as np, torch
from xrfm import xRFM
data = np.load(sys.argv[1])
X, y, new = (torch.tensor(data[name], dtype=torch.float32) for name in ("X", "y", "new"))
start = time.perf_counter()
order = torch.tensor(np.random.default_rng(0).permutation(len(X)))
test, train = order[: len(X) // 5], order[len(X) // 5 :]
best = np.inf
for bandwidth, reg, diag in itertools.product((3.0, 10.0, 30.0), (1e-3, 1e-1), (True, False)):
    model = {"kernel": "l2", "exponent": 1.0, "bandwidth": bandwidth, "diag": diag}
    fit = {"reg": reg, "iters": 5, "early_stop_rfm": True}
    machine = xRFM(
        {"model": model, "fit": fit}, tuning_metric="mse", random_state=0, verbose=False
    )
    machine.fit(X[train], y[train, None], X[test], y[test, None])
    error = np.mean((np.asarray(machine.predict(X[test])).ravel() - y[test].numpy()) ** 2)
    if error < best:
        best, guess = error, np.asarray(machine.predict(new)).ravel()
np.savez(sys.argv[2], guess=guess, seconds=time.perf_counter() - start)
"""


def with_reldim(frame: pd.DataFrame, y: Array, new: pd.DataFrame) -> Array:
    """Diagnose, with the default arguments, and predict."""
    found = reldim.diagnose(frame, y, task="regression", references=False)
    return np.asarray(found.predictor().predict(new))


def with_process(frame: pd.DataFrame, y: Array, new: pd.DataFrame) -> Array:
    """Fit a Gaussian process with a length per column by its evidence."""
    X, other = encoded(frame, new)
    some = np.random.default_rng(0).permutation(len(X))[:GP_ROWS]
    kernel = ConstantKernel() * RBF(np.ones(X.shape[1])) + WhiteKernel(0.1)
    with warnings.catch_warnings():
        # Lengths of columns that do not matter end at their bounds.
        warnings.simplefilter("ignore")
        process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
        return np.asarray(process.fit(X[some], y[some]).predict(other))


def with_xrfm(
    python: Path, frame: pd.DataFrame, y: Array, new: pd.DataFrame
) -> tuple[Array, float]:
    """Fit a recursive feature machine in its own environment; return its own seconds as well."""
    X, other = encoded(frame, new)
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given.npz", Path(folder) / "found.npz"
        np.savez(given, X=X, y=(y - y.mean()) / y.std(), new=other)
        command = [str(python), "-W", "ignore", "-c", XRFM, str(given), str(found)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        answer = np.load(found)
    return answer["guess"] * y.std() + y.mean(), float(answer["seconds"])


def encoded(frame: pd.DataFrame, new: pd.DataFrame) -> tuple[Array, Array]:
    """Scale numbers, fill in missing ones, and write categories as indicators, if they are few."""
    many = [
        name
        for name in frame.select_dtypes(exclude=np.number)
        if frame[name].nunique() > MOST_CATEGORIES
    ]
    frame, new = frame.drop(columns=many), new.drop(columns=many)
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    transformer = make_column_transformer(
        (numbers, make_column_selector(dtype_include=np.number)),
        (
            OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
            make_column_selector(dtype_exclude=np.number),
        ),
    )
    return transformer.fit_transform(frame), transformer.transform(new)


def compare(folder: Path, names: list[str], python: Path | None) -> str:
    """Return the table."""
    reference = json.loads((folder / "reference.json").read_text())
    rows, ratios = [], []
    for name in names:
        about = reference[name]
        frame = pd.read_csv(folder / f"{name}.csv.gz")
        y, n = frame.pop(about["target"]).to_numpy(float), about["train"]
        new, truth = frame[n:].reset_index(drop=True), y[n:]

        def score(fit: Callable[..., Any], *rest: Any) -> tuple[float, float]:
            start = time.perf_counter()
            answer = fit(*rest, frame[:n], y[:n], new)  # noqa: B023 - called at once
            seconds = time.perf_counter() - start
            guess, seconds = answer if isinstance(answer, tuple) else (answer, seconds)
            return float(np.mean((guess - truth) ** 2) / np.var(truth)), seconds  # noqa: B023

        results = [score(with_reldim), score(with_process)]
        if python is not None:
            results.append(score(with_xrfm, python))
        ratios.append([np.log(error) for error, _ in results])
        print(name, results, file=sys.stderr, flush=True)
        rows.append(
            [name, f"{n}", *(f"{error:.3f}, {seconds:.1f} s" for error, seconds in results)]
        )
    means = np.exp(np.mean(np.array(ratios) - np.array(ratios)[:, :1], axis=0))
    rows.append(["mean over reldim's", "", *(f"{mean:.2f}" for mean in means)])
    head = ["table", "rows", "reldim", f"Gaussian process, at most {GP_ROWS} rows"]
    head += ["xrfm"] if python is not None else []
    note = (
        "Test error as a share of the variance, and seconds; the mean is geometric. The Gaussian "
        "process begins once, with lengths of one."
    )
    return table("Learned weights of columns, and peers", head, rows, note)


def main() -> None:
    """Run what was asked for."""
    parser = parser_of_tables(__doc__, "eight of them")
    parser.add_argument("--xrfm", type=Path, help="interpreter of an environment with xrfm")
    options = parser.parse_args()
    text = compare(options.folder, options.names or list(TABLES), options.xrfm)
    publish(PAGE, "weights", text, write=options.write)


if __name__ == "__main__":
    main()
