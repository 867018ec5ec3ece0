"""
Noisy or complex?
=================

A learner makes a large error on two problems, for opposite reasons. Error rates cannot tell them
apart; the relevant dimension and the noise level can.
"""

import reldim
from reldim import datasets

# %%
# The first problem is a smooth function under a lot of noise. Few dimensions carry all that can be
# learned, and most of the error is noise: more rows would not help.

noisy = datasets.noisy_sinc(100, noise=0.3, random_state=1)
diagnosis = reldim.diagnose(noisy.X, noisy.y)
print(diagnosis.verdict)
diagnosis.plot()

# %%
# The second is a fast oscillation with little noise. Its signal takes many dimensions, and 100 rows
# do not pin them down: more rows, or a kernel made for oscillations, would help.

complicated = datasets.sine(100, frequency=35, noise=0.1, random_state=1)
diagnosis = reldim.diagnose(complicated.X, complicated.y)
print(diagnosis.verdict)
diagnosis.plot()
