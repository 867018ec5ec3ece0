"""
The predictor
=============

What the diagnosis learned can be used: least squares on the relevant components, as a fitted
scikit-learn estimator. Nothing needs to be tuned.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVR

import reldim
from reldim import datasets

data = datasets.noisy_sinc(120, noise=0.3, random_state=3)
model = reldim.diagnose(data.X, data.y).predictor()
print(model)

# %%
# Beside it a support vector machine with its default settings.

x = np.linspace(data.X.min(), data.X.max(), 400)[:, None]
machine = SVR().fit(data.X, data.y)
figure, ax = plt.subplots(layout="constrained")
ax.plot(data.X[:, 0], data.y, ".", color="0.6", label="data")
order = np.argsort(data.X[:, 0])
ax.plot(data.X[order, 0], data.truth[order], color="black", label="truth")
ax.plot(x[:, 0], model.predict(x), color="#0072B2", linestyle="--", label="relevant components")
ax.plot(x[:, 0], machine.predict(x), color="#D55E00", linestyle=":", label="SVR, default settings")
ax.set(xlabel="x", ylabel="y", title="Prediction from the relevant components")
ax.legend()
