"""The command line in a process of its own: streams and exit codes as a shell sees them."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CODE = "from reldim.cli import main; main()"

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


def started(*arguments, **settings):
    command = [sys.executable, "-c", CODE, *map(str, arguments)]
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | settings
    return subprocess.Popen(command, **settings)


def call(*arguments, folder=None, **settings):
    """Run a command to its end; give its code and what it wrote."""
    with started(*arguments, cwd=folder, **settings) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def the_line(done):
    """Give the one line that a command ends with."""
    assert done.stderr.startswith("reldim: error: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_demo(tmp_path):
    done = call("demo", folder=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "RD003" in done.stdout
    assert (tmp_path / "report.html").exists()


def test_bad_input(tmp_path):
    done = call("diagnose", tmp_path / "no.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    the_line(done)


def test_wrong_option():
    done = call("diagnose", "--zzz")
    assert done.returncode == 2
    assert done.stdout == ""
    # Click has written it with quotation marks, and without.
    said = "reldim: error: No such option: --zzz. Try: reldim diagnose --help\n"
    assert done.stderr.replace(" '--zzz'", ": --zzz") == said


def test_a_bug_is_no_finding(tmp_path):
    """Python ends with 1 where an error is not caught, which is the code of --fail-on."""
    code = "import reldim.cli.explain as e; e._sections = lambda: 1 / 0; " + CODE
    command = [sys.executable, "-c", code, "explain"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "Traceback" in done.stderr
    assert "ZeroDivisionError" in done.stderr


DIAGNOSE = ("--target", "y", "--kernel", "linear")


@needs_full
class TestNoSpace:
    """Standard output, or a file, on a device that is full."""

    @pytest.mark.parametrize(
        "options",
        [("--json", "-"), (), ("--quiet",)],
        ids=["json", "text", "quiet"],
    )
    def test_of_a_diagnosis(self, noisy, options):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = call("diagnose", noisy, *DIAGNOSE, *options, stdout=full)
        assert done.returncode == 3
        assert the_line(done) == (
            "reldim: error: standard output cannot be written: No space left on device.\n"
        )

    @pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["explain", "RD001"]])
    def test_of_short_texts(self, arguments):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = call(*arguments, stdout=full)
        assert done.returncode == 3
        assert "No space left on device" in the_line(done)

    def test_of_a_file(self, noisy):
        done = call("diagnose", noisy, *DIAGNOSE, "--quiet", "--json", "/dev/full", "--force")
        assert done.returncode == 3
        assert "/dev/full cannot be written: No space left on device" in the_line(done)


class TestClosedOutput:
    def test_pipe_that_is_closed_ends_quietly(self, noisy, tmp_path):
        """The reader has seen enough; files are written and codes looked for all the same."""
        report, (reader, writer) = tmp_path / "r.html", os.pipe()
        os.close(reader)
        options = ("--report", report, "--fail-on", "RD003")
        done = call("diagnose", noisy, "--target", "y", *options, stdout=writer)
        os.close(writer)
        assert done.returncode == 1
        assert done.stderr.splitlines() == [
            f"reldim: wrote {report}",
            "reldim: found RD003 Limited by noise, or complex and noisy",
        ]
        assert report.exists()

    @pytest.mark.parametrize("arguments", [["--help"], ["explain"]])
    def test_short_texts(self, arguments):
        reader, writer = os.pipe()
        os.close(reader)
        done = call(*arguments, stdout=writer)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, "")

    def test_no_output_at_all(self):
        done = call("explain", preexec_fn=lambda: os.close(1))
        assert done.returncode == 3
        assert "standard output cannot be written: it is closed" in the_line(done)

    def test_no_errors_at_all(self, tmp_path):
        done = call("diagnose", tmp_path / "no.csv", preexec_fn=lambda: os.close(2))
        assert done.returncode == 2


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
class TestNoMemory:
    def test_packages_that_cannot_be_loaded(self, noisy):
        """With this little the shared objects of NumPy or SciPy find no place."""
        limit = 64_000_000

        def restrict():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        done = call("diagnose", noisy, *DIAGNOSE, preexec_fn=restrict)
        assert done.returncode == 3
        line = the_line(done)
        assert "cannot be loaded" in line or "out of memory" in line


def test_interrupted():
    """While it waits for the rest of a table that is piped to it."""
    with started("diagnose", "-", "--target", "y", stdin=subprocess.PIPE) as process:
        process.stdin.write("x,y\n" + 50_000 * "1,2\n")
        # More than a pipe holds: when this is through, it has begun to read.
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        err = process.stderr.read()
    assert process.returncode == 130
    assert err == "reldim: interrupted\n"
