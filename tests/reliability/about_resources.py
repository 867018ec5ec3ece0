"""Promises about memory, interruption, the end of the process, and the network."""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import reldim
from reldim import decompose, diagnose, kernels
from reldim.files.writing import whole_file
from reliability.promises import GAUSSIAN, LABELS, NUMBERS, X, figures, promise, refused

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
    "OPENBLAS_NUM_THREADS": "1",
}


def run(code, **options):
    """Run code in a process of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        **options,
    )


def begun(code):
    """Begin code in a process of its own, and wait until it says that it is in the middle."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().strip() == "in the middle"
    return process


@promise(
    "resources",
    "a decomposition that does not fit into memory",
    "refused before anything is allocated, with what would help",
)
def too_large():
    many = np.zeros((1_000_000, 1))
    many[:, 0] = np.arange(1_000_000)
    before = peak_bytes()
    refused(lambda: decompose(GAUSSIAN, many, solver="dense"), "GiB", "solver='lowrank'")
    refused(lambda: decompose(GAUSSIAN, many[:5000], memory=10**6), "MiB", "random subset")
    assert peak_bytes() - before < 2 * many.nbytes


def peak_bytes():
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


BUDGET = """
import resource, sys
import numpy as np
from reldim import decompose, kernels
rng = np.random.default_rng(0)
X = rng.normal(size=(60_000, 3))
decompose(kernels.Gaussian(1.0), X[:3000], solver="lowrank", rank=20)  # code and caches
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
spectrum = decompose(kernels.Gaussian(0.02), X, solver="lowrank", memory={budget})
taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
print(taken, len(spectrum.eigenvalues))
"""


@promise("resources", "a limit of memory", "kept, as measured from outside; the rank follows it")
def budget_is_kept():
    ranks = []
    for budget in (100 * 2**20, 300 * 2**20):
        done = run(BUDGET.format(budget=budget))
        assert done.returncode == 0, done.stderr
        taken, rank = map(int, done.stdout.split())
        assert taken < 1.15 * budget, f"{taken / 2**20:.0f} MiB of {budget / 2**20:.0f}"
        ranks.append(rank)
    assert ranks[0] < ranks[1]


@promise("resources", "an interruption at any stage", "passed on; the next call works as before")
def interrupted_anywhere():
    expected = figures(diagnose(X, NUMBERS))
    stages = []
    diagnose(X, NUMBERS, progress=lambda *stage: stages.append(stage))
    threads = threading.active_count()
    for when in range(0, len(stages), max(1, len(stages) // 6)):
        count = iter(range(len(stages)))

        def interrupt(*_stage, count=count, when=when):
            if next(count) == when:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            diagnose(X, NUMBERS, progress=interrupt)
    assert threading.active_count() <= threads
    assert figures(diagnose(X, NUMBERS)) == expected


@promise(
    "resources",
    '`progress=`, and the log of `logging.getLogger("reldim")`',
    "told of every stage, those that are computed later among them; nothing is printed",
)
def stages_are_told(caplog, capsys):
    stages = []
    with caplog.at_level("INFO", "reldim"):
        found = diagnose(X, NUMBERS, progress=lambda stage, *_: stages.append(stage))
        assert found.verdict.code
        assert len(found.label_issues) == len(X)
        found.forecast()
    expected = ["prepare", "kernels", "conclude", "references", "labels", "forecast"]
    assert [stage for stage in dict.fromkeys(stages) if stage in expected] == expected
    logged = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert [stage for stage in dict.fromkeys(logged) if stage in expected] == expected
    assert capsys.readouterr() == ("", "")


@promise("resources", "an interruption while columns are computed by threads", "no thread is left")
def interrupted_threads():
    threads = threading.active_count()

    def interrupt(stage, done, total):
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decompose(GAUSSIAN, np.random.default_rng(0).normal(size=(9000, 2)), progress=interrupt)
    gc.collect()
    assert threading.active_count() <= threads


INTERRUPTED = """
import signal
import sys
import numpy as np
# Shells begin jobs in the background with Ctrl-C ignored, and tests may be such a job.
signal.signal(signal.SIGINT, signal.default_int_handler)
from reldim.search import candidates
from reldim.cli import main
seen = candidates.judge_kernel
def slowly(*arguments, **options):
    print("in the middle", flush=True)
    import time; time.sleep(5)
candidates.judge_kernel = slowly
sys.argv = ["reldim", "diagnose", {data!r}, "--json", {out!r}]
main()
"""


@pytest.fixture
def data(tmp_path):
    np.savez(tmp_path / "data.npz", X=X, y=LABELS)
    return str(tmp_path / "data.npz")


@promise(
    "resources",
    "Ctrl-C at the command line",
    "exit code 130, one line, no file, no process left behind",
)
def interrupted_command(tmp_path, data):
    process = begun(INTERRUPTED.format(data=data, out=str(tmp_path / "out.json")))
    process.send_signal(signal.SIGINT)
    process.stdout.close()
    assert process.wait(timeout=30) == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.npz"]
    assert not children_of(process.pid)


def children_of(pid):
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = status.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        if f"PPid:\t{pid}" in lines:
            found.append(status.parent.name)
    return found


KILLED = """
import sys, time
from pathlib import Path
from reldim.files.writing import whole_file
with whole_file(Path({path!r}), overwrite=True) as file:
    file.write(b"half of it" * 10000)
    file.flush()
    print("in the middle", flush=True)
    time.sleep(60)
"""


@promise("resources", "a process killed while it writes", "the old file stays, and nothing else")
def killed_while_writing(tmp_path):
    path = tmp_path / "out.json"
    for before in (None, "the old file"):
        if before is not None:
            path.write_text(before)
        process = begun(KILLED.format(path=str(path)))
        process.kill()
        process.stdout.close()
        process.wait(timeout=30)
        names = [found.name for found in tmp_path.iterdir()]
        assert names == ([] if before is None else ["out.json"])
        assert before is None or path.read_text() == before


FULL = """
import resource, signal, sys
import numpy as np
import reldim
X = np.random.default_rng(0).normal(size=(40, 3))
found = reldim.diagnose(X, X[:, 0], kernels=reldim.kernels.Gaussian(2.0))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
for write in (found.to_json, found.write_report, found.save):
    try:
        write({path!r}, overwrite=True)
    except reldim.exceptions.FileError as error:
        print(error)
"""


@promise("resources", "a disk that fills up in the middle of a file", "the old file stays")
def disk_full(tmp_path):
    path = tmp_path / "out"
    path.write_text("the old file")
    done = run(FULL.format(path=str(path)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cannot be written: File too large") == 3
    assert path.read_text() == "the old file"
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


SORTING = """
import resource, signal, sqlite3, sys, time
from pathlib import Path
from reldim.exceptions import FileError
from reldim.files.reading import read_data
with sqlite3.connect({path!r}) as connection:
    connection.execute(
        "create view v as with recursive n(i) as (select 1 union all select i + 1 from n) "
        "select i as a, hex(zeroblob(5000)) as t, i as y from n order by random()"
    )
connection.close()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    read_data({path!r}, "y")
except FileError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@promise(
    "resources",
    "an SQLite file whose view has no end, and sorts",
    "refused after 1 GiB of memory, or 30 s of work; nothing is written to a disk",
)
def endless_view(tmp_path):
    done = run(SORTING.format(path=str(tmp_path / "data.db")))
    assert done.returncode == 0, done.stderr
    message, peak = done.stdout.splitlines()
    assert "1.0 GiB of memory" in message
    assert "Name a table by --table" in message
    assert int(peak) < 1.6 * 2**30


@promise("resources", "writers at the same time", "a reader sees one whole file or another")
def concurrent_writers(tmp_path):
    path = tmp_path / "out"
    texts = [letter.encode() * 50_000 for letter in "abcd"]
    stop = threading.Event()

    def write(text):
        while not stop.is_set():
            with whole_file(path, overwrite=True) as file:
                file.write(text)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    while not path.exists():
        time.sleep(0.001)
    try:
        for _ in range(200):
            assert path.read_bytes() in texts
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


@promise("resources", "the network", "never used: all works where sockets are forbidden")
def no_network(tmp_path, monkeypatch):
    def forbidden(*_arguments, **_options):
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, forbidden)
    found = diagnose(X, LABELS)
    found.to_json(tmp_path / "out.json")
    found.write_report(tmp_path / "report.html")
    found.save(tmp_path / "out.reldim")
    reldim.load(tmp_path / "out.reldim").predictor().predict(X)
    reldim.KernelRidgeRegressor(kernels.Linear()).fit(X, NUMBERS).predict(X)
