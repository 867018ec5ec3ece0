"""The plot of label issues."""

import numpy as np
import pandas as pd
import pytest

from plotting import assert_readable, title
from reldim import plots

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("flagged, said", [(0, "None of 90 targets looks"), (3, "3 of 90 targets")])
def test_labels_by_their_quality(flagged, said):
    quality = np.linspace(1.0, 0.0, 90)
    issues = pd.DataFrame(
        {"label_quality": quality, "is_label_issue": np.arange(90) >= 90 - flagged}
    )
    display = plots.LabelIssuesDisplay.from_issues(issues)
    assert_readable(display.ax_)
    assert title(display.ax_).startswith(said)
    assert len(display.flagged_.get_xdata()) == flagged
    np.testing.assert_array_equal(display.flagged_.get_xdata(), np.arange(1, flagged + 1))


def test_numbers_against_what_is_predicted():
    issues = pd.DataFrame(
        {
            "label_quality": [0.5, 0.001, 0.9],
            "is_label_issue": [False, True, False],
            "given_label": [1.0, 9.0, 3.0],
            "predicted_label": [1.5, 2.0, 2.5],
            "residual": [-0.5, 7.0, 0.5],
        }
    )
    display = plots.LabelIssuesDisplay.from_issues(issues)
    assert_readable(display.ax_)
    assert display.flagged_.get_xydata().tolist() == [[2.0, 9.0]]
