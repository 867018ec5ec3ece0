"""
DNA sequences
=============

Sequences are compared by kernels of their own; no features need to be made. Here two halves of a
motif decide: a sequence is a site where both are of the same kind. Either half alone, or any single
letter, says nothing.
"""

import numpy as np

import reldim
from reldim import kernels, plots

rng = np.random.default_rng(0)
rows = np.array(list("ACGT"))[rng.integers(4, size=(300, 40))]
first, second = rng.integers(2, size=(2, 300))
for row, i, j in zip(rows, first, second, strict=True):
    motif = np.array(list(("GTA", "CAC")[i] + ("AGT", "TTC")[j]))
    row[17:23] = np.where(rng.random(6) < 0.9, motif, row[17:23])
sequences = ["".join(row) for row in rows]
labels = np.where(first == second, "site", "none")
print(sequences[0], labels[0])
print(sequences[-1], labels[-1])

# %%
# For sequences the default is the weighted-degree kernel: it counts common pieces of up to a
# certain length at the same place.

diagnosis = reldim.diagnose(sequences, labels)
print(diagnosis)
plots.CandidatesDisplay.from_diagnosis(diagnosis)

# %%
# Single bases, which is what a linear kernel on one-hot codes sees, explain nothing. Pieces that
# span the two halves bring the class into a few dimensions.

estimates = {
    f"pieces of up to {degree}": reldim.relevant_dimension(
        reldim.decompose(kernels.WeightedDegree(degree).normalized(), sequences), labels
    )
    for degree in (1, 3, 5, 12)
}
plots.ErrorCurveDisplay.from_relevances(estimates)
