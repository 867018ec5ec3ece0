"""
Twenty thousand rows
====================

Beyond a few thousand rows no kernel matrix is formed. A low-rank factor is grown until the estimate
no longer depends on its rank, and the diagnosis says how far that was.
"""

import reldim
from reldim import datasets, kernels, plots

data = datasets.bananas(20_000, noise=0.25, random_state=0)
diagnosis = reldim.diagnose(
    data.X, data.y, kernels=[kernels.Gaussian(width) for width in (0.3, 1.0, 3.0)]
)
print(diagnosis)

# %%
# With many rows the noise floor lies low, and components that matter little can be told from it.

plots.CoefficientsDisplay.from_relevance(diagnosis.relevance)

# %%
# Points are counted in cells where they would hide each other, and histograms do not grow.

plots.DenoisedDisplay.from_relevance(diagnosis.relevance)
