"""The solver of a cluster: what it counts, moves and holds, and how it scales.

python benchmarks/scaling.py [--write] [--small] [transfers] [million] [whole] [five] [strong]

With ``--write`` the tables replace those of docs/scaling.md; ``--small`` tries them on few rows.
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.sizeof import sizeof
from distributed import SchedulerPlugin
from harness import peak_megabytes, table
from run import DOCS, machine, write_sections

from reldim import decompose, diagnose, kernels, relevant_dimension
from reldim.eigensolvers.dask import clients, cluster

PAGE = DOCS / "scaling.md"

KERNEL = kernels.Gaussian(10.0)
FEATURES = 10
ITEM = 4  # bytes of a number in single precision


class Counting(SchedulerPlugin):
    """Count the tasks that workers finish, by kind."""

    name = "counting"

    def __init__(self) -> None:
        self.finished: Counter[str] = Counter()

    def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
        """Note a task that has just been computed."""
        if start == "processing" and finish == "memory":
            name = key if isinstance(key, str) else key[0]
            self.finished[name.split("-")[0]] += 1


@dataclass
class Run:
    """What a decomposition and an estimate took."""

    seconds: float = 0.0
    rank: int = 0
    steps: int = 0
    blocks: int = 0
    dimension: int = 0
    error: float = 0.0
    to_client: int = 0
    tasks: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    held: list[int] = field(default_factory=list)
    spilled: int = 0


def lazy_problem(n: int) -> tuple[Any, Any]:
    """Draw a smooth function of three of ten features with noise, where the workers are."""
    rows = min(n, 65_536)
    draw = da.random.default_rng(0)
    X = draw.standard_normal((n, FEATURES), chunks=(rows, FEATURES)).astype(np.float32)
    truth = np.sin(1.5 * X[:, 0]) * X[:, 1] + np.cos(X[:, 2])
    return X, truth + 0.35 * draw.standard_normal(n, chunks=rows)


def drawn(n: int) -> tuple[Any, Any]:
    """Draw the problem, and wait until the workers hold it."""
    X, y = dask.persist(*lazy_problem(n))
    float(y.sum() + X.sum())
    return X, y


def measured(n: int, rank: int | None, workers: int = 2, memory: str = "4GB") -> Run:
    """Decompose and estimate on a cluster of its own, and note what happened."""
    run = Run()
    plain = clients.compute

    def noting(*collections: Any) -> Any:
        result = plain(*collections)
        run.to_client += sizeof(result)
        return result

    with cluster(workers=workers, memory=memory) as client:
        client.register_plugin(Counting())
        X, y = drawn(n)
        clients.compute = noting
        try:
            start = time.perf_counter()
            # Landmarks are twice the rank that is asked for.
            keep = None if rank is None else rank // 2
            spectrum = decompose(KERNEL, X, rank=keep)
            rd = relevant_dimension(spectrum, y)
            run.error = rd.error_estimate
            run.seconds = time.perf_counter() - start
        finally:
            clients.compute = plain
        factor = spectrum.basis.factor
        run.rank, run.dimension = factor.rank, rd.dimension
        run.steps, run.blocks = len(factor.widths), len(factor.blocks.sizes)
        run.tasks = client.run_on_scheduler(
            lambda dask_scheduler: dask_scheduler.plugins["counting"].finished
        )
        run.held = client.run_on_scheduler(
            lambda dask_scheduler: [int(w.nbytes) for w in dask_scheduler.workers.values()]
        )
        figures = client.run(_figures)
        run.sent = sum(own[0] for own in figures.values())
        run.spilled = sum(own[1] for own in figures.values())
    return run


def _figures(dask_worker: Any) -> tuple[int, int]:
    """Return the bytes that a worker sent, and how often it wrote to its disk."""
    metrics = getattr(dask_worker.data, "cumulative_metrics", {})
    writes = sum(
        value
        for (label, unit), value in metrics.items()
        if label == "disk-write" and unit == "count"
    )
    return int(dask_worker.transfer_outgoing_bytes_total), int(writes)


def operations(n: float, k: float, d: float = FEATURES, relevant: float = 0.0) -> float:
    """Operations of a factor of rank k, of F^T F, and of the leverages."""
    return n * (3 * k**2 + 2 * k * (d + 2) + 2 * k * relevant)


def broadcast_bytes(k: float, steps: float, d: float = FEATURES) -> float:
    """Bytes that each worker gets: landmarks, their rows of F, and the small matrices."""
    panel = k / steps
    return ITEM * (k * d + k**2 / 2 + k * panel) + 8 * k * panel


def memory_bytes(n: float, k: float, workers: float, d: float = FEATURES) -> float:
    """Bytes that each worker holds: data, factor, and what is left of the diagonal."""
    return n * (ITEM * (k + d) + 8) / workers


def transfers(*, small: bool = False) -> str:
    """Hold the cost model against counts."""
    n = 60_000 if small else 1_000_000
    run = measured(n, 64 if small else 256)
    B, T, k = run.blocks, run.steps, run.rank
    F_bytes = n * k * ITEM
    rows = [
        ["panels of F, tasks", f"T B = {T * B}", f"{run.tasks['new_panel']}"],
        ["rests of the diagonal, tasks", f"T B = {T * B}", f"{run.tasks['new_left']}"],
        ["sums of the rest, tasks", f"at least (T + 1) B = {(T + 1) * B}", f"{run.tasks['of']}"],
        ["rows proposed, tasks", f"at least T = {T}", f"{run.tasks['rows_of_block']}"],
        [
            "bytes to the client, MB",
            f"{_client_bytes(k, B, T) / 1e6:.2f}",
            f"{run.to_client / 1e6:.2f}",
        ],
        [
            "bytes that workers send, MB",
            f"features and targets {n * (ITEM * FEATURES + 24) / 1e6:.0f} (F: {F_bytes / 1e6:.0f})",
            f"{run.sent / 1e6:.2f}",
        ],
        [
            "bytes held by a worker, MB",
            f"{memory_bytes(n, k, 2) / 1e6:.0f}",
            ", ".join(f"{own / 1e6:.0f}" for own in run.held),
        ],
    ]
    return table(
        f"Counts: {n:,} x {FEATURES} rows, rank {k}, two workers",
        ["what", "model", "measured"],
        rows,
        f"B = {B} blocks of rows, T = {T} steps. Bytes held include the targets, and what was "
        "fitted to them.",
    )


def _client_bytes(k: float, blocks: float, steps: float) -> float:
    # About twice as many rows are proposed as are accepted; a sum of a block takes some 200 bytes.
    return 2 * k * ITEM * (FEATURES + k / 2) + 8 * k**2 + 200 * blocks * steps


def million(*, small: bool = False) -> str:
    """Compare the cost of a row from few rows to many."""
    sizes = (20_000, 60_000) if small else (100_000, 300_000, 1_000_000, 3_000_000, 5_000_000)
    rows = []
    for n in sizes:
        run = measured(n, 64 if small else 128)
        rows.append(
            [
                f"{n:,}",
                f"{run.rank}",
                f"{run.seconds:.1f}",
                f"{1e6 * run.seconds / n:.2f}",
                f"{sum(run.tasks.values())}",
                f"{run.dimension}",
                f"{run.error:.4f}",
            ]
        )
    (n1, s1), (n2, s2) = ((float(r[0].replace(",", "")), float(r[2])) for r in (rows[0], rows[-1]))
    slope = (s2 - s1) / (n2 - n1)
    return table(
        "Cost of a row, two workers",
        ["rows", "rank", "time, s", "µs per row", "tasks", "d", "error"],
        rows,
        f"From the first row to the last time grows by {1e6 * slope:.2f} µs per row, and what does "
        f"not depend on the rows takes {max(0.0, s1 - slope * n1):.1f} s.",
    )


def whole(*, small: bool = False) -> str:
    """Diagnose three million rows with default arguments, beside one width."""
    n = 60_000 if small else 3_000_000
    one = measured(n, 64 if small else 512)
    with cluster(workers=2, memory="4GB") as client:
        X, y = drawn(n)
        start = time.perf_counter()
        found = diagnose(X, y)
        verdict, error = found.verdict.code, found.error_estimate
        seconds = time.perf_counter() - start
        spilled = sum(own[1] for own in client.run(_figures).values())
    kernel, rank = found.kernel, found.relevance.spectrum.rank
    rows = [
        ["time, s", f"{seconds:.0f}", f"{one.seconds:.0f}"],
        ["ratio", f"**{seconds / one.seconds:.1f}**", "1"],
        ["rank", f"{rank}", f"{one.rank}"],
        ["blocks written to disk", f"{spilled}", f"{one.spilled}"],
        ["error", f"{error:.4f}", f"{one.error:.4f}"],
    ]
    return table(
        f"Whole diagnosis: {n:,} x {FEATURES} rows, two workers with 4 GB each",
        ["", "`diagnose(X, y)`", "one width"],
        rows,
        f"Default arguments: {len(found.candidates)} kernels and the verdict ({verdict}); the best "
        f"kernel is `{kernel!r}`. Weights of columns and other models see 2000 rows, drawn.",
    )


def five(*, small: bool = False) -> str:
    """Decompose and estimate five million rows within 4 GB per worker, at the default rank."""
    n = 60_000 if small else 5_000_000
    before = peak_megabytes()
    run = measured(n, 64 if small else None)
    rows = [
        ["rank, chosen by the memory of the workers", f"{run.rank}"],
        ["time, s", f"{run.seconds:.0f}"],
        ["relevant dimension, leave-one-out error", f"{run.dimension}, {run.error:.4f}"],
        ["held by the workers, GB", ", ".join(f"{own / 1e9:.2f}" for own in run.held)],
        ["blocks written to disk", f"{run.spilled}"],
        ["peak memory of the client, MB", f"{peak_megabytes():.0f} ({before:.0f} at the start)"],
        ["bytes that came to the client, MB", f"{run.to_client / 1e6:.1f}"],
    ]
    return table(f"{n:,} x {FEATURES} rows, two workers with 4 GB each", ["", "float32"], rows)


def strong(*, small: bool = False) -> str:
    """Compare one worker with two, a thread each."""
    n = 60_000 if small else 1_000_000
    runs = [measured(n, 64 if small else 512, workers, "8GB") for workers in (1, 2)]
    rows = [
        [f"{workers}", f"{run.seconds:.1f}", f"**{runs[0].seconds / run.seconds:.2f}**"]
        for workers, run in zip((1, 2), runs, strict=True)
    ]
    return table(
        f"One worker and two: {n:,} rows, rank {runs[0].rank}",
        ["workers", "time, s", "speed-up"],
        rows,
        "A thread each; client and scheduler share the same cores.",
    )


def projection() -> str:
    """Carry the model to sizes that do not fit here."""
    k, steps, limit = 256, 17, 64e9
    rows = []
    for n in (1e8, 1e9):
        workers = np.ceil(memory_bytes(n, k, 1) / (clients.SHARE * limit))
        blocks = np.ceil(n / (4096 * np.ceil(max(65_536, n / 1024) / 4096)))
        rows.append(
            [
                f"{n:.0e}",
                f"{workers:.0f}",
                f"{memory_bytes(n, k, workers) / 1e9:.0f}",
                f"{operations(n, k) / 1e12:.0f}",
                f"{operations(n, k) / workers / (16 * 20e9):.0f}",
                f"{broadcast_bytes(k, steps) / 1e6:.2f}",
                f"{_client_bytes(k, blocks, steps) / 1e6:.1f}",
                f"{3 * steps * blocks:.0f}",
            ]
        )
    return table(
        "Model at 10⁸ and 10⁹ rows: ten features, rank 256, float32, workers of 64 GB",
        [
            "rows",
            "workers",
            "GB each",
            "10¹² operations",
            "seconds",
            "MB to a worker",
            "MB to the client",
            "tasks",
        ],
        rows,
        "Seconds at 16 cores per worker and 20 · 10⁹ operations per second and core. These rows "
        "are computed, not measured.",
    )


TABLES = {
    "transfers": transfers,
    "million": million,
    "whole": whole,
    "five": five,
    "strong": strong,
}


def main() -> None:
    """Run what was asked for."""
    options = {argument for argument in sys.argv[1:] if argument.startswith("--")}
    names = [argument for argument in sys.argv[1:] if argument not in options] or [*TABLES]
    unknown = {*names} - {*TABLES, "projection"}
    if unknown:
        sys.exit(
            f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}, projection"
        )
    for name in names:
        work = projection if name == "projection" else TABLES[name]
        text = work() if name == "projection" else work(small="--small" in options)
        text = text if name == "projection" else f"{text}\n*{machine()}*\n"
        print(text, flush=True)
        if "--write" in options:
            write_sections(PAGE, {name: text})


if __name__ == "__main__":
    main()
