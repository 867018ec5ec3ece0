"""Diagnoses as they are, and with everything computed: what the shortcuts change.

    python benchmarks/shortcuts.py --folder DIR                # tables of a folder, generated rows
    python benchmarks/shortcuts.py --folder DIR --write        # and into docs/benchmarks.md

`tables.py` says what the folder holds. With everything computed, all kernels are tried on all rows
by a full decomposition, strengths of fits, noise, rivals and columns use all rows as well.
"""

import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from harness import table
from run import PAGE, publish
from truths import TUNING

from reldim import diagnose
from reldim.exceptions import ReldimWarning
from tables import open_tables, parser_of_tables, percent

#: What bounds the rows and the ranks of a diagnosis.
BOUNDS = (
    "reldim.search.row_steps.FEW_ROWS",
    "reldim.search.growing_rank.FEW_ROWS",
    "reldim.search.blend.TRIAL_ROWS",
    "reldim.diagnosis.expectation.NOISE_ROWS",
    "reldim.diagnosis.rivals.ROWS",
    "reldim.diagnosis.columns.ROWS",
)

#: Rows of the generated problems, and how many there are of each family.
ROWS = 1500
DRAWS = 3

#: An error has not changed where it is within this share of itself.
WITHIN = 0.01


@dataclass(frozen=True)
class Answer:
    """What a diagnosis says."""

    verdict: str
    kernel: str
    dimension: int
    error: float


@dataclass(frozen=True)
class Pair:
    """A diagnosis as it is, and with everything computed."""

    name: str
    short: Answer
    full: Answer

    @property
    def change(self) -> float:
        """By which share of itself the error changes."""
        return abs(self.short.error - self.full.error) / max(self.full.error, 1e-9)


def answer(X: Any, y: Any, task: str) -> Answer:
    """Diagnose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReldimWarning)
        found = diagnose(X, y, task=task)
        kernel = type(found.kernel).__name__
        return Answer(found.verdict.code, kernel, found.dimension, found.error_estimate)


def both(name: str, X: Any, y: Any, task: str) -> Pair:
    """Diagnose as it is, and with everything computed."""
    short = answer(X, y, task)
    with ExitStack() as lifted:
        for bound in BOUNDS:
            lifted.enter_context(patch(bound, 10**9))
        return Pair(name, short, answer(X, y, task))


def generated() -> Iterator[tuple[str, Any, Any, str]]:
    """Draw problems of all families."""
    for place, (family, make) in enumerate(TUNING.items()):
        for number in range(DRAWS):
            rng = np.random.default_rng([place, number, 7])
            problem = make(rng)
            rows = problem.draw(ROWS, rng)
            yield f"{family} {number + 1}", rows.X, rows.y, problem.task


def tabulate(groups: dict[str, list[Pair]]) -> str:
    """Lay out how often the answers agree, and list those that do not."""
    rows = []
    for name, pairs in groups.items():
        changes = np.array([pair.change for pair in pairs])
        rows.append(
            [
                name,
                f"{len(pairs)}",
                f"{np.mean([pair.short.verdict == pair.full.verdict for pair in pairs]):.0%}",
                f"{np.mean([pair.short.kernel == pair.full.kernel for pair in pairs]):.0%}",
                f"{np.median([_apart(pair) for pair in pairs]):.2f}",
                f"{percent(float(np.median(changes)))}",
                f"{np.mean(changes <= WITHIN):.0%}",
                f"{_mean_ratio(pairs):.3f}",
            ]
        )
    others = [
        f"{pair.name}: {pair.short.verdict} with {percent(pair.short.error)} %, with everything "
        f"{pair.full.verdict} with {percent(pair.full.error)} %"
        for pairs in groups.values()
        for pair in pairs
        if pair.short.verdict != pair.full.verdict
    ]
    told = f" Other verdicts: {'; '.join(others)}." if others else ""
    header = ["problems", "number", "same verdict", "same kind of kernel"]
    header += ["dimension, log2 apart", "error apart, % of itself", "within 1 %"]
    header += ["error over the full one's"]
    return table(
        "What is left out, and with everything computed",
        header,
        rows,
        "Medians; the error over the full one's is a geometric mean. With everything computed, all "
        "kernels are tried on all rows by a full decomposition, and strengths of fits, noise, "
        f"rivals and columns use all rows; weights are learned as they are.{told}",
    )


def _apart(pair: Pair) -> float:
    """How far the dimensions are apart, in factors of two."""
    return float(abs(np.log2(max(pair.short.dimension, 1) / max(pair.full.dimension, 1))))


def _mean_ratio(pairs: list[Pair]) -> float:
    """Return the geometric mean of the ratios of the errors."""
    ratios = [(pair.short.error + 1e-3) / (pair.full.error + 1e-3) for pair in pairs]
    return float(np.exp(np.mean(np.log(ratios))))


def main() -> None:
    """Run what was asked for."""
    asked = parser_of_tables(__doc__).parse_args()
    of_tables = ((o.name, *o.training, o.task) for o in open_tables(asked.folder, asked.names))
    groups: dict[str, list[Pair]] = {}
    for group, problems in (("real tables", of_tables), ("generated", generated())):
        groups[group] = []
        for problem in problems:
            pair = both(*problem)
            groups[group].append(pair)
            print(f"{pair.name:16s} {pair.short}\n{'':16s} {pair.full}", flush=True)
    publish(PAGE, "shortcuts", tabulate(groups), write=asked.write)


if __name__ == "__main__":
    main()
