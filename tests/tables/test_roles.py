"""Roles: what a column is taken for, found or declared."""

import numpy as np
import pandas as pd
import pytest

from reldim.exceptions import InputError
from reldim.tables.preparation import TableEncoder, prepare_table
from reldim.tables.roles import code_reason

pytest.importorskip("skrub")

N = 120


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    places = [f"{place:05d}" for place in rng.integers(1000, 99999, 30)]
    return pd.DataFrame(
        {
            "id": range(N),
            "zip": rng.choice(places, N),
            "branch": rng.integers(1, 9, N) * 1000,
            "age": rng.integers(20, 80, N),
            "born": pd.date_range("1960-01-01", periods=N, freq="91D"),
            "town": rng.choice(["Ulm", "Bonn"], N),
            "note": [f"a remark about number {i}" for i in range(N)],
            "pet": "cat",
        }
    )


def roles_of(frame, **declared):
    return {one.column: (one.role, one.reason) for one in prepare_table(frame, **declared).roles}


def test_every_column_has_one(frame):
    roles = roles_of(frame)
    assert [*roles] == [*frame.columns]
    assert {name: role for name, (role, _) in roles.items()} == {
        "id": "identifier",
        "zip": "code",
        "branch": "number",
        "age": "number",
        "born": "date",
        "town": "category",
        "note": "text",
        "pet": "constant",
    }
    assert roles["zip"][1].startswith("leading zeros such as '0")


def test_a_declared_category_has_a_column_for_each_level(frame):
    table = prepare_table(frame, roles={"branch": "category"})
    features = [name for name in table.feature_names if name.startswith("branch")]
    assert features == [f"branch = {value}" for value in sorted(frame["branch"].unique())]
    assert {one.column: one.reason for one in table.roles}["branch"] == "declared"
    assert "branch" in " ".join(table.steps)


def test_declared_columns_are_left_out(frame):
    table = prepare_table(frame, roles={"town": "group", "zip": "identifier"}, drop=("age",))
    assert {"town", "zip", "age"}.isdisjoint(table.sources)
    roles = {one.column: one.role for one in table.roles}
    assert (roles["town"], roles["zip"], roles["age"]) == ("group", "identifier", "dropped")


def test_a_declared_number_is_believed():
    x = np.append(np.arange(50.0), [-999.0] * 3)
    frame = pd.DataFrame({"x": x, "code": [f"{i:03d}" for i in range(53)]})
    roles = {"x": "number", "code": "number"}
    table = prepare_table(frame, scale=False, roles=roles)
    np.testing.assert_array_equal(table.X, np.column_stack([x, np.arange(53.0)]))
    assert table.odd == ()


def test_a_declared_date_is_read_or_refused():
    frame = pd.DataFrame({"when": ["31.01.2020", "1.2.2020"] * 5, "x": range(10)})
    assert roles_of(frame, roles={"when": "date"})["when"] == ("date", "declared")
    with pytest.raises(InputError, match="x is declared as a date.*2020-01-31"):
        prepare_table(frame, roles={"x": "date"})


@pytest.mark.parametrize(
    "declared, message",
    [
        ({"roles": {"nothing": "code"}}, "Got 'nothing'; its columns are id, zip"),
        ({"drop": ("nothing",)}, "Got 'nothing'"),
        ({"roles": {"age": "numbers"}}, "Got 'numbers' for the column age"),
        ({"roles": {"note": "number"}}, "note is declared as a number"),
    ],
)
def test_refusals(frame, declared, message):
    with pytest.raises(InputError, match=message):
        prepare_table(frame, **declared)


def test_new_rows_have_the_same_roles(frame):
    encoder = TableEncoder(roles={"branch": "code"}, drop=("note",)).fit(frame)
    np.testing.assert_array_equal(
        encoder.transform(frame.drop(columns="note")), encoder.transform(frame)
    )


@pytest.mark.parametrize("seed", range(5))
def test_numbers_as_text_are_no_codes(seed):
    rng = np.random.default_rng(seed)
    for values in (
        rng.integers(0, 1000, 200),
        rng.integers(1950, 2020, 200),
        rng.integers(10_000, 99_999, 200),
        rng.normal(size=200),
    ):
        assert code_reason(pd.Series(values.astype(str))) is None


def test_ordered_categories_are_numbers():
    sizes = pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": sizes, "x": [1.0, 2.0, 4.0, 8.0]})
    table = prepare_table(frame, scale=False)
    assert table.X[:, 0].tolist() == [1, 3, 2, 1]
    assert (table.roles[0].role, table.roles[0].reason) == ("number", "ordered categories, by rank")
    assert table.steps[0].endswith("as ranks: S < M < L.")
