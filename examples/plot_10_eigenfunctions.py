"""
Eigenfunctions
==============

As the sample grows, kernel PCA components become eigenfunctions of the kernel under the density of
the inputs. Where the density has two bumps, the second function tells them apart.
"""

import numpy as np
from matplotlib import pyplot as plt

from reldim import kernels, theory


def draw(system: theory.Eigensystem, density: theory.Density, count: int) -> None:
    """Draw the first eigenfunctions over the density of the inputs, which is scaled."""
    x = np.linspace(*density.box[0], 400)[:, None]
    functions, shade = system.functions(x, count), density(x).ravel()
    # Far from the data eigenfunctions may grow without bound, and it means nothing.
    reach = np.abs(functions[shade > 0.01 * shade.max()]).max()
    _, ax = plt.subplots(layout="constrained")
    ax.fill_between(x[:, 0], 0.8 * reach * shade / shade.max(), color="0.88", label="density")
    for number, values in enumerate(functions.T):
        label = f"eigenfunction {number + 1}, eigenvalue {system.eigenvalues[number]:.3g}"
        ax.plot(x[:, 0], values, label=label)
    part = system.eigenvalues[:count].sum() / system.trace
    ax.set(title=f"The first {count} eigenfunctions hold {part:.0%} of the variance")
    ax.set(xlabel="input x", ylabel="eigenfunction", ylim=(-1.15 * reach, 1.15 * reach))
    ax.legend(fontsize="small")


one = theory.GaussianEigensystem(width=1 / 6, variance=1 / 4, terms=4)
draw(one, one.density, 4)

# %%
# Two bumps of equal weight. If they are classes, the second component alone is a classifier.

bumps = [theory.GaussianDensity(0.05, mean) for mean in (-1.5, 1.5)]
two = theory.GaussianMixture(bumps)
draw(theory.solve(kernels.Gaussian(0.16), two, count=4), two, 3)
