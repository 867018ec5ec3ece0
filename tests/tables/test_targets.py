"""Targets that are columns of a table, by name, and amounts that are numbers."""

import numpy as np
import pandas as pd
import pytest

from reldim import compare, diagnose
from reldim.exceptions import InputError, InputTypeError
from reldim.tables.targets import split_target


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    return pd.DataFrame(x, columns=["width", "height"]).assign(
        kind=np.where(x[:, 0] > 0, "large", "small"), price=1000 * (x[:, 1] + 5)
    )


def test_a_name_stands_for_its_column(frame):
    X = frame.drop(columns="price")
    one, other = diagnose(X, "kind"), diagnose(X.drop(columns="kind"), X["kind"])
    assert one.to_dict() == other.to_dict()
    assert one.problem.feature_names == ("width", "height")
    assert "kind" in frame


def test_comparisons_take_names(frame):
    X = frame.drop(columns="price")
    kernels = ["gaussian", "linear"]
    one = compare(X, "kind", kernels=kernels)
    other = compare(X.drop(columns="kind"), X["kind"], kernels=kernels)
    assert one.to_dict() == other.to_dict()
    views = {"both": X, "width": X[["width", "kind"]], "array": X[["height"]].to_numpy()}
    found = compare(views, "kind")
    assert {*found.diagnoses} == {*views}
    assert found.diagnoses["width"].problem.feature_names == ("width",)


def test_targets_of_tables_that_are_compared_must_agree(frame):
    other = frame.iloc[::-1].reset_index(drop=True)
    with pytest.raises(InputError, match="'kind' of turned differs from that of plain"):
        compare({"plain": frame, "turned": other}, "kind")
    with pytest.raises(InputError, match="which no representation has"):
        compare({"plain": frame, "turned": other}, "sort")


@pytest.mark.parametrize("wrap", [lambda y: y, list, np.array, lambda y: y.to_numpy(object)])
def test_amounts_are_numbers(frame, wrap):
    price = frame["price"].round()
    text = price.map(lambda value: f"${value:,.0f}")
    X = frame[["width", "height"]]
    one, other = (diagnose(X, y, kernels="linear") for y in (wrap(text), price))
    assert one.task == "regression"
    assert one.preparation[0].startswith("Read the target")
    assert one.error_estimate == other.error_estimate


def test_labels_stay_labels(frame):
    _, y, steps = split_target(frame, "kind")
    assert y.tolist() == frame["kind"].tolist()
    assert steps == ()


@pytest.mark.parametrize(
    "X, y, error, words",
    [
        (
            np.eye(3),
            "kind",
            InputTypeError,
            "X is a data frame. Got y='kind' and X of type ndarray",
        ),
        (pd.DataFrame({"a": [1], "Kind": [2]}), "kind", InputError, "Did you mean 'Kind'?"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "a", InputError, "2 columns named 'a'"),
    ],
)
def test_refused(X, y, error, words):
    with pytest.raises(error) as caught:
        split_target(X, y)
    assert words in str(caught.value)


def test_messages_name_the_column(frame):
    frame["same"] = "a"
    with pytest.raises(InputError, match="^same: .* one class only"):
        diagnose(frame, "same")
    with pytest.raises(InputError, match="^same: .* one class only"):
        diagnose(frame[["width"]], frame["same"])


class TestStrayTexts:
    """Whole numbers as targets, and a word among them."""

    y = np.array([*map(str, np.arange(200) % 30)], dtype=object)
    y[4] = "unknown"
    X = pd.DataFrame({"a": np.arange(200.0)})

    @pytest.mark.parametrize("wrap", [lambda y: y, list, lambda y: pd.Series(y, name="a")])
    def test_refused_with_the_row(self, wrap):
        with pytest.raises(InputError, match="199 of 200 targets are numbers; .*'unknown' .row 4"):
            diagnose(self.X, wrap(self.y))

    def test_labels_where_they_are_asked_for(self):
        found = diagnose(self.X, self.y, task="classification", kernels="linear")
        assert len(found.classes) == 31

    @pytest.mark.parametrize("labels", [[*"123", "x"], [*map(str, range(30)), *"abcde"]])
    def test_few_numbers_and_many_words_are_labels(self, labels):
        y = np.array([labels[i % len(labels)] for i in range(200)])
        assert diagnose(self.X, y, kernels="linear").task == "classification"

    def test_categories_are_labels(self):
        y = pd.Series(pd.Categorical(self.y))
        assert diagnose(self.X, y, kernels="linear").task == "classification"


class TestDates:
    DAYS = pd.Series(pd.date_range("2024-01-01", periods=30), name="day")

    @pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%m/%d/%Y"])
    def test_written_dates_are_refused(self, form):
        frame = pd.DataFrame({"a": range(30), "day": self.DAYS.dt.strftime(form)})
        with pytest.raises(InputError, match="y holds dates such as.*as the days since the first"):
            split_target(frame, "day")

    def test_few_dates_and_categories_are_classes(self):
        texts = self.DAYS.dt.strftime("%Y-%m-%d")
        for y in (texts[:20], texts.astype("category")):
            assert split_target(None, y) == (None, y, ())

    def test_an_index_is_kept(self):
        _, y, _ = split_target(None, pd.Series(["$1,500", "$950"], index=["u", "v"]))
        assert y.index.tolist() == ["u", "v"]
        _, y, _ = split_target(None, ["$1,500", "$950"])
        assert isinstance(y, np.ndarray)


@pytest.mark.parametrize("wrap", [list, np.array, pd.Series])
def test_labels_in_several_spellings_are_joined(wrap):
    rng = np.random.default_rng(0)
    meant = rng.choice(["Yes", "no"], 90)
    given = [
        text.upper() + " " if odd else text
        for text, odd in zip(meant, rng.random(90) < 0.2, strict=True)
    ]
    _, y, steps = split_target(rng.normal(size=(90, 2)), wrap(given))
    assert [*y] == [*meant]
    count = sum(text not in {"Yes", "no"} for text in given)
    assert steps[0].startswith(f"Joined labels of the target: {count} of 90 values differ")


def test_labels_that_only_capitals_tell_apart_stay():
    _, y, steps = split_target(np.zeros((4, 1)), ["a", "A", "a", "A"])
    assert (y, steps) == (["a", "A", "a", "A"], ())
