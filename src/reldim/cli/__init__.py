"""The command line: from arguments to a call, and what comes of it printed or written."""

# Importing a command adds it to the application, in the order of the help.
from reldim.cli import columns, compare, demo, diagnose, explain, forecast, labels  # noqa: F401
from reldim.cli.application import app, main

__all__ = ["app", "main"]
