"""Fuzz every target for some seconds, by coverage where atheris is installed, and count.

Example: ``python -m fuzz.run --seconds 10``; ``--target csv`` picks one.
"""

import argparse
import importlib.util
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from fuzz.record import record
from fuzz.targets import SEEDS, TARGETS, attempt
from reldim.inputs.cores import usable_cores

__all__ = ["fuzz_by_coverage", "fuzz_by_mutation", "main", "mutated"]


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    """Change a seed: flip, insert, delete, repeat, cut, or join it with another."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data) + 1)
        end = min(len(data), place + rng.randint(1, 16))
        how = rng.randrange(6)
        if how == 0 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[place:place] = rng.randbytes(rng.randint(1, 8))
        elif how == 2:
            del data[place:end]
        elif how == 3:
            data[place:place] = data[place:end] * rng.randint(1, 20)
        elif how == 4:
            del data[place:]
        else:
            other = rng.choice(seeds)
            data[place:] = other[rng.randrange(len(other) + 1) :]
    return bytes(data)


def fuzz_by_mutation(target: str, seconds: float, seed: int = 0) -> tuple[int, list[str]]:
    """Feed mutated seeds to a target; return how many, and the faults."""
    rng, seeds, faults, runs = random.Random(seed or None), SEEDS[target](), [], 0
    end = time.monotonic() + seconds
    while runs < len(seeds) or (time.monotonic() < end and len(faults) < 5):
        data = seeds[runs] if runs < len(seeds) else mutated(rng, seeds)
        runs += 1
        try:
            attempt(target, data)
        except Exception:
            faults.append(f"{data[:300]!r}\n{traceback.format_exc()}")
    return runs, faults


def fuzz_by_coverage(target: str, seconds: float, seed: int = 0) -> tuple[int, list[str]]:
    """Let atheris look for new paths through the code; return how many inputs, and the faults.

    A seed of 0 stands for a new one each time. An input that shows a fault is kept in the folder
    ``build/fuzz``.
    """
    kept = Path("build", "fuzz")
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(SEEDS[target]()):
            Path(folder, str(number)).write_bytes(data)
        command = [
            sys.executable,
            "-m",
            "fuzz.guided",
            target,
            folder,
            f"-max_total_time={max(1, int(seconds))}",
            f"-seed={seed}",
            f"-artifact_prefix={kept}/{target}-",
            "-timeout=60",
            "-rss_limit_mb=4096",
            "-max_len=65536",
            "-print_final_stats=1",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    output = done.stdout + done.stderr
    found = re.search(r"number_of_executed_units: (\d+)", output)
    if not done.returncode:
        return int(found[1]) if found else 0, []
    exception = output.partition("Uncaught Python exception")[2].partition("\nINFO:")[0]
    artifact = re.search(r"Test unit written to (\S+)", output)
    where = f"input kept in {artifact[1]}\n" if artifact else ""
    return int(found[1]) if found else 0, [where + (exception or output[-2000:])]


def main() -> int:
    """Fuzz, print and write the counts; the exit code tells of faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each target")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--target", action="append", choices=[*TARGETS])
    parser.add_argument(
        "--blind", action="store_true", help="do not follow coverage, which takes long to begin"
    )
    parser.add_argument("--kind", choices=["quick", "long"], default="quick")
    parser.add_argument("--write", type=Path, help="page whose figures are brought up to date")
    options = parser.parse_args()
    guided = not options.blind and importlib.util.find_spec("atheris") is not None
    counts, faults = {}, []
    targets = options.target or list(TARGETS)
    fuzz = fuzz_by_coverage if guided else fuzz_by_mutation
    with ProcessPoolExecutor(usable_cores()) as pool:
        answers = pool.map(partial(fuzz, seconds=options.seconds, seed=options.seed), targets)
        for target, (runs, found) in zip(targets, answers, strict=True):
            counts[target] = runs
            faults += found
            print(f"{target:8} {runs:9} inputs, {len(found)} faults", flush=True)
            for fault in found:
                print(fault)
    how = "by coverage (atheris)" if guided else "by mutation"
    print(f"{sum(counts.values())} inputs {how}, {len(faults)} faults")
    if options.write is not None:
        record(
            options.write,
            {
                f"fuzz-{options.kind}-inputs": f"{sum(counts.values()):,}".replace(",", " "),
                f"fuzz-{options.kind}-each": ", ".join(f"{t} {c}" for t, c in counts.items()),
                f"fuzz-{options.kind}-seconds": f"{options.seconds:g}",
                f"fuzz-{options.kind}-faults": str(len(faults)),
                f"fuzz-{options.kind}-how": how,
            },
        )
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
