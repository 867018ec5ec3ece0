"""The command demo."""

import pytest

from commands import run


class TestDemo:
    @pytest.fixture(autouse=True)
    def elsewhere(self, tmp_path, monkeypatch):
        # It writes a report.
        monkeypatch.chdir(tmp_path)

    def test_shows_noise_against_complexity(self):
        result = run("demo")
        assert result.exit_code == 0
        assert result.stderr == ""
        first, second = result.stdout.index("RD003"), result.stdout.index("RD004")
        assert first < second
        assert "reldim diagnose your.csv --target column" in result.stdout

    def test_lines_have_no_blanks_at_the_end(self):
        assert not [line for line in run("demo").stdout.splitlines() if line != line.rstrip()]
