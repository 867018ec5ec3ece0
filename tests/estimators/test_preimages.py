"""Pre-images against distances in feature space written out."""

import numpy as np
import pytest

from reldim import RelevantKernelPCA, kernels
from reldim.exceptions import InputError

WORDS = ["".join(word) for word in np.random.default_rng(0).choice(list("ACGT"), size=(60, 6))]
COUNTS = np.array([word.count("A") + 0.5 * (word[0] == "C") for word in WORDS])


class TestPreImages:
    """Inputs for components, as Mika et al. find them."""

    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 80)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    noisy = circle + 0.15 * rng.standard_normal((80, 2))
    kernel = kernels.Gaussian(width=0.5)

    @pytest.mark.parametrize("center", [False, True])
    def test_no_point_comes_closer_in_feature_space(self, center):
        model = RelevantKernelPCA(self.kernel, dimension=4, center=center)
        Z = model.fit(self.noisy, self.angle).transform(self.noisy[:12])
        found = model.inverse_transform(Z)
        K = self.kernel(self.noisy)
        H = np.eye(80) - center / 80
        values, U = np.linalg.eigh(H @ K @ H)
        directions = H @ U[:, ::-1][:, :4] / np.sqrt(values[::-1][:4])
        projected = (self.kernel(self.noisy[:12], self.noisy) - center * K.mean(axis=0)) @ H
        gamma = projected @ directions @ directions.T + center / 80

        def distance(z, row):
            inside = gamma[row] @ K @ gamma[row] - 2 * gamma[row] @ self.kernel(self.noisy, [z])
            return 1.0 + float(inside[0])

        for row, z in enumerate(found):
            least = distance(z, row)
            for step in 1e-2 * self.rng.standard_normal((20, 2)):
                assert distance(z + step, row) >= least - 1e-9
            # Nor does any of the rows.
            assert least <= min(distance(x, row) for x in self.noisy) + 1e-9

    def test_all_components_lead_back_to_the_row(self):
        model = RelevantKernelPCA(kernels.Gaussian(0.05), dimension=79).fit(self.noisy, self.angle)
        found = model.inverse_transform(model.transform(self.noisy))
        np.testing.assert_allclose(found, self.noisy, atol=1e-2)

    def test_few_components_denoise(self):
        model = RelevantKernelPCA(self.kernel, dimension=5).fit(self.noisy, self.circle[:, 0])
        found = model.inverse_transform(model.transform(self.noisy))
        before, after = (np.abs(np.hypot(*X.T) - 1).mean() for X in (self.noisy, found))
        assert after < 0.7 * before

    @pytest.mark.parametrize("kernel", [kernels.Laplacian(1.0), kernels.Polynomial(2, 1.0)])
    def test_other_kernels_average_neighbours(self, kernel):
        model = RelevantKernelPCA(kernel, dimension=5).fit(self.noisy, self.circle[:, 0])
        found = model.inverse_transform(model.transform(self.circle))
        assert np.abs(np.hypot(*found.T) - 1).mean() < 0.15
        own = model.inverse_transform(model.transform(self.noisy))
        assert np.median(np.abs(own - self.noisy)) < 0.05

    def test_precision_and_mistakes(self):
        model = RelevantKernelPCA(self.kernel, dimension=3)
        Z = model.fit(self.noisy.astype(np.float32), self.angle).transform(
            self.noisy.astype(np.float32)
        )
        assert model.inverse_transform(Z).dtype == np.float32
        with pytest.raises(InputError, match="must have 3 columns"):
            model.inverse_transform(np.ones((2, 4)))
        words = RelevantKernelPCA(kernels.WeightedDegree(2), dimension=2).fit(WORDS, COUNTS)
        with pytest.raises(InputError, match="Pre-images are vectors"):
            words.inverse_transform(np.ones((1, 2)))
