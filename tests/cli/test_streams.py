"""Standard output and standard error that cannot be written to."""

import io
import sys
from pathlib import Path

import pytest

from reldim.cli.streams import say, write_out


class Full(io.StringIO):
    """A stream on a device without space, or whose reader is gone."""

    def __init__(self, file, error):
        super().__init__()
        self._file, self._error = file, error

    def flush(self):
        raise self._error

    def fileno(self):
        return self._file.fileno()


@pytest.fixture
def nowhere(tmp_path):
    with (tmp_path / "nowhere").open("wb") as file:
        yield file


def test_a_message_is_one_line(capsys):
    say("a\nb \x1b[2J")
    assert capsys.readouterr().err == "reldim: a b \\x1b[2J\n"


def test_messages_that_cannot_be_written_are_left_out(monkeypatch, nowhere):
    monkeypatch.setattr(sys, "stderr", Full(nowhere, OSError(28, "No space left on device")))
    say("a")
    monkeypatch.setattr(sys, "stderr", None)
    say("a")


def test_output_is_written_at_once(capsys):
    write_out("a\n")
    assert capsys.readouterr().out == "a\n"
    stream = io.StringIO()
    write_out("b", stream)
    assert stream.getvalue() == "b"


def test_a_reader_that_is_gone_is_no_error(nowhere):
    stream = Full(nowhere, BrokenPipeError(32, "Broken pipe"))
    write_out("a", stream)
    # What stands behind the stream is thrown away from now on.
    nowhere.write(b"more")
    nowhere.flush()
    assert Path(nowhere.name).read_bytes() == b""


def test_a_full_device_is_named(nowhere):
    with pytest.raises(OSError, match="No space left on device: 'standard output'"):
        write_out("a", Full(nowhere, OSError(28, "No space left on device")))


def test_a_closed_output_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="it is closed: 'standard output'"):
        write_out("a")
