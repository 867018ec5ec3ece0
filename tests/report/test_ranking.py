"""The kernels that were tried, ranked and folded."""

from dataclasses import replace

import pytest

from reldim.report.ranking import criterion_of, rank_trials


@pytest.fixture
def summary(of_sinc):
    """A summary whose kernels are made of widths and criteria."""

    def make(rows, chosen=0, criterion="likelihood"):
        first = of_sinc.summary.candidates[0]
        trials = tuple(
            replace(
                first,
                kernel=kernel,
                dimension=dimension,
                negative_log_likelihood=value,
                criterion_value=-value,
                chosen=number == chosen,
            )
            for number, (kernel, dimension, value) in enumerate(rows)
        )
        return replace(of_sinc.summary, candidates=trials, criterion=criterion)

    return make


def test_sorted_by_the_criterion_and_none_is_lost(of_sinc, of_moons, of_noise):
    for found in (of_sinc, of_moons, of_noise):
        ranked = rank_trials(found.summary)
        values = [row.value for row in ranked]
        assert values == sorted(values)
        names = [name for row in ranked for name in (row.trial.kernel, *row.alike)]
        assert sorted(names) == sorted(trial.kernel for trial in found.summary.candidates)
        assert sum(row.trial.chosen for row in ranked) == 1


def test_neighbours_that_come_to_the_same_are_folded(summary):
    rows = [("G(1)", 5, 2.0), ("G(2)", 4, 1.0), ("G(3)", 4, 1.0004), ("G(4)", 4, 0.9999)]
    first, second = rank_trials(summary(rows, chosen=2))
    # The chosen one stands for them although another is better by round-off.
    assert (first.trial.kernel, first.alike) == ("G(3)", ("G(2)", "G(4)"))
    assert (second.trial.kernel, second.alike) == ("G(1)", ())


@pytest.mark.parametrize(
    "rows",
    [
        [("G(1)", 4, 1.0), ("G(2)", 5, 1.0)],
        [("G(1)", 4, 1.0), ("G(2)", 4, 1.01)],
        [("G(1)", 4, 1.0), ("L(2)", 4, 1.0)],
        [("G(1)", 4, 1.0), ("G(2)", 9, 3.0), ("G(3)", 4, 1.0)],
    ],
    ids=["dimension", "criterion", "kind", "not neighbours"],
)
def test_others_keep_their_row(summary, rows):
    assert [len(row.alike) for row in rank_trials(summary(rows))] == [0] * len(rows)


def test_other_criterion(summary):
    made = summary([("G(1)", 4, 1.0), ("G(2)", 5, 2.0)], criterion="leave-one-out")
    assert [row.value for row in rank_trials(made)] == [-2.0, -1.0]
    assert criterion_of(made.candidates[0], made) == -1.0
