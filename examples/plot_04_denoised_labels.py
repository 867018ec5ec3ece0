"""
Labels freed of noise
=====================

One label in ten is turned around. Projected on the relevant components, most of the wrong ones come
out right, although nothing says which they are.
"""

import numpy as np

import reldim
from reldim import datasets, plots

data = datasets.bananas(400, noise=0.15, random_state=0)
rng = np.random.default_rng(0)
turned = rng.random(len(data.y)) < 0.1
given = np.where(turned, -data.y, data.y)

diagnosis = reldim.diagnose(data.X, given)
denoised = diagnosis.relevance.denoised_labels
print(f"turned labels:                {np.mean(turned):.1%}")
print(f"noise level:                  {diagnosis.noise_level:.1%}")
print(f"turned labels that were seen: {np.mean(denoised[turned] == data.y[turned]):.1%}")
print(f"other labels changed:         {np.mean(denoised[~turned] != data.y[~turned]):.1%}")

# %%
# Rows on the wrong side of the boundary are those whose label differs from its denoised version.

plots.DenoisedDisplay.from_relevance(diagnosis.relevance)
