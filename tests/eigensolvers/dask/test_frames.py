"""Arrays and frames of Dask that are refused, and what is said."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from lazily import KERNEL, lazy, problem
from reldim import decompose, diagnose, kernels, relevant_dimension
from reldim.eigensolvers import in_blocks, lowrank_capacity
from reldim.eigensolvers.dask import DaskBlocks
from reldim.exceptions import InputError
from reldim.spectrum.gram import Gram

pytestmark = pytest.mark.usefixtures("small_blocks")


class TestBadInput:
    @pytest.mark.parametrize(
        "spoil, message",
        [
            (lambda X, y: (X[X[:, 0] > 0], y), r"chunks of X must be known.*compute_chunk_sizes"),
            (lambda X, y: (X.rechunk({1: 1}), y), r"must hold whole rows. Got chunks of 1, 1, 1"),
            (lambda X, y: (X, y.rechunk(60)), r"the same chunks. Got 150, 150, 150, ... rows"),
            (lambda X, y: (X, y[:100]), r"the same number of rows. Got 500 and 100"),
            (lambda X, y: (X, np.ones(7)), r"the same number of rows. Got 500 and 7"),
            (lambda X, y: (da.where(X > 2.5, np.nan, X), y), r"finite numbers.*begins at row \d+"),
            (lambda X, y: (X, da.where(y > 1, np.inf, y)), r"NaN or infinity.*begins at row \d+"),
            (lambda X, y: (X, da.ones(500, chunks=150)), r"one class only"),
            (lambda X, y: (X, 2.5 + 0 * y), r"one class only"),
            (lambda X, y: (X[:, 0], y), r"two dimensions"),
            (lambda X, y: (dask.delayed(np.ones)((9, 2)), y), r"array or a data frame of Dask"),
        ],
        ids=[
            "unknown chunks",
            "chunks of columns",
            "unequal chunks",
            "short y",
            "short y in memory",
            "missing values in X",
            "missing values in y",
            "one class",
            "constant",
            "one dimension",
            "delayed",
        ],
    )
    def test_messages(self, spoil, message):
        X, y = problem()
        with pytest.raises(InputError, match=message):
            diagnose(*spoil(lazy(X), lazy(y)), kernels=KERNEL)

    def test_an_empty_chunk(self):
        X, _ = problem(100)
        empty = da.from_array(X, chunks=((60, 0, 40), 3))
        with pytest.raises(InputError, match=r"at least one row. Got none in chunk 1.*rechunk"):
            decompose(KERNEL, empty)

    def test_an_empty_partition(self):
        frame = dd.from_pandas(pd.DataFrame({"a": np.arange(90.0)}), npartitions=3)
        with pytest.raises(InputError, match=r"Got none in chunk 0.*repartition"):
            decompose(KERNEL, frame[frame["a"] >= 30])

    def test_columns_that_are_no_numbers(self):
        frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), npartitions=1)
        with pytest.raises(InputError, match=r"numeric columns only.*'b'.*get_dummies"):
            decompose(KERNEL, frame)

    def test_text_as_numbers(self):
        X, y = problem(100)
        with pytest.raises(InputError, match=r"Regression needs numbers as targets.*text"):
            diagnose(lazy(X), lazy(np.where(y > 0, "b", "a")), task="regression")

    @pytest.mark.parametrize("solver", ["dense", "lowrank"])
    def test_solvers_in_memory(self, solver):
        X, _ = problem(100)
        with pytest.raises(InputError, match=rf"solver='{solver}' needs the data in memory"):
            decompose(KERNEL, lazy(X), solver=solver)
        blocks = DaskBlocks.of_points(X)
        with pytest.raises(InputError, match=rf"solver='{solver}' needs the data in memory"):
            decompose(KERNEL, blocks, solver=solver)

    def test_a_kernel_matrix(self):
        with pytest.raises(InputError, match=r"kernel matrix must be in memory.*K.compute"):
            decompose(kernels.Precomputed(), da.eye(50, chunks=50))

    def test_targets_that_are_lazy_beside_data_that_are_not(self):
        X, y = problem(200)
        rd = relevant_dimension(decompose(KERNEL, X), lazy(y))
        assert rd.dimension == relevant_dimension(decompose(KERNEL, X), y).dimension

    def test_memory(self):
        X, _ = problem(500)
        with pytest.raises(InputError, match=r"needs about .* may be used"):
            decompose(KERNEL, lazy(X), memory=20_000)
        gram = Gram.of(KERNEL, in_blocks(lazy(X)))
        budget = 60_000_000
        assert lowrank_capacity(gram, budget, factors=2) < lowrank_capacity(gram, budget)
