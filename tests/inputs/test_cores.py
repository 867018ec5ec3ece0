"""The policy for cores: how many, what n_jobs means, and work side by side."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from reldim.exceptions import InputError, InputTypeError
from reldim.inputs import cores
from reldim.inputs.cores import (
    effective_jobs,
    on_cores,
    one_blas_thread,
    side_by_side,
    usable_cores,
)


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch):
    """Work as on a machine with eight cores, whatever the environment of the tests says."""
    monkeypatch.setattr(cores, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 8, raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def blas_threads():
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


class TestCores:
    def test_a_quota_or_an_affinity_allows_fewer(self, monkeypatch):
        assert usable_cores() == 8
        monkeypatch.setattr(cores, "cpu_count", lambda: 3)
        assert usable_cores() == 3
        monkeypatch.setattr(os, "process_cpu_count", lambda: 2, raising=False)
        assert usable_cores() == 2

    def test_systems_without_an_affinity_have_all_cores(self, monkeypatch):
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
        monkeypatch.delattr(os, "process_cpu_count", raising=False)
        assert usable_cores() == 8

    def test_a_system_that_does_not_tell_has_one(self, monkeypatch):
        monkeypatch.delattr(os, "process_cpu_count", raising=False)
        monkeypatch.setattr(os, "cpu_count", lambda: None)
        assert usable_cores() == 1

    @pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
    def test_an_affinity_of_this_process(self):
        code = (
            "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
            "from reldim.inputs.cores import usable_cores; print(usable_cores())"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert done.stdout.split() == [b"1"]


class TestJobs:
    @pytest.mark.parametrize(
        "n_jobs, expected", [(1, 1), (3, 3), (99, 99), (-1, 8), (-2, 7), (-8, 1), (-50, 1)]
    )
    def test_numbers(self, n_jobs, expected):
        assert effective_jobs(n_jobs) == effective_jobs(np.int64(n_jobs)) == expected

    def test_none_takes_all_cores(self):
        assert effective_jobs(None) == effective_jobs() == 8

    @pytest.mark.parametrize("text, expected", [("3", 3), ("64", 8), ("0", 1), ("4,2", 8), ("", 8)])
    def test_none_keeps_to_the_threads_of_openmp(self, monkeypatch, text, expected):
        monkeypatch.setenv("OMP_NUM_THREADS", text)
        assert effective_jobs(None) == expected
        assert effective_jobs(-1) == 8

    @pytest.mark.parametrize("asked, expected", [(1, 1), (4, 4), (-2, 7)])
    def test_none_takes_what_joblib_was_told(self, asked, expected):
        with joblib.parallel_config(n_jobs=asked):
            assert effective_jobs(None) == expected
            assert effective_jobs(2) == 2
        assert effective_jobs(None) == 8

    @pytest.mark.parametrize("backend", ["threading", "loky"])
    def test_inside_workers_of_joblib_none_is_one(self, backend):
        found = joblib.Parallel(n_jobs=2, backend=backend)(
            joblib.delayed(effective_jobs)(n_jobs) for n_jobs in (None, 2)
        )
        assert found == [1, 2]

    def test_inside_threads_and_child_processes_none_is_one(self):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(effective_jobs).result() == 1
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            assert pool.submit(effective_jobs).result() == 1

    def test_what_joblib_was_told_holds_in_threads_and_child_processes_too(self):
        def told():
            with joblib.parallel_config(n_jobs=3):
                return effective_jobs()

        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(told).result() == 3

    def test_inside_workers_of_dask_none_is_one(self):
        dask = pytest.importorskip("dask")
        task = dask.delayed(effective_jobs)(None)
        assert task.compute(scheduler="threads") == 1

    def test_zero(self):
        with pytest.raises(InputError, match=r"must not be 0\. Pass 1"):
            effective_jobs(0)

    @pytest.mark.parametrize("n_jobs", [True, 1.5, "2", np.nan])
    def test_what_is_no_number(self, n_jobs):
        with pytest.raises(InputTypeError, match="must be None or a whole number"):
            effective_jobs(n_jobs)

    def test_inside_a_context_no_more_than_it_allows(self):
        with on_cores(3) as outer:
            assert outer == effective_jobs() == effective_jobs(-1) == effective_jobs(5) == 3
            with on_cores() as same, on_cores(2) as fewer:
                assert (same, fewer, effective_jobs()) == (3, 2, 2)
            assert effective_jobs() == 3
        assert effective_jobs() == 8


class TestOneThread:
    def test_is_lifted_at_the_end(self):
        with threadpool_limits(2, user_api="blas"):
            with one_blas_thread():
                assert blas_threads() == {1}
                with one_blas_thread():
                    assert blas_threads() == {1}
                assert blas_threads() == {1}
            assert blas_threads() == {2}

    def test_of_several_threads_the_last_one_lifts_it(self):
        # The first caller leaves while the second works: neither sees the other's limit.
        entered, leave = threading.Event(), threading.Event()
        inside = []

        def second():
            with one_blas_thread():
                entered.set()
                leave.wait()
                inside.append(blas_threads())

        thread = threading.Thread(target=second)
        with threadpool_limits(2, user_api="blas"):
            with one_blas_thread():
                thread.start()
                entered.wait()
            leave.set()
            thread.join()
            assert (inside, blas_threads()) == ([{1}], {2})

    def test_is_lifted_after_an_error(self):
        with threadpool_limits(2, user_api="blas"):
            with pytest.raises(ZeroDivisionError), on_cores(2):
                list(side_by_side(lambda k: 1 // k, [1, 0, 2]))
            assert blas_threads() == {2}


class TestSideBySide:
    @given(tasks=st.lists(st.integers(-5, 5), max_size=12), jobs=st.integers(1, 4))
    def test_equals_map(self, tasks, jobs):
        with on_cores(jobs):
            assert [*side_by_side(abs, iter(tasks))] == [*map(abs, tasks)]

    def test_runs_at_the_same_time_with_one_thread_of_blas(self):
        together = threading.Barrier(3)

        def meet(_):
            together.wait(timeout=20)
            return blas_threads(), effective_jobs(), effective_jobs(4)

        with threadpool_limits(2, user_api="blas"), on_cores(3):
            assert [*side_by_side(meet, range(6))] == [({1}, 1, 1)] * 6

    def test_the_order_is_that_of_the_tasks_and_few_answers_wait(self):
        begun = []

        def work(k):
            begun.append(k)
            time.sleep(0.05 if k == 0 else 0.0)
            return k

        with on_cores(2):
            for expected, answer in enumerate(side_by_side(work, range(10))):
                assert answer == expected
                assert len(begun) <= expected + 3

    def test_one_job_or_one_task_stays_in_the_thread_of_the_caller(self):
        here = threading.get_ident()
        for jobs, tasks in ((1, range(3)), (4, range(1))):
            with on_cores(jobs):
                found = {*side_by_side(lambda _: threading.get_ident(), tasks)}
            assert found == {here}

    def test_the_first_error_in_order_is_raised_and_nothing_is_left_behind(self):
        begun = []

        def fail(k):
            begun.append(k)
            raise ValueError(k)

        threads = threading.active_count()
        with pytest.raises(ValueError, match="^0$"), on_cores(2):
            list(side_by_side(fail, range(100)))
        assert len(begun) <= 3
        assert threading.active_count() == threads

    def test_a_caller_that_stops_leaves_nothing_behind(self):
        begun = []
        threads = threading.active_count()
        with on_cores(2):
            answers = side_by_side(begun.append, range(100))
            next(answers)
            answers.close()
        assert len(begun) <= 3
        assert threading.active_count() == threads

    def test_settings_of_the_caller_hold_in_tasks(self):
        with np.errstate(divide="raise"), on_cores(2), pytest.raises(FloatingPointError):
            list(side_by_side(lambda x: np.ones(1) / x, [1.0, 0.0]))

    def test_an_interrupt_waits_for_what_runs_and_begins_no_more(self):
        if threading.current_thread() is not threading.main_thread():
            pytest.skip("signals reach the main thread only")
        begun, ended = [], []

        def work(k):
            begun.append(k)
            time.sleep(0.2)
            if k == 1:
                signal.raise_signal(signal.SIGINT)
            time.sleep(0.2)
            ended.append(k)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        threads = threading.active_count()
        try:
            with pytest.raises(KeyboardInterrupt), on_cores(2):
                list(side_by_side(work, range(50)))
        finally:
            signal.signal(signal.SIGINT, before)
        assert sorted(ended) == sorted(begun)
        assert len(begun) <= 4
        assert threading.active_count() == threads
        assert cores._ONE_THREAD._callers == 0
