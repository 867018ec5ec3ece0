"""The overview, and plots without matplotlib."""

import subprocess
import sys

import pytest

import reldim
from plotting import assert_readable
from reldim import datasets, kernels, plots
from reldim.exceptions import MissingDependencyError

pytest.importorskip("matplotlib")


class TestOverview:
    def test_four_plots_and_the_verdict(self, diagnosis):
        figure = diagnosis.plot()
        labelled = [ax for ax in figure.axes if ax.get_xlabel()]
        assert len(labelled) == 4
        assert_readable(*labelled)
        assert figure.get_suptitle().startswith(f"{diagnosis.verdict.code} ")

    def test_single_kernel_shows_its_error_curve(self):
        data = datasets.bananas(40, random_state=0)
        figure = reldim.diagnose(data.X, data.y, kernels=kernels.Gaussian(1.0)).plot()
        assert "not explained" in figure.axes[2].get_ylabel()

    def test_no_signal(self, nothing):
        assert_readable(*nothing.plot().axes)

    def test_does_not_touch_settings(self, diagnosis):
        import matplotlib as mpl

        before = dict(mpl.rcParams)
        diagnosis.plot()
        assert dict(mpl.rcParams) == before


class TestWithoutMatplotlib:
    def test_message_says_what_to_install(self, monkeypatch, diagnosis):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingDependencyError, match=r"pip install 'reldim\[plots\]'"):
            diagnosis.plot()
        with pytest.raises(MissingDependencyError, match="matplotlib"):
            plots.CoefficientsDisplay.from_relevance(diagnosis.relevance)

    def test_import_of_plots_does_not_import_matplotlib(self):
        code = "import sys, reldim.plots; sys.exit('matplotlib' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
