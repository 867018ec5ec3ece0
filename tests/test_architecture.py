"""The shape of the package: who may import whom, and what is public."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import reldim

PACKAGE = Path(__file__).parents[1] / "src" / "reldim"

# A file imports only from those above it. A new file gets its place here. The facade has one too:
# what stands below it may use the package as a user does.
ORDER = [
    "exceptions",
    "memory",
    "writing",
    "seeds",
    "blocks",
    "rawtargets",
    "targets",
    "kernels",
    "repeats",
    "families",
    "encoders",
    "gram",
    "kernelcolumns",
    "spectrum",
    "expansion",
    "eigensolvers",
    "significance",
    "criteria",
    "posterior",
    "noise",
    "leftout",
    "dimension",
    "relevance",
    "errorcurve",
    "evidence",
    "pairedtest",
    "outlines",
    "choicetest",
    "ridge",
    "laplace",
    "adaptive",
    "inputs",
    "columns",
    "amounts",
    "arrayfiles",
    "textfiles",
    "fastafiles",
    "datafile",
    "folders",
    "textcolumns",
    "container",
    "plaindata",
    "files",
    "tables",
    "trials",
    "candidates",
    "problem",
    "rivals",
    "verdicts",
    "oddtargets",
    "findings",
    "conclusions",
    "labels",
    "forecast",
    "theory",
    "cutoffs",
    "datasets",
    "estimators",
    "plots",
    "report",
    "storage",
    "diagnosis",
    "representations",
    "comparisontext",
    "comparison",
    "__init__",
    "console",
    "comparisonview",
    "forecastview",
    "cli",
    "__main__",
]

FACADE = PACKAGE / "__init__.py"
FILES = sorted(PACKAGE.rglob("*.py"))
INNER_FILES = [path for path in FILES if path != FACADE]


def dotted(path: Path) -> str:
    """Name the module in a file, as in ``reldim.kernels.base``."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in FILES}
every_file = pytest.mark.parametrize("path", FILES, ids=dotted)
every_inner_file = pytest.mark.parametrize("path", INNER_FILES, ids=dotted)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports(path: Path) -> Iterator[str]:
    """Yield all that a file imports, at any depth and under any condition, as dotted names."""
    package = dotted(path) if path.name == "__init__.py" else dotted(path).rpartition(".")[0]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                above = parents[: len(parents) - node.level + 1]
                base = ".".join([*above, *base.split(".")]).rstrip(".")
            yield from (f"{base}.{alias.name}" for alias in node.names)


def our_modules(path: Path) -> Iterator[str]:
    """Yield the modules of reldim that a file imports; a name stands for the module it is in.

    The version is nobody's: any file may write it down.
    """
    for name in imports(path):
        if name.split(".")[0] == "reldim" and name != "reldim.__version__":
            yield name if name in MODULES else name.rpartition(".")[0]


def place(module: str) -> str:
    """Name the entry of ORDER that a module belongs to."""
    return module.split(".")[1] if "." in module else "__init__"


def assigned_all(path: Path) -> list[str] | None:
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            names: list[str] = ast.literal_eval(value)
            return names
    return None


@every_inner_file
def test_has_a_place_in_the_order(path):
    assert place(dotted(path)) in ORDER, f"give {dotted(path)} a place in ORDER"


@every_inner_file
def test_imports_only_from_above(path):
    own = ORDER.index(place(dotted(path)))
    allowed = {*ORDER[: own + 1]}
    below = sorted({module for module in our_modules(path) if place(module) not in allowed})
    assert not below, f"{dotted(path)} imports from below: {below}"


def test_no_module_is_a_drawer_for_the_rest():
    names = {part.strip("_") for module in MODULES for part in module.split(".")}
    assert not names & {"common", "helpers", "misc", "util", "utils"}


@every_file
def test_only_one_folder_imports_dask(path):
    if path.parent != PACKAGE / "eigensolvers" / "dask":
        roots = {name.split(".")[0] for name in imports(path)}
        assert not roots & {"dask", "distributed"}


@every_file
def test_only_the_command_line_prints(path):
    calls = [
        node.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert path == PACKAGE / "cli.py" or not calls, f"print in lines {calls}"


@every_file
def test_public_module_lists_its_names(path):
    if path.stem.startswith("_") and path.name != "__init__.py":
        return
    names = assigned_all(path)
    assert names is not None, f"{dotted(path)} has no __all__"
    assert len(names) == len(set(names))


class TestFacade:
    def test_every_name_resolves(self):
        for name in reldim.__all__:
            assert getattr(reldim, name) is not None

    def test_dir_shows_the_public_names_and_nothing_else(self):
        shown = {name for name in dir(reldim) if not name.startswith("_")}
        public = {name for name in reldim.__all__ if not name.startswith("_")}
        assert public <= shown
        # Python itself hangs imported submodules on the package.
        stray = [n for n in shown - public if not isinstance(getattr(reldim, n), ModuleType)]
        assert not stray

    def test_unknown_name_is_an_attribute_error(self):
        with pytest.raises(AttributeError, match="no_such_name"):
            _ = reldim.no_such_name
