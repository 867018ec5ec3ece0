"""The words that every view uses, each in a sentence for readers who have not read the papers."""

from dataclasses import dataclass

__all__ = ["GLOSSARY", "IN_SHORT", "Term"]


@dataclass(frozen=True)
class Term:
    """A word and what it means.

    Attributes
    ----------
    word : str
        The word, as the views write it.
    meaning : str
        What it means, in a sentence or two.
    """

    word: str
    meaning: str


#: The words of the headline first, then those that only some of the views use.
GLOSSARY = (
    Term(
        "kernel",
        "A measure of how alike two rows are. All that is learned is built from it: rows that it "
        "calls alike get similar predictions.",
    ),
    Term(
        "relevant dimension",
        "How many directions of the data, as the kernel sees them, carry what can be learned about "
        "the target. Few mean a simple problem, many for the number of rows a complex one.",
    ),
    Term(
        "signal",
        "What the target has to do with the columns. Its p is how often a target that has nothing "
        "to do with them would look as structured.",
    ),
    Term(
        "noise",
        "What none of the models that were tried can explain: errors of measurement, wrong labels, "
        "and what depends on things that are not among the columns.",
    ),
    Term(
        "expected error",
        "The error of the predictor on new rows, estimated from rows that had no part in its fit: "
        "the share of wrong labels; for numbers the mean squared error over the variance, so that "
        "predicting the mean has 100 %.",
    ),
    Term(
        "constant prediction",
        "The most frequent class for every row, or the mean: what can be had without learning.",
    ),
    Term(
        "other models",
        "A linear model, boosted trees and extra trees of scikit-learn on the same rows, as a "
        "yardstick that has nothing to do with kernels.",
    ),
    Term(
        "columns that matter",
        "The shares of the signal that rest on single columns. Columns with the same "
        "information divide its share, and a column that matters need not be a cause.",
    ),
    Term(
        "kernel PCA component",
        "One of the directions of the data, as the kernel sees them, the most prominent first. The "
        "first ones, up to the relevant dimension, carry the signal.",
    ),
    Term(
        "criterion",
        "What kernels are compared by: the negative log-likelihood of signal up to the relevant "
        "dimension and noise beyond it, or the leave-one-out error. Lower is better.",
    ),
    Term(
        "leave-one-out error",
        "The error for each row of a fit to all the others.",
    ),
    Term(
        "training residual",
        "What the relevant components leave unexplained of the very rows that they were fitted to; "
        "the papers call it the noise level. It is too low where dimensions are many.",
    ),
    Term(
        "denoised target",
        "The part of a target that lies in the relevant components.",
    ),
    Term(
        "90% interval",
        "It holds the true value in nine of ten cases.",
    ),
    Term(
        "quality of a label",
        "How well a label, or a number, fits what the other rows say about it, from 0 to 1. The "
        "lower, the more likely it is wrong, or the row a special one.",
    ),
    Term(
        "floor",
        "The error that is estimated to be left with any number of rows of the same kind.",
    ),
)

#: The three words without which the figures cannot be read, in a line each.
IN_SHORT = (
    Term("kernel", "how alike two rows are; what is learned is built from it"),
    Term("relevant dimension", "how many directions of the data carry the signal"),
    Term("signal", "p: how often an unrelated target looks as structured"),
)
