"""Settings: what was asked for, in words."""

import numpy as np

from reldim import diagnose, kernels
from reldim.diagnosis import settings
from reldim.diagnosis.settings import Settings, described, versions
from reporting import GAUSSIAN, sinc


class TestSettings:
    def test_call_repeats_what_was_asked_for(self):
        data = sinc(40)
        found = diagnose(data.X, data.y, kernels=["gaussian", kernels.Linear()], task="regression")
        assert found.settings.call == (
            "reldim.diagnose(X, y, kernels=['gaussian', Linear()], task='regression')"
        )

    def test_defaults_are_left_out(self):
        data = sinc(40)
        assert diagnose(data.X, data.y).settings.call == "reldim.diagnose(X, y)"

    def test_functions_are_called_by_name(self):
        assert described({"mine": np.dot, "other": GAUSSIAN}) == (
            "{'mine': dot, 'other': Gaussian(width=1.0)}"
        )
        assert "0x" not in described(lambda X, Z: X @ Z.T)

    def test_long_lists_are_cut(self):
        many = [kernels.Gaussian(float(width)) for width in range(1, 100)]
        found = Settings.of(many, task="auto", criterion="", solver="auto", random_state=None)
        assert len(found.kernels) == settings.CHARACTERS
        assert found.kernels.endswith("…")

    def test_versions_of_what_is_installed(self, monkeypatch):
        assert versions()["numpy"] == np.__version__
        monkeypatch.setattr(settings, "PACKAGES", ("numpy", "no-such-package"))
        assert list(versions()) == ["reldim", "Python", "numpy"]
