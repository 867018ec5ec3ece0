"""
Eigenfunctions
==============

As the sample grows, kernel PCA components become eigenfunctions of the kernel under the density of
the inputs. Where the density has two bumps, the second function tells them apart.
"""

from reldim import kernels, plots, theory

one = theory.GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=4)
plots.EigenfunctionsDisplay.from_system(one, one.density)

# %%
# Two bumps of equal weight. If they are classes, the second component alone is a classifier.

bumps = [theory.GaussianDensity(0.05, mean) for mean in (-1.5, 1.5)]
two = theory.GaussianMixture(bumps)
system = theory.solve(kernels.Gaussian(0.16), two, count=4)
plots.EigenfunctionsDisplay.from_system(system, two, count=3)
