"""Save a model and a diagnosis, for later versions to load: ``python make_saved.py``."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import reldim

FOLDER = Path(__file__).parent


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=12)
    regressor = reldim.KernelPCRegressor(reldim.kernels.Gaussian(4.0))
    model = make_pipeline(StandardScaler(), regressor).fit(X, y)
    reldim.save(model, FOLDER / f"model-{reldim.__version__}.reldim")

    table = pd.DataFrame({"a": X[:, 0], "price": [f"${1000 + 7 * i:,}" for i in range(12)]})
    table.loc[2, "a"] = np.nan
    diagnosis = reldim.diagnose(table, np.where(y > 0, "u", "v"), kernels="linear")
    diagnosis.save(FOLDER / f"diagnosis-{reldim.__version__}.reldim")


if __name__ == "__main__":
    main()
