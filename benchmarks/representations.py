"""How well compare() ranks representations, beside LogME; ``--write`` puts it into the docs.

python benchmarks/representations.py [--write] [--jobs 2] [--criterion NAME] [ranking] [level]

Every representation of a set is judged on the same rows, by compare() and by LogME. What it is
worth is the accuracy, on rows of their own, of classifiers that were tuned on the judged rows.
"""

import argparse
import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

# Workers share the cores, so that one thread each is quickest.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from harness import table
from numpy.typing import NDArray
from representation_sets import MEASURING, TUNING, split
from run import DOCS, publish
from scipy.stats import kendalltau, wilcoxon
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from reldim import compare, kernels
from reldim.exceptions import ReldimWarning

PAGE = DOCS / "comparing.md"

#: Splits of each set: the default was chosen on one of each, and is measured on two.
SPLITS = {**dict.fromkeys(TUNING, 1), **dict.fromkeys(MEASURING, 2)}

#: Scores of compare(), with the sign that makes larger better.
SCORES = {
    "squared_error": -1,
    "error_estimate": -1,
    "negative_log_likelihood": -1,
    "evidence": 1,
    "area": -1,
}

#: Pairs of representations of equal worth, and how often each kind is drawn.
DRAWS = 200
WIDTHS = (0.3, 1.0, 3.0, 10.0, 30.0)

Array = NDArray[np.float64]


def logme(X: Array, y: NDArray[np.intp]) -> float:
    """Return LogME, by its fixed-point iteration over a singular value decomposition."""
    n = len(X)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    U, l = U[:, s > 1e-10 * s[0]], s[s > 1e-10 * s[0]] ** 2
    values = []
    for label in np.unique(y):
        target = (y == label).astype(np.float64)
        z2 = (U.T @ target) ** 2
        beyond = float(target @ target - z2.sum())
        alpha = beta = 1.0
        for _ in range(100):
            t = alpha / beta
            gamma = np.sum(l / (l + t))
            m2 = np.sum(l * z2 / (t + l) ** 2)
            r2 = np.sum(z2 / (1 + l / t) ** 2) + beyond
            alpha, beta = gamma / m2, (n - gamma) / r2
            if abs(alpha / beta - t) <= 1e-6 * t:
                break
        evidence = np.sum(np.log(alpha / (alpha + beta * l))) + n * np.log(beta / (2 * np.pi))
        values.append((evidence - beta * r2 - alpha * m2) / (2 * n))
    return float(np.mean(values))


def accuracies(
    X: Array, y: NDArray[np.intp], X_test: Array, y_test: NDArray[np.intp], seed: int
) -> dict[str, float]:
    """Tune two classifiers by cross-validation; test them, and keep what it had promised."""
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    scale = 1.0 / (X.shape[1] * max(float(X.var()), 1e-12))
    svc = GridSearchCV(
        SVC(), {"C": [0.1, 1, 10, 100], "gamma": scale * np.geomspace(0.01, 5, 5)}, cv=folds
    ).fit(X, y)
    steps = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    logistic = GridSearchCV(
        steps, {"logisticregression__C": [1e-3, 1e-2, 0.1, 1, 10]}, cv=folds
    ).fit(X, y)
    return {
        "SVC": float(svc.score(X_test, y_test)),
        "logistic": float(logistic.score(X_test, y_test)),
        "SVC promised": float(svc.best_score_),
        "logistic promised": float(logistic.best_score_),
    }


def straight(X: Array) -> kernels.Kernel:
    """Return the linear kernel with a constant on the scale of the data."""
    return kernels.Polynomial(degree=1, constant=float(np.mean(np.sum(X**2, axis=1))))


def judged(name: str, seed: int) -> pd.DataFrame:
    """Judge all representations of a set, a row each; larger is better in every column."""
    warnings.simplefilter("ignore")
    data = split(name, seed)
    found = compare(data.compared, data.labels, task="classification").table
    lines = {key: (X, straight(X)) for key, X in data.compared.items()}
    linear = compare(lines, data.labels, task="classification").table
    scores = found.set_index("name")[[*SCORES]] * pd.Series(SCORES)
    scores["linear evidence"] = linear.set_index("name")["evidence"]
    for key, X in data.compared.items():
        scores.loc[key, "LogME"] = logme(X, data.labels)
        # Features that were centred cannot express the share of a class: a constant helps LogME.
        constant = np.full((len(X), 1), np.sqrt(np.mean(X**2)))
        scores.loc[key, "LogME, constant"] = logme(np.hstack([X, constant]), data.labels)
        worth = accuracies(X, data.labels, data.tested[key], data.test_labels, seed)
        for label, value in worth.items():
            scores.loc[key, label] = value
    return scores.assign(set=name, seed=seed)


def taus(scores: pd.DataFrame, score: str, truth: str) -> pd.Series:
    """Return Kendall's tau of a score with an accuracy, a set each, averaged over splits."""
    each = scores.groupby(["set", "seed"]).apply(
        lambda part: kendalltau(part[score], part[truth]).statistic
    )
    return each.groupby("set").mean()


CONTENDERS = {
    "SVC": {
        "squared error (default)": "squared_error",
        "error estimate": "error_estimate",
        "likelihood": "negative_log_likelihood",
        "evidence": "evidence",
        "area": "area",
        "LogME": "LogME",
        "LogME with a constant": "LogME, constant",
        "*its own cross-validation*": "SVC promised",
    },
    "logistic": {
        "squared error (default)": "squared_error",
        "evidence, linear kernel": "linear evidence",
        "LogME": "LogME",
        "LogME with a constant": "LogME, constant",
        "*its own cross-validation*": "logistic promised",
    },
}


def ranking(run: Callable[..., Iterator[Any]]) -> str:
    """Lay out Kendall's tau, a row a score and a column a set."""
    tasks = [(name, seed) for name, count in SPLITS.items() for seed in range(count)]
    scores = pd.concat(run(judged, *zip(*tasks, strict=True)))
    count = scores.groupby("set").size() // scores.groupby("set")["seed"].nunique()
    text = []
    for truth, title in (
        ("SVC", "Accuracy of a tuned support vector machine"),
        ("logistic", "Accuracy of a tuned logistic regression"),
    ):
        for sets, about in ((MEASURING, ""), (TUNING, ", sets that the default was chosen on")):
            rows = []
            for label, score in CONTENDERS[truth].items():
                tau = taus(scores, score, truth)[[*sets]]
                rows.append([label, *(f"{value:.2f}" for value in tau), f"**{tau.mean():.2f}**"])
            heads = [f"{name} ({count[name]})" for name in sets]
            text.append(table(f"{title}{about}", ["score", *heads, "mean"], rows))
    remark = (
        "Kendall's tau between score and accuracy; in brackets the number of representations. A "
        "third of the rows of a set, at most 400, are judged, and the classifier is tuned on them "
        "by a grid search with three folds (C and width; C); its accuracy is that on up to 2000 "
        "other rows. Representations are fitted to rows of their own. Sets that were measured on: "
        "two splits each."
    )
    return "\n".join([*text, remark, ""])


def views(kind: str, rng: np.random.Generator, n: int = 100) -> tuple[dict[str, Array], Any]:
    """Draw two representations and targets; all kinds but the last are of equal worth."""
    u = rng.normal(size=(n, 2))
    signal = np.sin(1.5 * u).sum(axis=1) + 0.3 * rng.normal(size=n)
    noise = [0.5, 0.5]
    if "useless" in kind:
        noise = [2.0, 2.0]
    elif "twice" in kind:
        noise = [0.4, 0.8]
    seen = [u + size * rng.normal(size=u.shape) for size in noise]
    if "columns" in kind:
        seen = [np.hstack([u, rng.normal(size=(n, 4))]) for _ in range(2)]
    y: Any = signal
    if "two classes" in kind:
        y = np.where(signal > 0, "a", "b")
    elif "three classes" in kind:
        y = np.array(["a", "b", "c"])[np.digitize(signal, [-0.5, 0.5])]
    return dict(zip("AB", seen, strict=True)), y


def rejected(kind: str, criterion: str) -> tuple[float, float]:
    """Return how often the test, and one by ranks, say that two representations differ."""
    warnings.simplefilter("ignore", ReldimWarning)
    rng = np.random.default_rng(0)
    tried = [kernels.Gaussian(width) for width in WIDTHS]
    found = ranks = 0
    for _ in range(DRAWS):
        seen, y = views(kind, rng)
        compared = compare(seen, y, kernels=tried, criterion=criterion)
        found += bool(compared.differences["beyond_chance"].iloc[0])
        difference = compared.losses[:, 0] - compared.losses[:, 1]
        by_ranks = wilcoxon(difference, zero_method="zsplit").pvalue if any(difference) else 1.0
        ranks += by_ranks <= 0.05
    return found / DRAWS, ranks / DRAWS


def level(run: Callable[..., Iterator[Any]], criterion: str = "leave-one-out") -> str:
    """Lay out how often a difference is found where there is none, and where there is one."""
    ways = ("noisy views", "columns of noise", "nearly useless views", "twice the noise in one")
    targets = ("numbers", "two classes", "three classes")
    kinds = [f"{way}, {target}" for way in ways for target in targets]
    shares = iter(run(rejected, kinds, [criterion] * len(kinds)))
    rows = [[way, *("{:.1%} / {:.1%}".format(*next(shares)) for _ in targets)] for way in ways]
    rows[-1] = [f"*{rows[-1][0]}*", *rows[-1][1:]]
    error = 100 * (0.05 * 0.95 / DRAWS) ** 0.5
    return table(
        "How often two representations are said to differ",
        ["drawn", *targets],
        rows,
        "By the paired t-test, and by a signed-rank test on the same errors, at the level of 5%. "
        f"Pairs of equal worth, but for the last row; 100 rows, {DRAWS} draws each, criterion "
        f"{criterion}. The standard error of a share of 5% is {error:.1f} points.",
    )


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="ranking, level")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--criterion", default="leave-one-out", help="of the table of the level")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        sections = {
            "ranking": partial(ranking, pool.map),
            "level": partial(level, pool.map, options.criterion),
        }
        for name in options.names or sections:
            publish(PAGE, name, sections[name](), write=options.write)


if __name__ == "__main__":
    main()
