"""The table of rows whose targets look wrong."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_matrix

from reldim import diagnose, kernels
from reldim.exceptions import InputError
from reldim.report.rows import COLUMNS, ROWS, suspicious_rows
from reldim.report.words import cell_text
from reporting import GAUSSIAN, HOSTILE, hostile_table, issue_frame, sinc, two_moons


class TestRows:
    def test_worst_first_and_no_more_than_fit(self, of_sinc):
        table = suspicious_rows(issue_frame(80, [3, 70, 11]), of_sinc)
        assert [row.name for row in table.rows] == ["70", "11", "3"]
        assert (table.found, table.total, table.columns) == (3, 80, ("column 0",))
        assert float(table.rows[0].cells[0]) == pytest.approx(of_sinc.problem.X[70, 0], rel=1e-5)
        many = suspicious_rows(issue_frame(80, range(70)), of_sinc)
        assert (many.found, len(many.rows)) == (70, ROWS)

    def test_wide_data(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(30, COLUMNS + 5))
        found = diagnose(X, X[:, 0], kernels=kernels.Linear())
        table = suspicious_rows(issue_frame(30, [1]), found)
        assert len(table.columns) == len(table.rows[0].cells) == COLUMNS
        assert table.more_columns == 5

    def test_copies_show_their_own_row(self):
        data = sinc(30)
        X, y = np.vstack([data.X, data.X[:2]]), np.append(data.y, data.y[:2])
        found = diagnose(X, y, kernels=GAUSSIAN)
        table = suspicious_rows(issue_frame(32, [31]), found)
        assert table.rows[0].cells == (cell_text(X[31, 0]),)

    def test_an_array_that_was_scaled_has_its_own_columns(self):
        data = sinc(30)
        X = np.column_stack([np.ones(30), data.X])
        found = diagnose(X, data.y, kernels=GAUSSIAN, scale=True)
        table = suspicious_rows(issue_frame(30, [4]), found, data=X)
        assert table.columns == ("column 0", "column 1")
        assert table.rows[0].cells == (cell_text(1.0), cell_text(X[4, 1]))

    def test_prepared_table_needs_the_data(self):
        frame, y = hostile_table()
        found = diagnose(frame, y, kernels=kernels.Linear())
        bare = suspicious_rows(issue_frame(90, [5]), found)
        assert bare.rows[0].cells == ()
        assert "write_report" in bare.hint
        named = frame.set_axis([f"r{i}" for i in range(90)])
        table = suspicious_rows(issue_frame(90, [5]), found, named)
        assert (table.rows[0].name, table.columns[0], table.hint) == ("r5", HOSTILE, "")
        assert table.rows[0].cells[2] == frame["town"].iloc[5]

    @pytest.mark.parametrize("form", [coo_array, csr_matrix, lambda X: X, lambda X: X.tolist()])
    def test_kinds_of_data(self, of_moons, form):
        X, _ = two_moons()
        table = suspicious_rows(issue_frame(80, [4]), of_moons, form(X))
        expected = tuple(cell_text(float(value)) for value in X[4])
        assert table.rows[0].cells[:1] == expected[:1]
        assert table.rows[0].name == "4"

    def test_sequences(self):
        X = ["ACGT", "ACGA", "TCGT", "TCGA", "ACCT", "TCCA"]
        found = diagnose(X, [0, 0, 1, 1, 0, 1], kernels=kernels.WeightedDegree(1))
        assert suspicious_rows(issue_frame(6, [2]), found).rows[0].cells == ("TCGT",)
        assert suspicious_rows(issue_frame(6, [2]), found, X).columns == ("value",)

    def test_kernel_matrix_has_no_values(self):
        data = sinc(30)
        found = diagnose(GAUSSIAN(data.X, data.X), data.y, kernels=kernels.Precomputed())
        table = suspicious_rows(issue_frame(30, [0]), found)
        assert table.columns == table.rows[0].cells == ()
        assert "kernel matrix" in table.hint

    def test_data_of_another_length(self, of_sinc):
        with pytest.raises(InputError, match="each of the 80 rows .* Got 7 rows"):
            suspicious_rows(issue_frame(80, [0]), of_sinc, np.zeros((7, 1)))
