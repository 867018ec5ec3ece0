"""JSON: what is written is what the schema says."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reldim import datasets, diagnose, kernels

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "diagnosis-1.json"
jsonschema = pytest.importorskip("jsonschema")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
LABELS = np.where(X[:, 0] > 0, "a", "b")
SEQUENCES = ["".join(row) for row in RNG.choice(list("ACGT"), size=(40, 8))]
SINC = datasets.noisy_sinc(60, random_state=0)
GAUSSIAN = kernels.Gaussian(2.0)

PROBLEMS = {
    "numbers": (SINC.X, SINC.y, {}),
    "words": (X, LABELS, {"random_state": 3}),
    "truth values": (X, LABELS == "a", {"criterion": "leave-one-out", "kernels": GAUSSIAN}),
    "three classes": (X, np.digitize(X[:, 0], [-0.5, 0.5]), {"kernels": GAUSSIAN}),
    "two outputs": (X, X[:, :2], {"kernels": "linear"}),
    "noise": (X, RNG.normal(size=40), {"kernels": GAUSSIAN}),
    "two rows": (X[:2], [0, 1], {"kernels": GAUSSIAN}),
    "table": (pd.DataFrame(X).assign(t=LABELS).rename(columns=str), LABELS, {"kernels": GAUSSIAN}),
    "sequences": (SEQUENCES, LABELS, {}),
    "matrix": (GAUSSIAN(X), LABELS, {"kernels": kernels.Precomputed()}),
    "low rank": (SINC.X, SINC.y, {"solver": "lowrank", "kernels": kernels.Gaussian(1.0)}),
}


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", PROBLEMS)
def test_files_follow_the_schema(name, validator, tmp_path):
    data, y, options = PROBLEMS[name]
    diagnose(data, y, **options).to_json(tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    validator.validate(written)
    assert sum(row["chosen"] for row in written["candidates"]) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"dimension": -1},
        {"p_value": 1.5},
        {"task": "ranking"},
        {"schema": "reldim.diagnosis/2"},
        {"verdict": {"code": "X"}},
        {"extra": 1},
        {"candidates": []},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_schema_notices_what_is_wrong(change, validator):
    right = diagnose(X, LABELS, kernels=GAUSSIAN).to_dict()
    validator.validate(right)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(right | change)
