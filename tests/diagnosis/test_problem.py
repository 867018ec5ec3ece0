"""The data as a diagnosis uses them."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reldim import diagnose, kernels
from reldim.cli import app
from reldim.diagnosis.problem import prepare_problem
from reldim.exceptions import InputError

pytestmark = pytest.mark.small


class TestSource:
    def test_every_row_stands_for_itself_where_none_repeats_another(self, rng):
        problem = prepare_problem(rng.normal(size=(20, 2)), rng.normal(size=20))
        assert problem.source.tolist() == list(range(20))
        assert problem.steps == ()

    def test_a_copy_is_represented_by_the_row_it_repeats(self, rng):
        X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
        order = rng.permutation(np.repeat(np.arange(20), 2))
        problem = prepare_problem(X[order], y[order])
        assert problem.X.shape == (20, 2)
        np.testing.assert_array_equal(problem.X[problem.source], X[order])
        np.testing.assert_allclose(
            problem.targets.values[problem.source, 0], y[order] - y.mean(), atol=1e-12
        )
        assert problem.steps == ("Left out 20 rows that repeat others, features and target alike.",)

    def test_equal_rows_with_other_targets_are_kept(self, rng):
        X = np.repeat(rng.normal(size=(100, 2)), 2, axis=0)
        y = np.repeat(np.arange(100) % 2, 2)
        y[[1, 3, 5, 7]] = 1 - y[[1, 3, 5, 7]]
        problem = prepare_problem(X, y)
        assert problem.targets.n == 104
        np.testing.assert_array_equal(problem.X[problem.source], X)
        np.testing.assert_array_equal(problem.targets.codes[problem.source], y)

    def test_close_measurements_are_no_copies(self, rng):
        X = np.repeat(rng.normal(size=(50, 1)), 3, axis=0)
        problem = prepare_problem(X, X[:, 0] + 0.1 * rng.normal(size=150))
        assert (problem.targets.n, problem.steps) == (150, ())

    def test_objects_that_are_numbers_are_taken_as_numbers(self, rng):
        X = rng.normal(size=(60, 3))
        y = X[:, 0] + 0.1 * rng.normal(size=60)
        plain, objects = (diagnose(data, y, references=False) for data in (X, X.astype(object)))
        assert not objects.columns.empty
        pd.testing.assert_frame_equal(objects.columns, plain.columns)

    def test_objects_that_are_no_numbers_stay_what_they_are(self):
        words = np.array([["a", 1.0], ["b", 2.0]], dtype=object)
        assert prepare_problem(words, [0.5, 1.5], kernels=len).X is words

    def test_a_kernel_matrix_is_left_as_it_is(self, rng):
        X = np.repeat(rng.normal(size=(10, 2)), 2, axis=0)
        K = kernels.Gaussian(1.0)(X)
        problem = prepare_problem(K, X[:, 0], kernels=kernels.Precomputed())
        assert problem.X is K
        assert problem.source.tolist() == list(range(20))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


class TestOneDiagnosisByEveryDoor:
    """The same table as a file, a frame of pandas or polars, and an array that is scaled."""

    @staticmethod
    def table():
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(
            {
                "x": rng.normal(size=60).round(3),
                "count": rng.integers(0, 9, size=60),
                "kind": np.array(["ash", "elm"])[rng.integers(0, 2, size=60)],
            }
        )
        noise = 0.1 * rng.normal(size=60)
        return frame.assign(y=(np.sin(frame["x"]) + 0.2 * frame["count"] + noise).round(3))

    @staticmethod
    def without_the_way(found):
        """How the data came, and which call repeats it, is what may differ."""
        plain = json.loads(json.dumps(found))
        return {k: v for k, v in plain.items() if k not in {"preparation", "settings"}}

    def of_file(self, frame, folder):
        path, out = folder / "table.csv", folder / "found.json"
        frame.to_csv(path, index=False)
        arguments = ["diagnose", str(path), "--target", "y", "--kernel", "linear", "--quiet"]
        done = CliRunner().invoke(app, [*arguments, "--json", str(out)])
        assert done.exit_code == 0, done.output
        return self.without_the_way(json.loads(out.read_text(encoding="utf-8")))

    def of_data(self, X, y, **settings):
        return self.without_the_way(diagnose(X, y, kernels="linear", **settings).to_dict())

    def test_frames(self, tmp_path):
        frame = self.table()
        expected = self.of_file(frame, tmp_path)
        assert self.of_data(frame, "y") == expected
        assert self.of_data(frame.drop(columns="y"), frame["y"]) == expected

    def test_frames_of_polars(self):
        polars = pytest.importorskip("polars")
        frame = self.table()
        other = polars.DataFrame({name: frame[name].to_numpy() for name in frame})
        assert self.of_data(other, "y") == self.of_data(frame, "y")

    def test_scaled_arrays(self, tmp_path):
        frame = self.table().drop(columns="kind")
        expected = self.of_file(frame, tmp_path)
        X, y = frame.drop(columns="y"), frame["y"]
        assert self.of_data(X.to_numpy(dtype=float), y.to_numpy(), scale=True) == expected
        assert self.of_data(X, y, scale=False) != expected


class TestRoles:
    def test_what_is_declared_is_believed(self):
        frame = pd.DataFrame({"code": [1, 2, 3] * 10, "x": np.arange(30) % 7, "y": [0.5, 1.5] * 15})
        found = prepare_problem(frame, "y", roles={"code": "category", "x": "identifier"})
        assert found.column_names == ("code",)
        assert found.X.shape[1] == 3
        assert diagnose(frame, "y", roles={"x": "group"}).problem.column_names == ("code",)

    def test_of_arrays_are_refused(self):
        with pytest.raises(InputError, match="roles say what columns of a data frame"):
            prepare_problem(np.zeros((4, 2)), [0, 1, 0, 1], roles={"0": "category"})
