"""Kernel PCA up to the relevant dimension, against scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from estimating import GAUSSIAN, NEW, SINC
from oracles import leading_components
from reldim import (
    KernelPCClassifier,
    KernelPCRegressor,
    RelevantKernelPCA,
)
from reldim.exceptions import InputError


class TestKernelPCA:
    def test_equals_that_of_scikit_learn(self):
        ours = RelevantKernelPCA(GAUSSIAN, dimension=5, center=True).fit(SINC.X, SINC.y)
        theirs = KernelPCA(5, kernel="rbf", gamma=1 / 0.6).fit(SINC.X)
        for rows in (SINC.X, NEW):
            np.testing.assert_allclose(
                np.abs(ours.transform(rows)), np.abs(theirs.transform(rows)), atol=1e-9
            )
        np.testing.assert_allclose(60 * ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)

    def test_not_centred_equals_scaled_eigenvectors(self):
        ours = RelevantKernelPCA(GAUSSIAN, dimension=4).fit_transform(SINC.X, SINC.y)
        K = GAUSSIAN(SINC.X)
        scale = np.sqrt(np.sort(np.linalg.eigvalsh(K))[::-1][:4])
        np.testing.assert_allclose(
            np.abs(ours), np.abs(leading_components(K, 4)) * scale, atol=1e-9
        )

    def test_signs_do_not_depend_on_chance(self):
        ours = RelevantKernelPCA(GAUSSIAN, dimension=6).fit_transform(SINC.X, SINC.y)
        order = np.random.default_rng(0).permutation(60)
        other = RelevantKernelPCA(GAUSSIAN, dimension=6).fit(SINC.X[order], SINC.y[order])
        np.testing.assert_allclose(other.transform(SINC.X), ours, atol=1e-8)
        assert np.all(ours[np.abs(ours).argmax(axis=0), np.arange(6)] > 0)

    def test_least_squares_on_the_components_is_the_regressor(self):
        pipeline = make_pipeline(
            RelevantKernelPCA(GAUSSIAN), LinearRegression(fit_intercept=False)
        ).fit(SINC.X, SINC.y - SINC.y.mean())
        model = KernelPCRegressor(GAUSSIAN).fit(SINC.X, SINC.y)
        np.testing.assert_allclose(
            pipeline.predict(NEW) + SINC.y.mean(), model.predict(NEW), atol=1e-7
        )

    def test_task_can_be_named(self):
        y = np.digitize(SINC.y, [0.0, 0.3])
        classes = RelevantKernelPCA(GAUSSIAN).fit(SINC.X, y)
        numbers = RelevantKernelPCA(GAUSSIAN, task="regression").fit(SINC.X, y)
        expected = KernelPCRegressor(GAUSSIAN).fit(SINC.X, y)
        assert numbers.dimension_ == expected.dimension_
        assert classes.dimension_ == KernelPCClassifier(GAUSSIAN).fit(SINC.X, y).dimension_

    def test_targets_are_needed(self):
        with pytest.raises(InputError, match="requires y to be passed"):
            RelevantKernelPCA().fit_transform(SINC.X)

    def test_names_and_frames(self):
        frame = pd.DataFrame(SINC.X, columns=["x"], index=range(100, 160))
        transformer = RelevantKernelPCA(GAUSSIAN, dimension=3).set_output(transform="pandas")
        out = transformer.fit_transform(frame, SINC.y)
        names = ["relevantkernelpca0", "relevantkernelpca1", "relevantkernelpca2"]
        assert out.columns.tolist() == names
        assert out.index.tolist() == frame.index.tolist()
        pd.testing.assert_frame_equal(transformer.transform(frame), out)
        assert transformer.get_feature_names_out().tolist() == names
