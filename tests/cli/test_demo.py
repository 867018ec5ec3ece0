"""The command demo."""

import re

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

    def test_last_sentence_holds(self):
        """What the demonstration concludes is what its figures say."""
        text = " ".join(run("demo").stdout.split())
        errors = re.findall(r"expected error ([\d.]+)%", text)
        noise = [float(n) for n in re.findall(r" noise ([\d.]+)% of variance", text)]
        dimensions = re.findall(r"relevant dimension (\d+) ", text)
        assert f"Errors of {errors[0]}% and {errors[1]}% leave much to explain" in text
        assert f"noisy: {dimensions[0]} dimensions carry" in text
        assert f"its signal takes {dimensions[1]} dimensions" in text
        # Most of the first error stays; the second problem has little noise.
        assert noise[0] > 0.8 * float(errors[0])
        assert noise[1] < 0.1 * float(errors[1])

    def test_lines_have_no_blanks_at_the_end(self):
        assert not [line for line in run("demo").stdout.splitlines() if line != line.rstrip()]
