"""Tables and arrays that commands are tested on."""

import numpy as np
import pandas as pd
import pytest

from reldim import datasets


@pytest.fixture
def noisy(tmp_path):
    """A table that is limited by noise."""
    data = datasets.noisy_sinc(80, random_state=1)
    path = tmp_path / "noisy.csv"
    pd.DataFrame({"x": data.X[:, 0], "y": data.y}).to_csv(path, index=False)
    return path


@pytest.fixture
def mixed(tmp_path):
    """A table with a counter, categories and gaps."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"id": range(60), "x": x, "town": rng.choice(["Ulm", "Bonn"], 60)})
    frame["label"] = np.where(x + (frame["town"] == "Ulm") > 0.5, "high", "low")
    frame.loc[[3, 5], "x"] = np.nan
    frame.loc[7, "label"] = None
    path = tmp_path / "mixed.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def arrays(tmp_path):
    """Arrays with columns of very different scale."""
    X = np.random.default_rng(0).normal(size=(60, 2)) * [1, 1e4]
    np.savez(tmp_path / "arrays.npz", X=X, y=np.sign(X[:, 0]))
    return tmp_path / "arrays.npz"
