"""The plot of a comparison."""

import numpy as np
import pytest

from plotting import assert_readable, title
from reldim import compare, datasets

pytest.importorskip("matplotlib")


def test_errors_with_intervals_of_their_distance_to_the_best():
    data = datasets.noisy_sinc(80, noise=0.1, random_state=0)
    found = compare({"sign": data.X > 0, "x": data.X, "x cubed": data.X**3}, data.y)
    display = found.plot()
    assert_readable(display.ax_)
    assert title(display.ax_) == found.conclusion
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert ticks == found.names == found.table["name"].tolist()
    drawn = np.array([bar[:, 0] for bar in display.bars_[2][0].get_segments()])
    np.testing.assert_allclose(drawn.mean(axis=1), found.table["squared_error"])
    margins = np.ptp(drawn, axis=1) / 2
    assert margins[0] == 0.0
    # Literally, for the last: the standard error of the difference row by row.
    place = list(found.diagnoses).index(found.names[-1])
    best = list(found.diagnoses).index(found.best)
    apart = found.losses[:, place] - found.losses[:, best]
    assert margins[-1] == pytest.approx(1.645 * np.std(apart, ddof=1) / np.sqrt(80))
