"""Wrong labels planted in real data: what reldim finds, beside cleanlab's rule.

    python benchmarks/labels.py                     # all sets, to the terminal
    python benchmarks/labels.py --sets heart,wine   # some of them
    python benchmarks/labels.py --folder DIR        # tables as well, see benchmarks/tables.py
    python benchmarks/labels.py --write             # into docs/label-issues.md

Some labels of each set are exchanged at random. Every method ranks all rows by how suspicious their
labels are, and flags some. cleanlab's rule gets probabilities from five-fold cross-validation, as
its documentation asks for. Of numbers some are exchanged for those of other rows. Data come from
the folder that the environment variable RELDIM_DATA names, by default ../shared/data beside the
repository. All runs on one thread.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import table
from numpy.typing import NDArray
from run import DOCS, machine, write_sections
from sklearn import datasets, ensemble, svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification, make_friedman1, make_friedman2
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.preprocessing import OneHotEncoder, StandardScaler, scale
from threadpoolctl import threadpool_limits

import reldim
from tables import open_tables

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[2] / "shared" / "data"))
PAGE = DOCS / "label-issues.md"

#: Sets that come with scikit-learn or are generated, and those of the data folder.
PACKAGED = ["wdbc", "wine", "digits", "generated", "generated, 4 classes"]
SETS = [
    *PACKAGED,
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
]
NUMBERS = ["diabetes", "friedman1", "friedman2", "sinc"]

ROWS = 400
RATES = (0.02, 0.05, 0.1, 0.2)
FIRST_DRAW = 100

#: What is promised: at most this share of the flagged rows is right.
FALSE_DISCOVERY_RATE = 0.1

OURS = "reldim"

#: What reldim would flag if it knew which targets were exchanged.
IN_HINDSIGHT = "reldim's order, cut in hindsight"


@dataclass(frozen=True)
class Planted:
    """Rows with some wrong targets."""

    X: Any
    y: NDArray[Any]
    wrong: Flags


@dataclass(frozen=True)
class Answer:
    """What a method says about every row: quality (low is suspicious), flags, and its time."""

    quality: Array
    flags: Flags
    seconds: float = 0.0


def generated(classes: int) -> tuple[Array, NDArray[Any]]:
    """Generate classes that overlap little."""
    return make_classification(
        1000, 8, n_informative=5, n_classes=classes, class_sep=1.5, flip_y=0.0, random_state=3
    )


def sinc() -> tuple[Array, NDArray[Any]]:
    """Generate the papers' noisy sinc."""
    data = reldim.datasets.noisy_sinc(1000, random_state=3)
    return data.X, data.y


#: Sets that need no file.
LOADERS: dict[str, Callable[[], tuple[Any, NDArray[Any]]]] = {
    "wdbc": partial(datasets.load_breast_cancer, return_X_y=True),
    "wine": partial(datasets.load_wine, return_X_y=True),
    "digits": partial(datasets.load_digits, return_X_y=True),
    "generated": partial(generated, 2),
    "generated, 4 classes": partial(generated, 4),
    "diabetes": partial(datasets.load_diabetes, return_X_y=True),
    "friedman1": partial(make_friedman1, 1000, noise=1.0, random_state=3),
    "friedman2": partial(make_friedman2, 1000, noise=100.0, random_state=3),
    "sinc": sinc,
}

#: Sets whose columns have a common scale.
UNSCALED = {"digits", "sinc"}


@cache
def load(name: str, folder: Path | None = None) -> tuple[Any, NDArray[Any]]:
    """Return the rows of a set in their own scale, or standardised where they have none."""
    if folder is not None and (folder / f"{name}.csv.gz").exists():
        (one,) = open_tables(folder, [name])
        return one.X, one.y.to_numpy()
    if name in LOADERS:
        X, y = LOADERS[name]()
        return X if name in UNSCALED else scale(X), y
    kind = {"spectf": "spect", "usps": "usps"}.get(name, "ida")
    archive = np.load(DATA / kind / f"{name}.npz")
    X = archive["X"].astype(np.float64)
    return scale(X) if name == "spectf" else X, archive["y"].ravel()


def plant(name: str, rate: float, seed: int, folder: Path | None = None) -> Planted:
    """Draw some rows, and exchange some of their targets."""
    X, y = load(name, folder)
    rng = np.random.default_rng([seed, round(1000 * rate)])
    rows = rng.permutation(len(y))[:ROWS]
    wrong = np.zeros(len(rows), dtype=bool)
    wrong[rng.permutation(len(rows))[: round(rate * len(rows))]] = True
    part = X.iloc[rows].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[rows]
    if name in NUMBERS or (folder is not None and is_number(name, folder)):
        given = y[rows].astype(float)
        given[wrong] = rng.choice(y[rows].astype(float), int(wrong.sum()))
        return Planted(part, given, wrong & (given != y[rows]))
    classes, codes = np.unique(y[rows], return_inverse=True)
    shift = rng.integers(1, len(classes), len(rows))
    return Planted(part, np.where(wrong, (codes + shift) % len(classes), codes), wrong)


def is_number(name: str, folder: Path) -> bool:
    """Tell whether a table is a regression."""
    path = folder / f"{name}.csv.gz"
    return path.exists() and next(open_tables(folder, [name])).task == "regression"


def ours(data: Planted, task: str) -> tuple[Any, Any]:
    """Diagnose, and look at the labels."""
    issues = reldim.diagnose(data.X, data.y, task=task, references=False).label_issues
    return issues["label_quality"].to_numpy(), issues["is_label_issue"].to_numpy()


def confident(y: NDArray[np.intp], p: Array) -> Flags:
    """Flag labels by confident learning, cleanlab's default rule (prune by noise rate).

    Northcutt, Jiang and Chuang, Confident learning, JAIR 70 (2021): a row counts for the class that
    is the likeliest among those whose probability is at least its mean over the rows that carry it.
    The joint of given and counted class, its rows brought to the counts of the given classes, tells
    how many of each pair are wrong; those with the largest margins are flagged.
    """
    n, k = p.shape
    least = np.array([p[y == c, c].mean() if (y == c).any() else np.inf for c in range(k)])
    above = np.where(p >= least, p, -1.0)
    counted, sure = above.argmax(axis=1), above.max(axis=1) >= 0
    joint = np.zeros((k, k))
    np.add.at(joint, (y[sure], counted[sure]), 1.0)
    counts = np.bincount(y, minlength=k)
    joint *= (counts / np.maximum(joint.sum(axis=1), 1e-12))[:, None]
    flagged = np.zeros(n, dtype=bool)
    for given, other in np.argwhere(np.round(joint) > 0):
        rows = np.flatnonzero(y == given)
        if given != other:
            margin = p[rows, other] - p[rows, given]
            most = np.argsort(-margin, kind="stable")[: int(np.round(joint[given, other]))]
            flagged[rows[most]] = True
    return flagged


def numeric(X: Any) -> Array:
    """Return a table as numbers, as scikit-learn would have it."""
    if not isinstance(X, pd.DataFrame):
        return np.asarray(X)
    words = X.select_dtypes(exclude="number").columns
    coded = OneHotEncoder(sparse_output=False, handle_unknown="ignore", max_categories=30)
    parts = (
        [StandardScaler().fit_transform(X.drop(columns=words))] if len(words) < X.shape[1] else []
    )
    parts += [coded.fit_transform(X[words].astype(str))] if len(words) else []
    return np.nan_to_num(np.hstack(parts))


def by_cleanlab(model: Callable[[], Any], data: Planted, _task: str) -> tuple[Any, Any]:
    """Judge labels by out-of-sample probabilities of a model: self-confidence, and flags."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    p = cross_val_predict(model(), numeric(data.X), data.y, cv=folds, method="predict_proba")
    return p[np.arange(len(p)), data.y], confident(data.y, p)


def by_residuals(data: Planted, _task: str) -> tuple[Any, Any]:
    """Judge numbers by residuals of extra trees: far off by three robust standard deviations."""
    folds = KFold(5, shuffle=True, random_state=0)
    model = ensemble.ExtraTreesRegressor(random_state=0)
    residuals = np.abs(data.y - cross_val_predict(model, numeric(data.X), data.y, cv=folds))
    return -residuals, residuals > 3 * np.median(residuals) / 0.6745


CLASS_METHODS: dict[str, Callable[[Planted, str], tuple[Any, Any]]] = {
    OURS: ours,
    "cleanlab's rule, SVC": partial(
        by_cleanlab, lambda: CalibratedClassifierCV(svm.SVC(), ensemble=False)
    ),
    "cleanlab's rule, extra trees": partial(
        by_cleanlab, lambda: ensemble.ExtraTreesClassifier(random_state=0)
    ),
}
NUMBER_METHODS: dict[str, Callable[[Planted, str], tuple[Any, Any]]] = {
    OURS: ours,
    "extra trees, 3 deviations": by_residuals,
}


def answer(method: Callable[[Planted, str], tuple[Any, Any]], data: Planted, task: str) -> Answer:
    """Run a method and take its time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        quality, flags = method(data, task)
        return Answer(np.asarray(quality), np.asarray(flags), time.process_time() - start)


def in_hindsight(found: Answer, wrong: Flags) -> Answer:
    """Flag as many rows, in their order, as the promised share of false flags allows."""
    order = np.argsort(found.quality, kind="stable")
    false = np.cumsum(~wrong[order]) / np.arange(1, len(order) + 1)
    kept = np.flatnonzero((false <= FALSE_DISCOVERY_RATE) & wrong[order])
    flags = np.zeros(len(order), dtype=bool)
    flags[order[: kept[-1] + 1 if len(kept) else 0]] = True
    return Answer(found.quality, flags)


def judged(name: str, rates: tuple[float, ...], asked: argparse.Namespace) -> Iterator[dict]:
    """Yield a row for each method, rate and draw of a set."""
    number = name in NUMBERS or (asked.folder is not None and is_number(name, asked.folder))
    task, methods = ("regression", NUMBER_METHODS) if number else ("classification", CLASS_METHODS)
    for seed in range(FIRST_DRAW, FIRST_DRAW + asked.draws):
        for rate in rates:
            data = plant(name, rate, seed, asked.folder)
            answers = {name: answer(method, data, task) for name, method in methods.items()}
            best = in_hindsight(answers[OURS], data.wrong)
            answers = {OURS: answers[OURS], IN_HINDSIGHT: best} | answers
            for method, found in answers.items():
                peer = answers[list(answers)[-1]]
                first = np.argsort(answers[OURS].quality, kind="stable")[: peer.flags.sum()]
                yield {
                    "set": name,
                    "task": task,
                    "rate": rate,
                    "method": method,
                    "rows": len(data.y),
                    "wrong": int(data.wrong.sum()),
                    "precision": (
                        average_precision_score(data.wrong, -found.quality) if rate else np.nan
                    ),
                    "seconds": found.seconds,
                    "flagged": int(found.flags.sum()),
                    "false": int(np.sum(found.flags & ~data.wrong)),
                    "found": int(np.sum(found.flags & data.wrong)),
                    "as many": int(data.wrong[first].sum()),
                }


def share(part: pd.DataFrame) -> str:
    """Write the share of false flags, and the mean share of wrong labels that were found."""
    flagged = int(part["flagged"].sum())
    false = f"{part['false'].sum() / flagged:.0%}" if flagged else "-"
    return f"{(part['found'] / part['wrong']).mean():.0%} / {false}"


def flagging(frame: pd.DataFrame, title: str) -> str:
    """Lay out what was flagged, by method and rate."""
    rows = []
    for method in dict.fromkeys(frame["method"]):
        own = frame[frame["method"] == method]
        clean = own[own["rate"] == 0]
        cells = [share(own[own["rate"] == rate]) for rate in RATES]
        rows.append([method, f"{clean['flagged'].sum()} of {clean['rows'].sum()}", *cells])
    return table(
        f"{title.capitalize()} of {frame['set'].nunique()} sets: what is flagged",
        ["method", "none: rows flagged", *(f"{r:.0%}: found / false" for r in RATES)],
        rows,
        "Found: of the exchanged targets the share that was flagged, mean over sets and draws. "
        "False: of all flags the share whose target had not been exchanged. Targets that were "
        "wrong before any was exchanged count as right, and so do honest exceptions. Cut in "
        f"hindsight: as many rows as {FALSE_DISCOVERY_RATE:.0%} of false flags allow in each draw, "
        "which only the truth can tell.",
    )


def ranking(frame: pd.DataFrame, title: str) -> str:
    """Lay out the average precision of the order of all rows, by set."""
    frame = frame[(frame["rate"] > 0) & (frame["method"] != IN_HINDSIGHT)]
    methods = list(dict.fromkeys(frame["method"]))
    means = frame.pivot_table("precision", "set", "method", sort=False)[methods]
    times = frame.pivot_table("seconds", "set", "method", sort=False)[methods]
    rows = [
        [str(name), *(f"{100 * value:.0f}" for value in line), f"{times.loc[name, OURS]:.1f}"]
        for name, line in zip(means.index, means.to_numpy(), strict=True)
    ]
    rows.append(["**mean**", *(f"**{100 * value:.0f}**" for value in means.mean()), ""])
    peer = frame[frame["method"] == methods[-1]]
    own = frame[frame["method"] == OURS]
    as_many = (own["as many"] / own["wrong"]).mean()
    theirs = (peer["found"] / peer["wrong"]).mean()
    return table(
        f"{title.capitalize()}: the order of all rows",
        ["set", *methods, "reldim, s"],
        rows,
        "Average precision in percent, mean over 2 to 20 % of the targets exchanged. Among as many "
        f"rows as {methods[-1]} flags, the first in reldim's order hold {as_many:.0%} of the "
        f"exchanged targets, those flagged {theirs:.0%}.",
    )


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="sets, separated by commas")
    parser.add_argument("--folder", type=Path, help="tables, see benchmarks/tables.py")
    parser.add_argument("--draws", type=int, default=1, help="draws of each set")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    asked = parser.parse_args()
    names = [*SETS, *NUMBERS] if DATA.is_dir() else [*PACKAGED, *NUMBERS]
    if asked.folder is not None:
        names += sorted(path.name.removesuffix(".csv.gz") for path in asked.folder.glob("*.csv.gz"))
    names = asked.sets.split(",") if asked.sets else list(dict.fromkeys(names))
    rows = []
    with threadpool_limits(1):
        for name in names:
            rows += judged(name, (0.0, *RATES), asked)
            print(pd.DataFrame(rows[-6:]).to_string(header=False), flush=True)
    frame = pd.DataFrame(rows)
    sections = {}
    for task, title in (("classification", "classes"), ("regression", "numbers")):
        part = frame[frame["task"] == task]
        if len(part):
            sections[f"{title}-flags"] = f"{flagging(part, title)}\n*{machine()}*\n"
            sections[f"{title}-ranking"] = f"{ranking(part, title)}\n*{machine()}*\n"
    print("\n".join(sections.values()))
    if asked.write:
        write_sections(PAGE, sections)


if __name__ == "__main__":
    main()
