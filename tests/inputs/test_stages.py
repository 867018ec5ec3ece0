"""Stages of work: who is told, and what the log holds."""

import logging
import subprocess
import sys

import pytest

from reldim.inputs.stages import listening, tell


def test_the_innermost_listener_is_told():
    outer, inner = [], []
    with listening(lambda *stage: outer.append(stage)):
        tell("prepare")
        with listening(lambda *stage: inner.append(stage)):
            tell("kernels", 1, 2)
        with listening(None):
            tell("kernels", 2, 2)
    tell("forecast")
    assert outer == [("prepare", 0, 0), ("kernels", 2, 2)]
    assert inner == [("kernels", 1, 2)]


def test_what_a_listener_raises_is_passed_on():
    def stop(*_stage):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), listening(stop):
        tell("prepare")
    tell("prepare")


def test_levels_of_the_log(caplog):
    with caplog.at_level(logging.DEBUG, "reldim"):
        tell("prepare")
        tell("kernels", 1, 2)
        tell("kernels", 2, 2)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "prepare"),
        ("DEBUG", "kernels: 1 of 2"),
        ("INFO", "kernels: 2 of 2"),
    ]


def test_nothing_is_printed_unless_a_caller_asks():
    code = "from reldim.inputs.stages import LOG; LOG.error('x')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
