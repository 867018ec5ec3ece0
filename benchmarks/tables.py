"""Real tables, one by one: what a diagnosis says, and what is true on rows that it never saw.

    python benchmarks/tables.py --folder DIR                 # all tables of a folder
    python benchmarks/tables.py --folder DIR boston car      # some of them
    python benchmarks/tables.py --folder DIR --write         # and into docs/calibration.md
    python benchmarks/tables.py --folder DIR --others        # tables of other_tables.py

The folder holds files NAME.csv.gz, training rows first, and reference.json: for each name the
column of the `target`, the `task`, the number of rows to `train` on and, where other models were
tried, their test `error` and its `standard_error`, each by the model's name. Errors are shares of
wrong labels, or mean squares over the variance of the targets.
"""

import argparse
import json
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import table
from run import DOCS, publish

from reldim import diagnose
from reldim.exceptions import ReldimWarning

PAGE = DOCS / "calibration.md"

#: Another model is clearly better below this share of the error, by two standard errors.
BETTER = 0.85


@dataclass(frozen=True)
class OpenTable:
    """A table as it comes, and what other models reach on its test rows."""

    name: str
    X: pd.DataFrame
    y: pd.Series
    task: str
    train: int
    errors: dict[str, float]
    standard_errors: dict[str, float]

    @property
    def training(self) -> tuple[pd.DataFrame, pd.Series]:
        """The rows to learn from."""
        return self.X[: self.train], self.y[: self.train]

    @property
    def test(self) -> tuple[pd.DataFrame, pd.Series]:
        """The rows to test on."""
        X, y = self.X[self.train :], self.y[self.train :]
        return X.reset_index(drop=True), y.reset_index(drop=True)

    @property
    def best(self) -> tuple[str, float, float]:
        """The best of the other models, its error and its standard error."""
        model = min(self.errors, key=lambda name: self.errors[name])
        return model, self.errors[model], self.standard_errors[model]

    def error_of(self, predicted: Any) -> float:
        """Return the error of predictions on the test rows."""
        truth = self.test[1].to_numpy()
        if self.task == "classification":
            return float(np.mean(np.asarray(predicted).astype(str) != truth.astype(str)))
        return float(np.mean((np.asarray(predicted).ravel() - truth) ** 2) / np.var(truth))


def open_tables(folder: Path, names: Sequence[str] = ()) -> Iterator[OpenTable]:
    """Yield the tables of a folder, all or some of them."""
    known = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    for name in names or sorted(known):
        entry = known[name]
        frame = pd.read_csv(folder / f"{name}.csv.gz")
        yield OpenTable(
            name=name,
            X=frame.drop(columns=entry["target"]),
            y=frame[entry["target"]],
            task=entry["task"],
            train=entry["train"],
            errors=entry.get("error", {}),
            standard_errors=entry.get("standard_error", {}),
        )


@dataclass(frozen=True)
class Judged:
    """What a diagnosis said about a table, and what was true."""

    table: OpenTable
    codes: list[str]
    alternatives: tuple[str, ...]
    expected: float
    error: float
    noise: float
    interval: tuple[float, float]
    reference: str
    seconds: float

    @property
    def faults(self) -> list[str]:
        """What is said and not true."""
        low = self.interval[0]
        faults = {"noise above error": self.noise > self.expected + 1e-9}
        if self.table.errors:
            _, best, doubt = self.table.best
            faults["noise that others learn"] = low > best + 2 * doubt
            faults["wrong RD003"] = (
                self.codes[0] == "RD003" and best + 2 * doubt < BETTER * self.error
            )
        return [name for name, wrong in faults.items() if wrong]


def judge(one: OpenTable) -> Judged:
    """Diagnose the training rows, and predict the test rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReldimWarning)
        start = time.perf_counter()
        found = diagnose(*one.training, task=one.task)
        codes = [found.verdict.code, *(finding.code for finding in found.findings)]
        seconds = time.perf_counter() - start
        beside = min(found.models_beside, key=lambda model: model.error, default=None)
        return Judged(
            table=one,
            codes=codes,
            alternatives=found.verdict.alternatives,
            expected=found.error_estimate,
            error=one.error_of(found.predictor().predict(one.test[0])),
            noise=found.noise_estimate.value,
            interval=found.noise_estimate.interval,
            reference="" if beside is None else f"{beside.model} {percent(beside.error)}",
            seconds=seconds,
        )


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100 * share:.1f}"


def ratio(pairs: Sequence[tuple[float, float, int]]) -> str:
    """Return the geometric mean of ratios of errors, one test row added to each."""
    logs = [np.log((a + 1 / rows) / (b + 1 / rows)) for a, b, rows in pairs]
    return f"{np.exp(np.mean(logs)):.2f}"


def tabulate(found: list[Judged], title: str) -> str:
    """Lay out what was found, one row per table."""
    rows = []
    for one in found:
        low, high = one.interval
        rows.append(
            [
                one.table.name,
                f"{one.table.train}",
                "; ".join([" or ".join([one.codes[0], *one.alternatives]), *one.codes[1:]]),
                f"{percent(one.noise)} ({percent(low)} to {percent(high)})",
                percent(one.expected),
                percent(one.error),
                one.reference,
                f"{one.table.best[0]} {percent(one.table.best[1])}" if one.table.errors else "",
                ", ".join(one.faults),
            ]
        )
    sizes = [len(one.table.y) - one.table.train for one in found]
    honest = ratio([(o.expected, o.error, rows) for o, rows in zip(found, sizes, strict=True)])
    known = [(o, rows) for o, rows in zip(found, sizes, strict=True) if o.table.errors]
    others = ratio([(o.error, o.table.best[1], rows) for o, rows in known]) if known else "-"
    faults = sum(len(one.faults) for one in found)
    return table(
        title,
        [
            "table",
            "rows",
            "verdict, findings",
            "noise",
            "expected error",
            "true error",
            "best reference",
            "best other model on test rows",
            "not true",
        ],
        rows,
        f"In percent. {len(found)} tables, {faults} statements that are not true; expected over "
        f"true error {honest}, true error over that of the best other model {others} (geometric "
        "means). The best reference stands in the diagnosis, cross-validated on the training rows; "
        "the other models (hgb boosted trees, rf forest, et extra trees, svm, lin) were fitted and "
        "tested outside. Not true: a noise above the expected error; an interval of the noise "
        "above what another model reaches by two standard errors; RD003 where another model errs "
        "less than 0.85 as much by two standard errors.",
    )


def parser_of_tables(about: str, usual: str = "all") -> argparse.ArgumentParser:
    """Return a parser of names of tables, their folder, and whether to write a page."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"tables, by default {usual}")
    parser.add_argument("--folder", type=Path, required=True, help="where the tables are")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    return parser


def main() -> None:
    """Run what was asked for."""
    parser = parser_of_tables(__doc__)
    parser.add_argument("--others", action="store_true", help="tables of other_tables.py")
    asked = parser.parse_args()
    found = []
    for one in open_tables(asked.folder, asked.names):
        found.append(judge(one))
        last = found[-1]
        print(
            f"{one.name:14s} {last.codes[0]} expected {percent(last.expected)} true "
            f"{percent(last.error)} noise {percent(last.noise)} {last.seconds:.1f} s "
            f"{', '.join(last.faults)}",
            flush=True,
        )
    title = "Other real tables" if asked.others else "Real tables, one by one"
    name = "tables-others" if asked.others else "tables"
    publish(PAGE, name, tabulate(found, title), write=asked.write)


if __name__ == "__main__":
    main()
