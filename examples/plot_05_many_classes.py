"""
Many classes
============

Several classes are judged together: a component counts by what it says about all of them. The table
of given by denoised classes shows which ones the kernel cannot tell apart.
"""

import numpy as np

import reldim
from reldim import plots

rng = np.random.default_rng(0)
names = np.array(["elm", "oak", "ash", "fir", "yew", "box"])
centres = np.array([[0.0, 0.0], [0.8, 0.3], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0], [2.0, 6.5]])
kind = rng.integers(len(names), size=360)
X = centres[kind] + rng.normal(scale=0.6, size=(360, 2))

# %%
# Elm and oak overlap. All other kinds are far apart.

diagnosis = reldim.diagnose(X, names[kind])
print(diagnosis.verdict)
plots.DenoisedDisplay.from_relevance(diagnosis.relevance)
