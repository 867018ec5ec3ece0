"""The command line in a process of its own: streams and exit codes as a shell sees them."""

import subprocess
import sys


def call(*arguments, folder=None):
    code = "from reldim.cli import main; main()"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


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
    assert done.stderr.startswith("reldim: error: ")
    assert done.stderr.count("\n") == 1


def test_wrong_option():
    done = call("diagnose", "--zzz")
    assert done.returncode == 2
    assert done.stdout == ""
    # Click has written it with quotation marks, and without.
    said = "reldim: error: No such option: --zzz. Try: reldim diagnose --help\n"
    assert done.stderr.replace(" '--zzz'", ": --zzz") == said
