"""Work in many equal parts: in several processes, and kept on disk so that a run can go on."""

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

__all__ = ["CACHE", "compute", "metered"]

#: What was computed already. Ignored by git; may be deleted at any time.
CACHE = Path(__file__).parent / "cache"

Task = tuple[Any, ...]

#: Meters that are running, see `metered`.
_meters: list[list[float]] = []


@contextmanager
def metered() -> Iterator[Callable[[], float]]:
    """Measure processor seconds; results of earlier runs count with the time that they took then.

    What is yielded tells the seconds so far.
    """
    meter: list[float] = []
    start = time.process_time()
    _meters.append(meter)
    try:
        yield lambda: time.process_time() - start + sum(meter)
    finally:
        _meters.pop()


def compute(
    function: Callable[..., Any], kind: str, tasks: Iterable[Task], *, jobs: int = 1
) -> list[Any]:
    """Call ``function(*task)`` for each task, or read what an earlier run made of it.

    Parameters
    ----------
    function : callable
        A function of a module, so that another process can find it. Returns what JSON can hold.
    kind : str
        Names the folder of the results. It carries a version: results of another version of
        the function are not to be read.
    tasks : iterable of tuple
        Arguments. Their texts name the files.
    jobs : int
        Number of processes.

    Returns
    -------
    list
        The results in the order of the tasks.
    """
    start = time.process_time()
    tasks = list(tasks)
    paths = [CACHE / kind / f"{_file_name(task)}.json" for task in tasks]
    missing = [place for place, path in enumerate(paths) if not path.is_file()]
    if missing:
        (CACHE / kind).mkdir(parents=True, exist_ok=True)
        todo = [(function, tasks[place], paths[place]) for place in missing]
        if jobs == 1:
            for number, each in enumerate(todo):
                _make(*each)
                _report(kind, number + 1, len(todo))
        else:
            # Several processes of one thread each are quicker than one of several threads.
            with ProcessPoolExecutor(jobs, initializer=threadpool_limits, initargs=(1,)) as pool:
                for number, _ in enumerate(pool.map(_make, *zip(*todo, strict=True))):
                    _report(kind, number + 1, len(todo))
    stored = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    for meter in _meters:
        meter.append(sum(each["seconds"] for each in stored) - (time.process_time() - start))
    return [each["result"] for each in stored]


def _file_name(task: Task) -> str:
    return re.sub(r"[^\w.+-]+", "_", "-".join(str(part) for part in task))


def _make(function: Callable[..., Any], task: Task, path: Path) -> None:
    start = time.process_time()
    result = function(*task)
    text = json.dumps({"seconds": round(time.process_time() - start, 3), "result": result})
    # Written aside and moved, so that an interrupted run leaves no half of a file.
    aside = path.with_suffix(f".{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def _report(kind: str, done: int, total: int) -> None:
    if done == total or done % max(1, total // 10) == 0:
        print(f"  {kind}: {done} of {total}", flush=True)
