"""Memory is asked for before it is used."""

import os

import pytest

from reldim import decompose, kernels
from reldim.exceptions import InputError, InputTypeError
from reldim.inputs import memory

MEMINFO = "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    2000000 kB\n"


@pytest.fixture
def meminfo(monkeypatch, tmp_path):
    """Let the files of Linux hold what a test says, or be absent."""
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(memory, "OWN_GROUPS", tmp_path / "cgroup")

    def set_to(text):
        if text is not None:
            (tmp_path / "meminfo").write_text(text)

    return set_to


@pytest.fixture
def group(meminfo, tmp_path):
    """Write the files of a control group."""
    meminfo(MEMINFO)

    def put(folder, **files):
        place = tmp_path / "groups" / folder
        place.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (place / name.replace("__", ".")).write_text(f"{text}\n")

    return put


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


class TestControlGroups:
    """A container may use less than the machine has."""

    def test_second_version(self, group):
        group("", memory__max=10**9, memory__current=3 * 10**8, memory__stat="inactive_file 1000")
        assert memory.available_bytes() == 7 * 10**8 + 1000

    def test_first_version(self, group):
        group(
            "memory",
            memory__limit_in_bytes=10**9,
            memory__usage_in_bytes=10**8,
            memory__stat="anon 5\ninactive_file 0",
        )
        assert memory.available_bytes() == 9 * 10**8

    def test_own_group_below_the_root(self, group, tmp_path):
        (tmp_path / "cgroup").write_text("1:cpu:/\n0::/job/step\n")
        group("job/step", memory__max=5000, memory__current=1000, memory__stat="inactive_file 0")
        assert memory.available_bytes() == 4000

    def test_full_group_leaves_hardly_anything(self, group):
        group("", memory__max=1000, memory__current=5000, memory__stat="inactive_file 0")
        assert memory.available_bytes() == 1

    @pytest.mark.parametrize("limit", ["max", "nonsense", ""])
    def test_no_limit(self, group, limit):
        group("", memory__max=limit, memory__current=1, memory__stat="inactive_file 0")
        assert memory.available_bytes() == 2_000_000 * 1024


class TestAddressSpace:
    @pytest.fixture
    def limited(self, meminfo, monkeypatch):
        resource = pytest.importorskip("resource")
        meminfo(MEMINFO)

        def to(limit):
            monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))

        return to

    def test_limit_of_the_process(self, limited):
        limited(1)
        assert memory.available_bytes() == 1

    def test_no_limit(self, limited):
        import resource

        limited(resource.RLIM_INFINITY)
        assert memory.available_bytes() == 2_000_000 * 1024


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

    @pytest.mark.parametrize("asked", ["1G", True, [1]])
    def test_what_is_no_number(self, asked):
        with pytest.raises(InputTypeError, match="number of bytes, such as"):
            memory.memory_limit(asked)

    @pytest.mark.parametrize("asked", [float("nan"), float("inf")])
    def test_what_is_no_finite_number(self, asked):
        with pytest.raises(InputError, match="positive number of bytes"):
            memory.memory_limit(asked)

    def test_float(self):
        assert memory.memory_limit(2e9) == 2_000_000_000

    def test_too_much_is_refused(self):
        memory.check_memory(9 * 2**30)
        with pytest.raises(
            InputError, match=r"needs about 12\.5 GiB of memory, and 9\.0 GiB may be used\. Use a"
        ):
            memory.check_memory(25 * 2**29)
        with pytest.raises(InputError, match=r"about 3\.0 MiB of memory, and 1\.0 MiB may be used"):
            memory.check_memory(3 * 2**20, 2**20)
        with pytest.raises(InputError, match=r"about 3\.0 KiB of memory, and 10 bytes may be used"):
            memory.check_memory(3 * 2**10, 10)


def test_a_decomposition_asks_first(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(InputError, match="random subset of the rows"):
        decompose(kernels.Linear(), [[float(i)] for i in range(1000)])


def test_little_memory_is_not_asked_for(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: pytest.fail("asked"))
    assert decompose(kernels.Linear(), [[float(i)] for i in range(20)]).rank == 1
