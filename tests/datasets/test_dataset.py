"""Resamples of a data set."""

import numpy as np
import pytest

from reldim import datasets
from reldim.exceptions import InputError


class TestResamples:
    data = datasets.twonorm(50, random_state=0)

    def test_random_ones_are_disjoint_and_of_the_sizes_asked_for(self):
        for resample in self.data.resampled(5, sizes=(20, 25)).resamples:
            assert len(resample.train) == 20
            assert len(resample.test) == 25
            assert not set(resample.train) & set(resample.test)
            assert resample.origin == "random"

    def test_more_of_them_do_not_change_the_first(self):
        few, many = (self.data.resampled(count, sizes=(20, 30)) for count in (2, 6))
        assert np.array_equal(few.resamples[1].train, many.resamples[1].train)
        assert not np.array_equal(many.resamples[1].train, many.resamples[2].train)

    def test_those_at_hand_come_first(self):
        own = datasets.Resample(np.arange(10), np.arange(10, 20))
        data = datasets.Dataset("d", self.data.X, self.data.y, resamples=(own,), sizes=(10, 10))
        drawn = data.resampled(3)
        assert drawn.resamples[0] is own
        assert [r.origin for r in drawn.resamples] == ["official", "random", "random"]
        assert len(data.resampled(1).resamples) == 1

    def test_sizes_are_needed_to_draw(self):
        with pytest.raises(InputError, match="Pass sizes"):
            self.data.resampled(2)

    def test_sizes_must_fit(self):
        with pytest.raises(InputError, match="50 in all"):
            self.data.resampled(2, sizes=(40, 20))

    def test_unequal_lengths_are_refused(self):
        with pytest.raises(InputError, match="the same number of rows"):
            datasets.Dataset("d", np.zeros((3, 1)), np.zeros(2))
