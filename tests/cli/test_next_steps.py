"""Commands that a diagnosis proposes, the one that matters most first."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from reldim.cli.next_steps import next_steps

FLAGS = {"--target": "y", "--kernel": ["linear"]}


def proposed(
    code="RD002", alternatives=(), *, file="data.csv", shares=(1,), reported=False, leak=None
):
    found = SimpleNamespace(
        task="classification",
        column_shares=shares,
        verdict=SimpleNamespace(code=code, alternatives=alternatives),
        findings=[] if leak is None else [SimpleNamespace(code="RD016", figures={"column": leak})],
        problem=SimpleNamespace(table=SimpleNamespace(sources=["size", "paid later"])),
    )
    steps = next_steps(found, Path(file), FLAGS, reported=reported)
    return [command for _, command in steps]


def names(commands):
    return [command.split("reldim ")[1].split()[0] for command in commands]


@pytest.mark.parametrize(
    "code, expected",
    [
        ("RD002", ["columns", "labels", "forecast", "diagnose"]),
        ("RD004", ["forecast", "columns", "labels", "diagnose"]),
        ("RD001", ["diagnose"]),
    ],
)
def test_order_follows_the_verdict(code, expected):
    assert names(proposed(code)) == expected


def test_what_more_rows_bring_comes_first_where_it_is_open():
    assert names(proposed("RD003", ("RD005",))) == names(proposed("RD005"))
    assert names(proposed("RD003")) == names(proposed("RD002"))


def test_columns_need_shares_and_take_no_kernels():
    assert "columns" not in names(proposed(shares=()))
    columns, labels, *_ = proposed()
    assert "--kernel" not in columns
    assert "--kernel" in labels
    assert all("--target y" in command for command in (columns, labels))


def test_a_report_is_proposed_once():
    assert "--report report.html" in proposed()[-1]
    assert "diagnose" not in names(proposed(reported=True))


def test_what_was_piped_has_to_be_piped_again(tmp_path):
    assert all(command.startswith("... | ") for command in proposed(file="-"))
    assert names(proposed(file=str(tmp_path))) == ["diagnose"]


def test_a_column_that_tells_the_target_is_left_out_first():
    first, *others = proposed(leak=1)
    assert first == "reldim diagnose data.csv --target y --kernel linear --drop 'paid later'"
    assert others == proposed()
