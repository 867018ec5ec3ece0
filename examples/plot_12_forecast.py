"""
Would more rows help?
=====================

The learning curve to come, from the rows at hand: the same two kinds of problems as in the first
example, and what ten times the rows would bring.
"""

import numpy as np

import reldim
from reldim import datasets, plots

# %%
# A smooth function under noise: the error is close to its floor already.

noisy = datasets.noisy_sinc(100, noise=0.3, random_state=1)
rows = np.geomspace(100, 1000, 12).astype(int)
forecast = reldim.diagnose(noisy.X, noisy.y).forecast(rows)
print(forecast.reason)
plots.ForecastDisplay.from_forecast(forecast)

# %%
# Classes in twenty dimensions: most of the error is structure that is not learned yet.

complicated = datasets.ringnorm(150, random_state=0)
rows = np.geomspace(150, 1500, 12).astype(int)
forecast = reldim.diagnose(complicated.X, complicated.y).forecast(rows)
print(forecast.reason)
print(forecast.explain(0.03))
plots.ForecastDisplay.from_forecast(forecast)

# %%
# The forecast can be held against the truth here, since more rows cost nothing.

for count in (150, 600, 1500):
    more = datasets.ringnorm(count, random_state=1)
    new = datasets.ringnorm(2000, random_state=2)
    model = reldim.diagnose(more.X, more.y).predictor()
    expected = forecast.curve.forecast(count)
    print(
        f"{count:5} rows: {np.mean(model.predict(new.X) != new.y):.1%}, forecast "
        f"{expected.error[0]:.1%} ({expected.lower[0]:.1%} to {expected.upper[0]:.1%})"
    )
