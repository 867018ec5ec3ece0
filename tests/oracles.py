"""Slow and obvious computations that fast ones are held against."""

import numpy as np


def ridge_left_out(K, y, penalty):
    """Predict each row by kernel ridge regression on all the others."""
    predicted = np.empty_like(y)
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        A = K[np.ix_(others, others)] + penalty * np.eye(len(y) - 1)
        predicted[i] = K[i, others] @ np.linalg.solve(A, y[others])
    return predicted


def ridge_left_out_with_intercept(K, y, penalty):
    """Do the same with a constant in the model that is not penalised."""
    predicted = np.empty_like(y)
    ones = np.ones((len(y) - 1, 1))
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        A = K[np.ix_(others, others)] + penalty * np.eye(len(y) - 1)
        bordered = np.block([[A, ones], [ones.T, np.zeros((1, 1))]])
        solved = np.linalg.solve(bordered, np.concatenate([y[others], np.zeros((1, y.shape[1]))]))
        predicted[i] = K[i, others] @ solved[:-1] + solved[-1]
    return predicted


def leading_components(K, count, K_new=None):
    """Compute leading eigenvectors of K, and by Nystroem's formula their values at new rows."""
    values, vectors = np.linalg.eigh(K)
    leading = np.argsort(values)[::-1][:count]
    U = vectors[:, leading]
    return U if K_new is None else K_new @ U / values[leading]


def cutoff_prediction(K, y, count, K_new):
    """Fit y by least squares on the leading eigenvectors of K, predict at new rows."""
    weights, *_ = np.linalg.lstsq(leading_components(K, count), y, rcond=None)
    return leading_components(K, count, K_new) @ weights


def centred_kernels(K, K_new):
    """Centre kernel matrices as if the mean of the data in feature space were subtracted."""
    n = len(K)
    H = np.eye(n) - 1.0 / n
    return H @ K @ H, (K_new - np.full((len(K_new), n), 1.0 / n) @ K) @ H
