"""
What a component looks like
===========================

Four clouds of points, of which opposite ones share a class. Kernel PCA does not see the
classes; still one of its first components tells them apart.
"""

import reldim
from reldim import datasets, kernels, plots

data = datasets.four_clouds(200, random_state=0)
spectrum = reldim.decompose(kernels.Gaussian(width=1.0), data.X)
estimate = reldim.relevant_dimension(spectrum, data.y)

# %%
# The first components say where the data are, and left from right. The fourth is positive on one
# pair of opposite clouds and negative on the other: it carries nearly all of the label information.

plots.ComponentsDisplay.from_relevance(estimate, count=6)

# %%
# The coefficients of the labels say the same in numbers.

plots.CoefficientsDisplay.from_relevance(estimate)
