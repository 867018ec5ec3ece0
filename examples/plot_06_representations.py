"""
Which representation makes the problem simple?
==============================================

The target depends on the direction of a point in the plane. As an angle, direction has a jump where
a full turn ends; cosine and sine have none. Error curves show what the leading components leave
unexplained: a good representation falls early.
"""

import numpy as np

import reldim
from reldim import plots

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 250)
radius = rng.uniform(0.5, 2.0, 250)
plane = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
y = np.sin(3 * angle) + 0.3 * rng.normal(size=250)

representations = {
    "angle": angle[:, None],
    "point in the plane": plane,
    "cosine and sine": plane / radius[:, None],
    "point and noise": np.column_stack([plane, rng.normal(size=(250, 6))]),
}
found = {name: reldim.diagnose(X, y, random_state=0) for name, X in representations.items()}
for name, diagnosis in found.items():
    print(f"{name:20} dimension {diagnosis.dimension:3}  error {diagnosis.error_estimate:.1%}")

# %%
# Columns without information make the problem complex: the same structure takes more dimensions,
# and more of it drowns in noise.

plots.ErrorCurveDisplay.from_relevances({n: d.relevance for n, d in found.items()})
