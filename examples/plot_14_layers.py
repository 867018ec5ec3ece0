"""
What a network makes of its input, layer by layer
=================================================

A network that has been trained turns its input into something simpler for the task: the classes
take fewer components of the same kernel, and what is left open falls earlier. Kernel analysis of
deep networks (Montavon, Braun and Müller 2011) looks at this with the error curve of each layer.
Here it is done for a small network on the digits that come with scikit-learn, before and after
training.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

from reldim import RelevantDimension, decompose, kernels, plots, relevant_dimension

X, y = load_digits(return_X_y=True)
X = X / 16.0
rng = np.random.default_rng(0)
order = rng.permutation(len(X))
train, test = order[:1200], order[1200:]


def train_network(passes: int) -> MLPClassifier:
    """Train a network of three hidden layers."""
    model = MLPClassifier((64, 64, 64), random_state=0)
    for _ in range(passes):
        model.partial_fit(X[train], y[train], classes=np.unique(y))
    return model


def layers_of(model: MLPClassifier, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the rows, and what each hidden layer makes of them."""
    values, found = rows, {"input": rows}
    for number, (weights, offsets) in enumerate(
        zip(model.coefs_[:-1], model.intercepts_[:-1], strict=True), start=1
    ):
        values = np.maximum(values @ weights + offsets, 0.0)
        found[f"layer {number}"] = values
    return found


# %%
# Rows that the network has not seen tell what its layers are worth. The width of the Gaussian
# kernel is half of the median squared distance in each layer, so that scales do not matter.


def analyse(representation: np.ndarray) -> RelevantDimension:
    """Estimate the relevant dimension of the digits in a representation."""
    distances = kernels.squared_distances(representation, representation)
    kernel = kernels.Gaussian(width=float(np.median(distances)) / 2.0)
    return relevant_dimension(decompose(kernel, representation), y[test], random_state=0)


stages = {}
for passes in (1, 60):
    network = train_network(passes)
    stages[passes] = {name: analyse(rows) for name, rows in layers_of(network, X[test]).items()}
    error = 1 - network.score(X[test], y[test])
    print(f"passes over the rows: {passes}, error of the network {error:.1%}")
    for name, rd in stages[passes].items():
        print(f"  {name:8} dimension {rd.dimension:3}  expected error {rd.error_estimate:.1%}")

# %%
# After training, each layer needs fewer components than the one before, and leaves less open.

plots.ErrorCurveDisplay.from_relevances(stages[60])
