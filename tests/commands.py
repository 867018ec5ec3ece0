"""Commands as the tests run them."""

from typer.testing import CliRunner

from reldim.cli import app


def run(*arguments):
    """Run a command; a bug would come out as its own exception."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(*arguments):
    """Run a command that must end with exit code 2 and one line; give the line."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    return the_line(result.stderr)


def the_line(stderr):
    assert stderr.startswith("reldim: error: ")
    assert stderr.endswith("\n")
    assert stderr.count("\n") == 1
    return stderr
