"""A cluster: workers that die, lack the package or memory, and work that is cancelled."""

import os
import signal
import time

import dask
import dask.array as da
import numpy as np
import pytest

from lazily import KERNEL, problem
from reldim import KernelRidgeRegressor, decompose, relevant_dimension
from reldim.eigensolvers.dask import check_workers, cluster
from reldim.eigensolvers.dask.clients import (
    computed,
    current_client,
    factor_bytes,
    homes,
    threads,
)
from reldim.eigensolvers.dask.tasks import task
from reldim.exceptions import ClusterError, InputError

MODULE = "reldim.eigensolvers.dask.clients"


class Scheduler:
    address = "tcp://host:8786"


class Stub:
    """A client whose workers answer as told."""

    scheduler = Scheduler()

    def __init__(self, versions=None, limits=()):
        self.versions = versions or {}
        self.limits = limits

    def run(self, function):
        assert callable(function)
        return self.versions

    def scheduler_info(self, n_workers):
        assert n_workers == -1
        return {"workers": {i: {"memory_limit": limit} for i, limit in enumerate(self.limits)}}

    def ncores(self):
        return dict.fromkeys(range(len(self.limits)), 3)


def use(monkeypatch, stub):
    monkeypatch.setattr(f"{MODULE}.current_client", lambda: stub)


class TestWorkers:
    def test_without_a_cluster_this_process_computes(self):
        assert current_client() is None
        check_workers()
        assert threads() == (os.cpu_count() or 1)

    def test_the_same_version_is_fine(self, monkeypatch):
        from reldim import __version__

        use(monkeypatch, Stub({"tcp://a": __version__}))
        check_workers()

    @pytest.mark.parametrize(
        "versions, message",
        [
            ({}, r"tcp://host:8786 has no workers.*dask worker tcp://host:8786"),
            ({"tcp://a": None, "tcp://b": "0"}, r"not installed on 1 of 2 workers.*tcp://a"),
            ({"tcp://a": "0.0.0"}, r"must have reldim .*Got 0.0.0 on some"),
        ],
        ids=["none", "lacking", "other"],
    )
    def test_messages(self, monkeypatch, versions, message):
        use(monkeypatch, Stub(versions))
        with pytest.raises(ClusterError, match=message):
            check_workers()

    def test_blocks_are_shared_out_evenly(self, monkeypatch):
        assert homes(2) == (None, None)
        use(monkeypatch, Stub(limits=(1, 1)))
        assert homes(7) == (0, 0, 0, 0, 1, 1, 1)
        use(monkeypatch, Stub())
        assert homes(2) == (None, None)

    def test_half_of_the_memory_of_all_workers(self, monkeypatch):
        use(monkeypatch, Stub(limits=(4e9, 4e9)))
        assert factor_bytes(None) == 4_000_000_000
        assert factor_bytes(1000) == 1000
        assert threads() == 6
        use(monkeypatch, Stub(limits=(4e9, 0)))
        assert factor_bytes(None) is None


class KilledWorker(Exception):  # noqa: N818 - as distributed names it
    pass


class CommClosedError(Exception):
    pass


def fail(error):
    raise error


class TestFailures:
    @pytest.mark.parametrize(
        "error, message",
        [
            (KilledWorker(), r"died again and again.*lack of memory"),
            (MemoryError(), r"too little memory.*float32"),
            (CommClosedError(), r"connection to the scheduler was lost"),
        ],
        ids=["killed", "memory", "connection"],
    )
    def test_what_they_mean(self, error, message):
        with pytest.raises(ClusterError, match=message):
            computed([task(fail, error)])

    def test_other_errors_stay_what_they_are(self):
        with pytest.raises(ZeroDivisionError):
            computed([task(fail, ZeroDivisionError())])

    def test_a_dead_scheduler(self, monkeypatch):
        monkeypatch.setattr(f"{MODULE}.PATIENCE", 0.5)
        with (
            pytest.raises(ClusterError, match=r"No scheduler answers at tcp://127.0.0.1:9"),
            cluster("tcp://127.0.0.1:9"),
        ):
            pass

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"scheduler": "tcp://a:1", "workers": 2}, "not both"),
            ({"workers": 0}, "At least one worker is needed. Got 0"),
        ],
    )
    def test_what_cannot_be_asked_for(self, options, message):
        with pytest.raises(InputError, match=message), cluster(**options):
            pass

    def test_nothing_asked_for(self):
        with cluster() as client:
            assert client is None


def tasks_of(client):
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


@pytest.fixture(scope="module")
def client():
    with cluster(workers=2, memory="1GB") as client:
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
class TestLocalCluster:
    def decomposed(self, X, **options):
        return decompose(KERNEL, da.from_array(X, chunks=(200, 3)), rank=40, **options)

    @pytest.fixture(autouse=True)
    def small_blocks(self, monkeypatch):
        monkeypatch.setattr("reldim.eigensolvers.dask.rows.MULTIPLE", 64)

    def test_same_as_in_memory_and_nothing_is_left(self, client):
        X, y = problem()
        memory = decompose(KERNEL, X, solver="lowrank", rank=40)
        blocks = self.decomposed(X)
        rd = relevant_dimension(blocks, da.from_array(y, chunks=200))
        expected = relevant_dimension(memory, y)
        assert blocks.basis.factor.pivots == memory.basis.factor.pivots
        np.testing.assert_allclose(blocks.eigenvalues, memory.eigenvalues, rtol=1e-12)
        assert rd.dimension == expected.dimension
        assert rd.negative_log_likelihood == pytest.approx(expected.negative_log_likelihood)
        del blocks, rd
        wait_until(lambda: tasks_of(client) == 0)

    def test_no_key_stands_for_two_tasks(self, client, caplog):
        """Two tasks of one key may block a scheduler, which warns of it."""
        X, y = problem()
        data = da.from_array(X, chunks=(200, 3)) * 2.0 - 1.0
        labels = da.from_array(y, chunks=200) + 1.0
        with caplog.at_level("WARNING", logger="distributed.scheduler"):
            rd = relevant_dimension(
                decompose(KERNEL, data, rank=40), labels, criterion="leave-one-out"
            )
            figures = (rd.noise_level, rd.error_estimate, float(labels.sum()), float(data.sum()))
            model = KernelRidgeRegressor(KERNEL).fit(data, labels)
        assert np.all(np.isfinite(figures))
        assert np.isfinite(np.asarray(model.predict(data))).all()
        assert "run_spec" not in caplog.text

    def test_a_factor_stays_where_it_was_computed(self, client):
        def sent(dask_worker):
            return dask_worker.transfer_outgoing_bytes_total

        X, _ = problem(6000)
        before = sum(client.run(sent).values())
        factor = self.decomposed(X).basis.factor
        moved = sum(client.run(sent).values()) - before
        # All that is sent: rows and sums to the client, landmarks, and parts of F^T F.
        assert moved < 0.5 * 6000 * factor.rank * 8

    @pytest.mark.parametrize("rows", [64, 200], ids=["as the blocks", "other chunks"])
    def test_data_that_the_cluster_holds_already(self, client, rows):
        X, y = problem()
        memory = decompose(KERNEL, X, solver="lowrank", rank=40)
        held, targets = dask.persist(
            da.from_array(X, chunks=(rows, 3)), da.from_array(y, chunks=rows)
        )
        for data in (held, held + 0.0):
            blocks = decompose(KERNEL, data, rank=40)
            assert blocks.basis.factor.pivots == memory.basis.factor.pivots
        rd = relevant_dimension(blocks, targets)
        assert rd.dimension == relevant_dimension(memory, y).dimension

    def test_a_worker_is_killed_in_the_middle(self, client):
        X, y = problem()
        undisturbed = self.decomposed(X)
        killed = []

        def kill(_stage, done, _total):
            if done > 30 and not killed:
                killed.extend(client.run(os.getpid).values())
                os.kill(killed[0], signal.SIGKILL)

        found = self.decomposed(X, progress=kill)
        assert killed
        assert found.basis.factor.pivots == undisturbed.basis.factor.pivots
        np.testing.assert_array_equal(found.eigenvalues, undisturbed.eigenvalues)
        rd, expected = (
            relevant_dimension(s, da.from_array(y, chunks=200)) for s in (found, undisturbed)
        )
        assert rd.dimension == expected.dimension
        assert rd.negative_log_likelihood == expected.negative_log_likelihood
        np.testing.assert_array_equal(rd.denoised, expected.denoised)

    def test_work_that_is_cancelled_is_given_up(self, client):
        X, _ = problem()

        def stop(_stage, done, _total):
            if done > 20:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            self.decomposed(X, progress=stop)
        wait_until(lambda: tasks_of(client) == 0)


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    assert condition()
