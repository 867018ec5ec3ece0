"""Memory is asked for before it is used."""

import os

import pytest

from reldim import decompose, kernels, memory
from reldim.exceptions import InputError

MEMINFO = "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    2000000 kB\n"


@pytest.fixture
def meminfo(monkeypatch, tmp_path):
    """Let /proc/meminfo hold a text, or be absent."""

    def set_to(text):
        path = tmp_path / "meminfo"
        if text is not None:
            path.write_text(text)
        monkeypatch.setattr(memory, "Path", {"/proc/meminfo": path}.__getitem__)

    return set_to


def test_available_without_swapping(meminfo):
    meminfo(MEMINFO)
    assert memory.available_bytes() == 2_000_000 * 1024


@pytest.mark.parametrize("text", [None, "MemTotal: 5 kB\n"])
def test_physical_memory_where_the_kernel_does_not_tell(meminfo, monkeypatch, text):
    meminfo(text)
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__, raising=False)
    assert memory.available_bytes() == 1000 * 4096


def test_unknown(meminfo, monkeypatch):
    def unknown(name):
        raise ValueError(name)

    meminfo(None)
    monkeypatch.setattr(os, "sysconf", unknown, raising=False)
    assert memory.available_bytes() is None
    assert memory.memory_limit() is None
    memory.check_memory(2**60)  # nothing is refused where nobody can tell


class TestLimits:
    @pytest.fixture(autouse=True)
    def _ten_gibibytes(self, monkeypatch):
        monkeypatch.setattr(memory, "available_bytes", lambda: 10 * 2**30)

    def test_a_tenth_is_left_to_others(self):
        assert memory.memory_limit() == 9 * 2**30
        assert memory.fits(9 * 2**30)
        assert not memory.fits(9 * 2**30 + 1)

    def test_what_is_asked_for_wins(self):
        assert memory.memory_limit(5000) == 5000
        assert memory.fits(5000, 5000)
        assert not memory.fits(5001, 5000)

    @pytest.mark.parametrize("asked", [0, -1])
    def test_what_is_no_limit(self, asked):
        with pytest.raises(InputError, match=rf"positive number of bytes. Got {asked} instead"):
            memory.memory_limit(asked)

    def test_too_much_is_refused(self):
        memory.check_memory(9 * 2**30)
        with pytest.raises(
            InputError, match=r"needs about 12\.5 GiB of memory, and 9\.0 GiB may be used\. Use a"
        ):
            memory.check_memory(25 * 2**29)
        with pytest.raises(InputError, match=r"about 3\.0 MiB of memory, and 1\.0 MiB may be used"):
            memory.check_memory(3 * 2**20, 2**20)


def test_a_decomposition_asks_first(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(InputError, match="random subset of the rows"):
        decompose(kernels.Linear(), [[float(i)] for i in range(20)])
