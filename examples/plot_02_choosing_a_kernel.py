"""
Choosing a kernel
=================

Two families of kernels, each on a grid of widths that follows the data. The likelihood weighs
dimension against noise, so that a single number compares all of them.
"""

import reldim
from reldim import datasets, plots

data = datasets.bananas(250, noise=0.3, random_state=0)
diagnosis = reldim.diagnose(data.X, data.y, kernels=["gaussian", "laplacian"])
columns = ["kernel", "dimension", "negative_log_likelihood", "error_estimate"]
print(diagnosis.candidates.nsmallest(5, "negative_log_likelihood")[columns].to_string(index=False))

# %%
# Kernels that are too narrow see a complex problem without noise, kernels that are too wide a
# simple one with more noise. In between there is a range in which the choice hardly matters.

plots.CandidatesDisplay.from_diagnosis(diagnosis)

# %%
# The same for the best family as a map: the criterion over width and dimension. The dark valley
# says how well the data pin down the two.

plots.CriterionMapDisplay.from_diagnosis(diagnosis)
