"""Run the numerical tests with other processors' arithmetic, on one machine; print a table.

OpenBLAS takes the kernels of another processor by OPENBLAS_CORETYPE, NumPy leaves out instructions
by NPY_DISABLE_CPU_FEATURES. Neither makes a machine do what it cannot: which are honoured is
found out first, and arithmetic that was seen already is not run again.

    python .ci/processors.py                            # all of it
    python .ci/processors.py --quick                    # what continuous integration runs
    python .ci/processors.py --whole                    # what make test runs, once per processor
    python .ci/processors.py --write docs/reliability.md
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

CORES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX")

#: Tests whose figures come from a decomposition, and the few of them that take seconds.
TESTS = (
    "tests/relevance",
    "tests/spectrum",
    "tests/search",
    "tests/cutoffs",
    "tests/eigensolvers/test_contract.py",
    "tests/eigensolvers/test_exhaustion.py",
    "tests/eigensolvers/test_lapack.py",
    "tests/eigensolvers/test_lowrank.py",
    "tests/reliability/test_sameness.py",
    "tests/reliability/test_invariances.py",
    "tests/diagnosis/test_diagnosis.py",
    "tests/test_papers.py",
)
QUICK_TESTS = (
    "tests/relevance/test_estimation.py",
    "tests/relevance/test_leave_one_out.py",
    "tests/reliability/test_sameness.py",
    "tests/reliability/test_invariances.py",
    "tests/diagnosis/test_diagnosis.py::TestTables",
    "tests/test_papers.py",
)

#: What a process with some arithmetic says about itself; a product shows whether it can do it.
PROBE = """
import json, numpy, scipy.linalg, threadpoolctl
try:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
except ImportError:
    from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__
numpy.ones((200, 200)) @ numpy.ones((200, 200))
scipy.linalg.eigh(numpy.eye(200))
libraries = [x for x in threadpoolctl.threadpool_info() if x["user_api"] == "blas"]
print(json.dumps({
    "blas": sorted({x.get("architecture") or x["internal_api"] for x in libraries}),
    "numpy": [name for name in __cpu_dispatch__ if __cpu_features__[name]],
}))
"""


@dataclass(frozen=True)
class Arithmetic:
    """What a run computes with: the processor of BLAS, instructions without, threads."""

    core: str
    without: tuple[str, ...]
    threads: int

    @property
    def environment(self) -> dict[str, str]:
        """The variables that ask for it."""
        threads = str(self.threads)
        chosen = {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        if self.core:
            chosen["OPENBLAS_CORETYPE"] = self.core
        if self.without:
            chosen["NPY_DISABLE_CPU_FEATURES"] = " ".join(self.without)
        return {**os.environ, **chosen}


def probed(arithmetic: Arithmetic) -> dict[str, list[str]] | None:
    """Return what a process finds; None where the machine cannot do it."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROBE],
        env=arithmetic.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


def honoured() -> tuple[list[str], tuple[str, ...]]:
    """Return processors whose arithmetic differs here, and instructions NumPy can leave out."""
    own = probed(Arithmetic("", (), 1))
    if own is None:
        raise SystemExit("NumPy and SciPy do not work here: run make test first.")
    cores, seen = [], {tuple(own["blas"])}
    for core in CORES:
        found = probed(Arithmetic(core, (), 1))
        if found is not None and tuple(found["blas"]) not in seen:
            seen.add(tuple(found["blas"]))
            cores.append(core)
    print(f"this machine: BLAS of {', '.join(own['blas'])}; others: {', '.join(cores) or 'none'}")
    return cores, tuple(own["numpy"])


def every(cores: list[str], features: tuple[str, ...]) -> Iterator[Arithmetic]:
    """Yield all that the machine can do."""
    left_out = [(), features] if features else [()]
    for core, without, threads in product([*cores, ""], left_out, (1, 2)):
        yield Arithmetic(core, without, threads)


def some(cores: list[str], features: tuple[str, ...]) -> Iterator[Arithmetic]:
    """Yield the oldest arithmetic, and this machine's own with two threads."""
    if cores:
        yield Arithmetic(cores[0], features, 1)
    yield Arithmetic("", (), 2)


def whole(cores: list[str], features: tuple[str, ...]) -> Iterator[Arithmetic]:
    """Yield each processor once, all but this machine's own with NumPy's oldest instructions."""
    for core in cores:
        yield Arithmetic(core, features, 1)
    yield Arithmetic("", (), 1)


#: Arithmetic and tests by option; no files are all tests.
MODES = {"": (every, TESTS), "--quick": (some, QUICK_TESTS), "--whole": (whole, ())}


def run(arithmetic: Arithmetic, tests: list[str]) -> tuple[int, int]:
    """Run tests; return how many passed and how many did not, and print what these say."""
    # Threads of several processes would wait for each other.
    workers = "auto" if arithmetic.threads == 1 else "0"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pytest", "-q", "-n", workers, "-m", "not slow", *tests],
        env=arithmetic.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    passed, failed = counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")
        failed = max(failed, 1)
    return passed, failed


def written(page: Path, name: str, table: str) -> None:
    """Put the table between its marks in a page."""
    text = page.read_text(encoding="utf-8")
    marks = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    if not marks.search(text):
        raise SystemExit(f"{page} has no <!-- {name} --> ... <!-- /{name} -->.")
    page.write_text(marks.sub(lambda _: table, text), encoding="utf-8")


def main() -> int:
    """Run the tests for each arithmetic; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", help="files of tests, by default the numerical ones")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="few of them, and fewer tests")
    size.add_argument("--whole", action="store_true", help="all tests that make test runs")
    parser.add_argument("--write", type=Path, help="page to write the table into")
    options = parser.parse_args()
    mode = "--quick" if options.quick else "--whole" if options.whole else ""
    chosen, usual = MODES[mode]
    tests = options.tests or list(usual)
    rows, failures = [], 0
    for arithmetic in chosen(*honoured()):
        passed, failed = run(arithmetic, tests)
        failures += failed
        core, without = arithmetic.core or "this machine's", " ".join(arithmetic.without)
        left_out = f"without {without}" if without else "all"
        rows.append(f"| {core} | {left_out} | {arithmetic.threads} | {passed} | {failed} |")
        print(rows[-1], flush=True)
    head = "| BLAS | NumPy's instructions | threads | passed | failed |\n|---|---|---|---|---|\n"
    if options.write is not None:
        command = " ".join(filter(None, ["python .ci/processors.py", mode, *options.tests]))
        table = head + "\n".join(rows) + f"\n\nWritten by `{command}`.\n"
        written(options.write, "processors-whole" if options.whole else "processors", table)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
