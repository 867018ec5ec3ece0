"""Wrong labels on real data: reldim beside cleanlab.

    python benchmarks/labels.py                     # all sets, to the terminal
    python benchmarks/labels.py --sets heart,wine   # some of them
    python benchmarks/labels.py --write             # into docs/label-issues.md

Some labels of each set are exchanged at random, and every method ranks all rows by how suspicious
their labels are. cleanlab gets probabilities from five-fold cross-validation, as its documentation
asks for. It is used here if it is installed, and is no part of reldim. Data come from the folder
that the environment variable RELDIM_DATA names, by default ../shared/data beside the repository.
All runs on one thread.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[2] / "shared" / "data"))
PAGE = Path(__file__).parents[1] / "docs" / "label-issues.md"

#: Sets that come with scikit-learn, and those of the data folder.
PACKAGED = ["wdbc", "wine", "digits"]
SETS = [
    "banana",
    "breast-cancer",
    "diabetis",
    "flare-solar",
    "german",
    "heart",
    "image",
    "ringnorm",
    "splice",
    "thyroid",
    "titanic",
    "twonorm",
    "waveform",
    "spectf",
    "usps",
    *PACKAGED,
]

ROWS = 500
RATES = (0.05, 0.1, 0.2)

#: The method was chosen on draws 0, 1 and 2.
DRAWS = (100,)

FALSE_DISCOVERY_RATE = 0.1
OURS, TUNED = "reldim", "tuned SVC"


@dataclass(frozen=True)
class Answer:
    """What a method says about every row: quality (low is suspicious), flags, and its time."""

    quality: NDArray[np.float64]
    flags: NDArray[np.bool_]
    seconds: float


def load(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the rows of a set in their own scale, or standardised where they have none."""
    from sklearn import datasets
    from sklearn.preprocessing import scale

    if name in ("wdbc", "wine"):
        load_set = datasets.load_wine if name == "wine" else datasets.load_breast_cancer
        X, y = load_set(return_X_y=True)
        return scale(X), y
    if name == "digits":
        X, y = datasets.load_digits(return_X_y=True)
        return X / 16, y
    folder = {"spectf": "spect", "usps": "usps"}.get(name, "ida")
    archive = np.load(DATA / folder / f"{name}.npz")
    X = archive["X"].astype(np.float64)
    return scale(X) if name == "spectf" else X, archive["y"].ravel()


def draw(name: str, rate: float, seed: int) -> tuple[Any, NDArray[np.intp], NDArray[np.bool_]]:
    """Return some rows, their labels with some exchanged, and which ones were."""
    X, y = load(name)
    rng = np.random.default_rng([seed, round(1000 * rate)])
    rows = rng.permutation(len(y))[:ROWS]
    classes, codes = np.unique(y[rows], return_inverse=True)
    wrong = np.zeros(len(rows), dtype=bool)
    wrong[rng.permutation(len(rows))[: round(rate * len(rows))]] = True
    shift = rng.integers(1, len(classes), len(rows))
    return X[rows], np.where(wrong, (codes + shift) % len(classes), codes), wrong


def ours(X: Any, y: NDArray[np.intp]) -> tuple[Any, Any]:
    """Diagnose, and look at the labels."""
    import reldim

    issues = reldim.diagnose(X, y, task="classification").label_issues
    return issues["label_quality"].to_numpy(), issues["is_label_issue"].to_numpy()


def with_cleanlab(
    model: Callable[[Any, Any], Any],
) -> Callable[[Any, NDArray[np.intp]], tuple[Any, Any]]:
    """Return a method: out-of-sample probabilities of a model, judged by cleanlab."""

    def run(X: Any, y: NDArray[np.intp]) -> tuple[Any, Any]:
        from cleanlab.filter import find_label_issues
        from cleanlab.rank import get_label_quality_scores
        from sklearn.model_selection import cross_val_predict

        p = cross_val_predict(model(X, y), X, y, cv=folds(), method="predict_proba")
        return get_label_quality_scores(y, p), find_label_issues(y, p, n_jobs=1)

    return run


def folds() -> Any:
    """Return five folds that all peers share."""
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(5, shuffle=True, random_state=0)


def calibrated(model: Any) -> Any:
    """Give a support vector machine probabilities, as SVC(probability=True) did."""
    from sklearn.calibration import CalibratedClassifierCV

    return CalibratedClassifierCV(model, ensemble=False)


def tuned_svc(X: Any, y: Any) -> Any:
    """Choose width and C by five-fold accuracy, on the range of the guide to libsvm."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    grid = {"gamma": 2.0 ** np.arange(-15, 4, 2), "C": 2.0 ** np.arange(-5, 16, 4)}
    return calibrated(GridSearchCV(SVC(), grid, cv=folds()).fit(X, y).best_estimator_)


def default_svc(_X: Any, _y: Any) -> Any:
    """Return a support vector machine as it comes."""
    from sklearn.svm import SVC

    return calibrated(SVC())


def logistic(_X: Any, _y: Any) -> Any:
    """Return logistic regression as it comes, with time to converge."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


METHODS: dict[str, Callable[[Any, NDArray[np.intp]], tuple[Any, Any]]] = {
    OURS: ours,
    TUNED: with_cleanlab(tuned_svc),
    "default SVC": with_cleanlab(default_svc),
    "logistic": with_cleanlab(logistic),
}


def answer(method: str, X: Any, y: NDArray[np.intp]) -> Answer:
    """Run a method and take its time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        quality, flags = METHODS[method](X, y)
        return Answer(np.asarray(quality), np.asarray(flags), time.process_time() - start)


def results(names: list[str], methods: list[str]) -> pd.DataFrame:
    """Run all methods on all draws, a row each."""
    from sklearn.metrics import roc_auc_score

    rows = []
    for name in names:
        for seed in DRAWS:
            for rate in RATES:
                X, y, wrong = draw(name, rate, seed)
                for method in methods:
                    found = answer(method, X, y)
                    flagged = int(found.flags.sum())
                    rows.append(
                        {
                            "set": name,
                            "rate": rate,
                            "method": method,
                            "rows": len(y),
                            "auc": roc_auc_score(wrong, -found.quality),
                            "seconds": found.seconds,
                            "flagged": flagged,
                            "false": np.sum(found.flags & ~wrong) / max(1, flagged),
                            "found": np.sum(found.flags & wrong) / np.sum(wrong),
                        }
                    )
    return pd.DataFrame(rows)


def clean_flags(names: list[str], methods: list[str]) -> dict[str, float]:
    """Return the share of rows that each method flags where no label was exchanged."""
    shares: dict[str, list[float]] = {method: [] for method in methods}
    for name in names:
        X, y, _ = draw(name, 0.0, DRAWS[0])
        for method in methods:
            shares[method].append(float(np.mean(answer(method, X, y).flags)))
    return {method: float(np.mean(share)) for method, share in shares.items()}


def markdown(header: list[str], rows: list[list[str]]) -> list[str]:
    """Lay out a table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def ranking(frame: pd.DataFrame) -> list[str]:
    """Lay out areas under the curve and times."""
    methods = list(dict.fromkeys(frame["method"]))
    peers = [method for method in methods if method != OURS]
    areas = frame.pivot_table("auc", "set", "method", sort=False)[methods]
    seconds = frame.pivot_table("seconds", "set", "method", aggfunc="sum", sort=False)
    rows = []
    for name, area in areas.iterrows():
        size = frame.loc[frame["set"] == name, "rows"].iloc[0]
        ratios = [f"{seconds.loc[name, TUNED] / seconds.loc[name, OURS]:.0f}"] if peers else []
        rows.append([str(name), str(size), *(f"{100 * a:.1f}" for a in area), *ratios])
    total = seconds.sum()
    ratios = [f"**{total[TUNED] / total[OURS]:.0f}**"] if peers else []
    rows.append(["**mean**", "", *(f"**{100 * a:.1f}**" for a in areas.mean()), *ratios])
    lines = markdown(["set", "rows", *methods, *(["time ratio"] if peers else [])], rows)
    count = len(areas)
    ahead = [f"{int(np.sum(areas[OURS] > areas[p]))} of {count} ({p})" for p in peers]
    if ahead:
        lines += ["", f"reldim is ahead on {', '.join(ahead)}."]
    return lines


def worst(frame: pd.DataFrame, method: str) -> str:
    """Name the draw on which the largest share of flagged rows was right."""
    part = frame[(frame["method"] == method) & (frame["flagged"] >= 10)]
    if part.empty:
        return "none"
    row = part.loc[part["false"].idxmax()]
    return f"{row['false']:.0%} of {row['flagged']} ({row['set']}, {row['rate']:.0%})"


def flagging(frame: pd.DataFrame, clean: dict[str, float]) -> list[str]:
    """Lay out what was flagged."""
    rows = []
    for method in dict.fromkeys(frame["method"]):
        part = frame[frame["method"] == method].groupby("rate")[["false", "found"]].mean()
        cells = [f"{f:.0%} / {g:.0%}" for f, g in part.itertuples(index=False)]
        rows.append([method, f"{clean[method]:.1%}", *cells, worst(frame, method)])
    header = ["method", "none: rows flagged", *(f"{r:.0%}: false / found" for r in RATES)]
    header += ["most false, of 10 or more"]
    return markdown(header, rows)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS), help="sets, separated by commas")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    arguments = parser.parse_args()
    names = arguments.sets.split(",")
    if not DATA.is_dir():
        names = [name for name in names if name in PACKAGED]
        print(f"no data folder {DATA}: only sets that come with scikit-learn")
    methods = list(METHODS)
    if find_spec("cleanlab") is None:
        methods = [OURS]
        print("cleanlab is not installed: reldim alone (pip install cleanlab)")
    from run import machine, replace_sections

    with threadpool_limits(1):
        X, y, _ = draw("wine", 0.0, 0)
        for method in methods:
            answer(method, X[:60], y[:60])  # imports are not what is measured
        frame = results(names, methods)
        clean = clean_flags(names, methods)
    stamp = ["", f"*{machine()}*"]
    sections = {
        "ranking": "\n".join([*ranking(frame), *stamp, ""]),
        "flags": "\n".join([*flagging(frame, clean), *stamp, ""]),
    }
    print("\n".join(sections.values()))
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_sections(page, sections), encoding="utf-8")


if __name__ == "__main__":
    main()
