"""Cores: how many there are, and work that is spread over them.

Work runs side by side in threads, with one thread of BLAS each. Threads of BLAS wait for each other
by spinning: on a machine that does something else as well they take many times as long. With one
thread each, a result also has the same bits on any number of cores.

How many tasks run side by side is decided here and nowhere else. ``on_cores`` says it for all that
is called inside it; ``side_by_side`` asks for it.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import chain, islice
from multiprocessing import parent_process
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
import scipy.linalg  # noqa: F401 - the controller knows the libraries that are loaded
from joblib import cpu_count, parallel_config
from threadpoolctl import ThreadpoolController

from reldim.exceptions import InputError, InputTypeError

__all__ = ["effective_jobs", "on_cores", "one_blas_thread", "side_by_side", "usable_cores"]

T = TypeVar("T")
R = TypeVar("R")

#: How many tasks may run side by side where this is read; None where no caller has said.
_allotted: ContextVar[int | None] = ContextVar("allotted", default=None)


def usable_cores() -> int:
    """Return how many cores this process may use, on any operating system.

    Returns
    -------
    int
        All cores of the machine, or fewer where an affinity, the quota of a container,
        ``PYTHON_CPU_COUNT`` (from Python 3.13 on) or ``LOKY_MAX_CPU_COUNT`` allows fewer.
    """
    counted = getattr(os, "process_cpu_count", os.cpu_count)()
    return max(1, min(int(cpu_count()), counted or 1))


def effective_jobs(n_jobs: int | None = None) -> int:
    """Return how many tasks run side by side, for ``n_jobs`` in scikit-learn's sense.

    Parameters
    ----------
    n_jobs : int, optional
        A number of tasks; -1 stands for one per usable core, -2 for one fewer, and so on. None
        stands for what ``joblib.parallel_config`` asks for, else for one per usable core, of which
        ``OMP_NUM_THREADS`` may allow fewer. Where others use the cores already, in workers of
        joblib and Dask, in child processes and in threads beside the main one, None stands for 1.

    Returns
    -------
    int
        The number, at least 1; never more than an enclosing ``on_cores`` allows.

    Examples
    --------
    >>> effective_jobs(3), effective_jobs(-1) == usable_cores()
    (3, True)
    """
    most = _allotted.get()
    if n_jobs is None:
        return _default_jobs() if most is None else most
    jobs = _counted(n_jobs)
    return jobs if most is None else min(jobs, most)


def _counted(n_jobs: Any) -> int:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise InputTypeError(
            "n_jobs must be None or a whole number, such as 4, or -1 for all cores. "
            f"Got {n_jobs!r} of type {type(n_jobs).__name__} instead."
        )
    jobs = int(n_jobs)
    if jobs == 0:
        raise InputError("n_jobs must not be 0. Pass 1 for one core, or -1 for all cores.")
    return jobs if jobs > 0 else max(1, usable_cores() + 1 + jobs)


def _default_jobs() -> int:
    with parallel_config() as active:
        asked, backend = active["n_jobs"], active["backend"]
    if getattr(backend, "nesting_level", 0):
        return 1
    if isinstance(asked, int):
        return _counted(asked)
    if parent_process() is not None or threading.current_thread() is not threading.main_thread():
        return 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    cores = usable_cores()
    return max(1, min(cores, int(allowed))) if allowed.isdecimal() else cores


@contextmanager
def on_cores(n_jobs: int | None = None) -> Iterator[int]:
    """Spread what is called inside over cores, with one thread of BLAS each.

    Yields
    ------
    int
        How many tasks run side by side.
    """
    jobs = effective_jobs(n_jobs)
    token = _allotted.set(jobs)
    try:
        with one_blas_thread():
            yield jobs
    finally:
        _allotted.reset(token)


def side_by_side(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """Apply a function to tasks on several cores; yield its answers in the order of the tasks.

    No more tasks are begun than can run, so that few answers wait to be taken. Tasks inside a task
    run one after the other. Where the caller stops, by an exception of a task, an interrupt or
    its own choice, tasks that run are waited for, and no other begins.

    Parameters
    ----------
    function : callable
        Called with one task, in any thread.
    tasks : iterable
        The tasks; taken in the thread of the caller.

    Yields
    ------
    Any
        The answers.

    Examples
    --------
    >>> with on_cores(2):
    ...     print(*side_by_side(abs, [-3, 2, -1]))
    3 2 1
    """
    remaining = iter(tasks)
    first = [*islice(remaining, 2)]
    jobs = effective_jobs() if len(first) > 1 else 1
    tasks = chain(first, remaining)
    with one_blas_thread():
        if jobs == 1:
            yield from map(function, tasks)
            return
        pool = ThreadPoolExecutor(jobs, initializer=_limit_this_thread)
        running: deque[Future[R]] = deque()
        # A part of the context from NumPy 2 on; before, of the thread.
        errors = np.geterr()

        def begin(count: int) -> None:
            for task in islice(tasks, count):
                running.append(pool.submit(copy_context().run, _alone, function, task, errors))

        try:
            begin(jobs)
            while running:
                answer = running.popleft().result()
                begin(1)
                yield answer
        finally:
            pool.shutdown(cancel_futures=True)


def _alone(function: Callable[[T], R], task: T, errors: Any) -> R:
    _allotted.set(1)
    with np.errstate(**errors):
        return function(task)


class _OneThread:
    """The limit of one thread of BLAS, in force as long as one caller or more wants it.

    The limit is one for the whole process. Were it set and lifted by each of several threads, one
    would lift it while another works, and the last would restore what another had set.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callers = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._callers:
                _take_control()
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._callers += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._callers -= 1
            if not self._callers:
                _take_control()
                self._limit.restore_original_limits()
                _take_control()


_ONE_THREAD = _OneThread()


def one_blas_thread() -> _OneThread:
    """Return a context in which BLAS uses one thread, in all threads of the process."""
    return _ONE_THREAD


def _take_control() -> None:
    # From version 3.8 on threadpoolctl obeys only the thread that was the first to set a limit.
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


def _limit_this_thread() -> None:
    # Where BLAS is built on OpenMP the limit of the process does not reach a new thread.
    _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    # To look for the libraries takes longer than a block of columns, or a small graph.
    return ThreadpoolController()
