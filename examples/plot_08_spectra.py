"""
Spectra of kernels
==================

How fast eigenvalues fall says what a kernel takes for smooth, before any label was looked at.
"""

import reldim
from reldim import datasets, kernels, plots

X = datasets.bananas(300, random_state=0).X
compared = {
    "Gaussian, width 10": kernels.Gaussian(width=10.0),
    "Gaussian, width 0.1": kernels.Gaussian(width=0.1),
    "Laplacian, scale 1": kernels.Laplacian(scale=1.0),
    "Polynomial, degree 3": kernels.Polynomial(degree=3, constant=1.0),
}
spectra = {name: reldim.decompose(kernel, X) for name, kernel in compared.items()}

# %%
# The polynomial kernel has ten components in two dimensions and no more. The spectrum of the
# Laplacian kernel falls slowly, as a power; those of the Gaussian kernels fall faster than any
# power, the wider the sooner.

plots.SpectraDisplay.from_spectra(spectra)
