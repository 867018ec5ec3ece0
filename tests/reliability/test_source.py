"""The source itself: no pickles, no code from data, no network."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "reldim"
FILES = sorted(PACKAGE.rglob("*.py"))
CLUSTER = PACKAGE / "eigensolvers" / "dask"

#: Modules that read objects from bytes, run other programs, or reach other machines.
FORBIDDEN_MODULES = {
    "cloudpickle", "dill", "ftplib", "http", "joblib", "marshal", "pickle", "requests", "shelve",
    "smtplib", "socket", "subprocess", "telnetlib", "urllib", "xmlrpc", "yaml",
}  # fmt: skip
#: What is taken from them does none of that.
HARMLESS = {"from joblib import cpu_count, parallel_config"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_METHODS = {"read_pickle", "to_pickle", "system", "popen", "eval", "loads_pickle"}

every_file = pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if ast.unparse(node) not in HARMLESS:
                yield node.module.split(".")[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            name = node.args[0]
            yield name.value.split(".")[0] if isinstance(name, ast.Constant) else ""


@every_file
def test_nothing_that_runs_code_or_reaches_out_is_imported(path):
    found = {*imported(ast.parse(path.read_text(encoding="utf-8")))} & FORBIDDEN_MODULES
    # The scheduler that a user names is the one machine that is talked to.
    assert not found or path.is_relative_to(CLUSTER), found


@every_file
def test_no_text_becomes_code(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None)
            assert name not in FORBIDDEN_CALLS, f"line {node.lineno}"
            assert getattr(node.func, "attr", None) not in FORBIDDEN_METHODS, f"line {node.lineno}"


@every_file
def test_arrays_are_loaded_without_pickles(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_load = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load"
        if is_load and getattr(node.func.value, "id", "") in ("np", "numpy"):
            given = {word.arg: getattr(word.value, "value", None) for word in node.keywords}
            assert given.get("allow_pickle") is False, f"line {node.lineno}"
