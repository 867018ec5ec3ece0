"""
Which labels are wrong?
=======================

Of six hundred labels forty are turned around. The other rows tell which: each label is predicted
from all rows but its own, and what they contradict beyond chance is flagged.
"""

import matplotlib.pyplot as plt
import numpy as np

import reldim
from reldim import datasets

data = datasets.bananas(600, noise=0.15, random_state=0)
turned = np.random.default_rng(0).choice(600, 40, replace=False)
given = data.y.copy()
given[turned] *= -1

issues = reldim.diagnose(data.X, given).label_issues
flagged = np.flatnonzero(issues["is_label_issue"])
print(f"flagged {len(flagged)} rows, {len(np.intersect1d(flagged, turned))} of them rightly")
print(issues.nsmallest(5, "label_quality").round(3).to_string())

# %%
# Flagged rows lie among those of the other class.

figure, ax = plt.subplots(layout="constrained")
for label, marker, color in ((1, "o", "#0072B2"), (-1, "^", "#E69F00")):
    points = data.X[given == label]
    ax.plot(*points.T, marker, color=color, markersize=4, label=f"given label {label}")
ax.plot(
    *data.X[flagged].T, "o", color="black", markerfacecolor="none", markersize=11, label="flagged"
)
ax.set(xlabel="feature 1", ylabel="feature 2", title="Labels that the other rows contradict")
ax.legend()
