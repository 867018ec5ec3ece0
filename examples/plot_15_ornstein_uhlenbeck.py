"""
How fast eigenvalues fall: smooth and rough kernels
===================================================

The smoother the functions of a kernel, the faster its eigenvalues fall, and the fewer components a
sample can tell apart. On an interval the eigenfunctions of the Ornstein-Uhlenbeck kernel are known
in closed form, waves of rising frequency; those of other kernels are found by quadrature.
"""

import matplotlib.pyplot as plt
import numpy as np

from reldim import kernels, theory

interval = theory.UniformDensity([(-1.0, 1.0)])
rough = theory.OrnsteinUhlenbeckEigensystem(scale=0.5, terms=24)
smooth = {
    "Matérn 3/2": theory.solve(kernels.Matern(1.5, 0.5), interval, count=24, accuracy=1e-7),
    "Matérn 5/2": theory.solve(kernels.Matern(2.5, 0.5), interval, count=24, accuracy=1e-8),
    "Gaussian": theory.solve(kernels.Gaussian(0.25), interval, count=12),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
index = np.arange(1, 25)
left.loglog(index, rough.eigenvalues, "o-", label="Ornstein-Uhlenbeck")
for name, system in smooth.items():
    left.loglog(index[: system.count], system.eigenvalues, ".-", label=name)
left.set(xlabel="component", ylabel="eigenvalue", title="eigenvalues")
left.legend()
x = np.linspace(-1, 1, 300)
for k, column in enumerate(rough.functions(x, 4).T):
    right.plot(x, column, label=f"k = {k}")
right.set(xlabel="x", title="eigenfunctions of the Ornstein-Uhlenbeck kernel")
right.legend()

# %%
# A process with r derivatives has eigenvalues that fall with the power 2 r + 2.

for name, system, derivatives in (
    ("Ornstein-Uhlenbeck", rough, 0),
    ("Matérn 3/2", smooth["Matérn 3/2"], 1),
    ("Matérn 5/2", smooth["Matérn 5/2"], 2),
):
    found = theory.decay_exponent(system.eigenvalues, first=12)
    print(f"{name:20} {found:.2f}, in the limit {theory.smoothness_exponent(derivatives)}")

# %%
# No other functions serve better. Polynomials of degree three miss more of a random function than
# the first four eigenfunctions do.

system = smooth["Matérn 3/2"]
missed = theory.approximation_error(system, lambda X: np.hstack([X**0, X, X**2, X**3]))
print(f"left open by polynomials {missed:.4f}, by eigenfunctions {system.tail(4):.4f}")
