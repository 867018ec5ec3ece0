"""Errors and warnings: one tree, each also the built-in that it stands for."""

import pickle

import pytest

from reldim import exceptions


@pytest.mark.parametrize(
    "name, parents",
    [
        ("InputError", (exceptions.ReldimError, ValueError)),
        ("KernelMatrixError", (exceptions.InputError, ValueError)),
        ("FileError", (exceptions.InputError, ValueError)),
        ("InputTypeError", (exceptions.ReldimError, TypeError)),
        ("MissingDependencyError", (exceptions.ReldimError, ImportError)),
        ("ReldimWarning", (UserWarning,)),
        ("KernelMatrixWarning", (exceptions.ReldimWarning,)),
        ("GridEdgeWarning", (exceptions.ReldimWarning,)),
    ],
)
def test_parents(name, parents):
    kind = getattr(exceptions, name)
    assert all(issubclass(kind, parent) for parent in parents)


def test_drawing_shows_every_name():
    drawn = exceptions.__doc__
    assert all(name in drawn for name in exceptions.__all__)


def test_list_of_names_is_complete():
    defined = {
        name
        for name, value in vars(exceptions).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert defined == set(exceptions.__all__)


def test_missing_package_tells_how_to_install_it():
    error = exceptions.MissingDependencyError("skrub", "A table with text", extra="tables")
    assert str(error) == (
        "A table with text needs the package 'skrub', which is not installed. "
        "Install it with: pip install 'reldim[tables]'"
    )
    assert (error.package, error.extra) == ("skrub", "tables")


@pytest.mark.parametrize(
    "error",
    [exceptions.InputError("bad width"), exceptions.KernelMatrixError("asymmetric")],
    ids=lambda error: type(error).__name__,
)
def test_errors_cross_process_boundaries(error):
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 (made one line above)
    assert str(back) == str(error)
    assert type(back) is type(error)


def test_missing_package_crosses_process_boundaries():
    error = exceptions.MissingDependencyError("skrub", "A table with text", extra="tables")
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 (made one line above)
    assert isinstance(back, ImportError)
    assert str(back) == str(error)


def test_names_in_files_do_not_break_a_message():
    error = exceptions.FileError("no column 'a\nb\x02\u2028é'")
    assert str(error) == "no column 'a\\nb\\x02\\u2028é'"
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 (made one line above)
    assert str(back) == str(error)
