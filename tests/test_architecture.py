"""The shape of the package: who may import whom, and what is public."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest

import reldim

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "reldim"

# A package imports only from those above it, and a new one gets its place here. The facade has
# one too: what stands below it may use the package as a user does.
ORDER = [
    "exceptions",
    "kernels",
    "inputs",
    "tables",
    "spectrum",
    "eigensolvers",
    "relevance",
    "search",
    "theory",
    "cutoffs",
    "estimators",
    "diagnosis",
    "datasets",
    "plots",
    "report",
    "files",
    "__init__",
    "cli",
    "__main__",
]

# Views of a diagnosis stand below it. It imports them late, inside its own methods.
VIEWS = {"plots", "report", "files"}
VIEWED = {
    "reldim.diagnosis.comparison",
    "reldim.diagnosis.diagnosis",
    "reldim.diagnosis.forecast",
    "reldim.diagnosis.label_review",
}

FACADE = PACKAGE / "__init__.py"
FILES = sorted(PACKAGE.rglob("*.py"))
INNER_FILES = [path for path in FILES if path != FACADE]


def dotted(path: Path) -> str:
    """Name the module in a file, as in ``reldim.kernels.base``."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in FILES}
SUBMODULES = set(MODULES) - {"reldim"}
every_file = pytest.mark.parametrize("path", FILES, ids=dotted)
every_inner_file = pytest.mark.parametrize("path", INNER_FILES, ids=dotted)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def statements(path: Path) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the nodes of a file, and whether they run when it is imported."""

    def walk(node: ast.AST, *, at_import: bool) -> Iterator[tuple[ast.AST, bool]]:
        for child in ast.iter_child_nodes(node):
            yield child, at_import
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from walk(child, at_import=at_import and not inside and not typing)

    yield from walk(tree_of(path), at_import=True)


def imports(path: Path, *, late: bool = True) -> Iterator[str]:
    """Yield what a file imports as dotted names, at any depth or only when it is itself imported.

    A string with the name of a module counts: ``import_module`` may take it.
    """
    package = dotted(path) if path.name == "__init__.py" else dotted(path).rpartition(".")[0]
    for node, at_import in statements(path):
        if not (late or at_import):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                above = parents[: len(parents) - node.level + 1]
                base = ".".join([*above, *base.split(".")]).rstrip(".")
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and node.value in SUBMODULES:
            yield str(node.value)


def our_modules(path: Path, *, late: bool = True) -> set[str]:
    """Return the modules of reldim that a file imports; a name stands for the module it is in.

    Any file may write down the version.
    """
    names = {name for name in imports(path, late=late) if name.split(".")[0] == "reldim"}
    names.discard("reldim.__version__")
    return {name if name in MODULES else name.rpartition(".")[0] for name in names}


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


def test_the_order_is_that_of_the_folder():
    entries = {path.stem for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert sorted(ORDER) == sorted(entries - {"py"})  # The entry of py.typed.


def test_the_plan_fits_on_a_screen():
    entries = [path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    assert len(entries) <= 20


@every_inner_file
def test_imports_only_from_above(path):
    own = ORDER.index(place(dotted(path)))
    allowed = {*ORDER[: own + 1]}
    if dotted(path) in VIEWED:
        early = {place(module) for module in our_modules(path, late=False)}
        assert not early & VIEWS, f"{dotted(path)} imports its views before they are asked for"
        allowed |= VIEWS
    below = sorted(module for module in our_modules(path) if place(module) not in allowed)
    assert not below, f"{dotted(path)} imports from below: {below}"


def test_a_diagnosis_imports_nothing_that_it_can_do_without():
    """What follows from ``from reldim import diagnose``, packages on the way included."""
    known: set[str] = set()
    todo = {"reldim.diagnosis.diagnosis"}
    while todo:
        name = todo.pop()
        known.add(name)
        parents = {name.rsplit(".", depth)[0] for depth in range(1, name.count("."))}
        todo |= (our_modules(MODULES[name], late=False) | parents) - known
    unwanted = {"theory", "cutoffs", "estimators", "datasets", *VIEWS}
    assert not [name for name in known if place(name) in unwanted]


def test_no_cycle_among_modules():
    graph = {
        module: our_modules(path) - {module, *_own_packages(module)}
        for module, path in MODULES.items()
        if path != FACADE
    }
    for viewed in VIEWED:
        graph[viewed] = {module for module in graph[viewed] if place(module) not in VIEWS}
    # Operators of kernels make sums and products, which are kernels.
    graph["reldim.kernels.base"].discard("reldim.kernels.composition")
    # Rows on a cluster make factors, which ask where rows are.
    graph["reldim.eigensolvers.dask.rows"].discard("reldim.eigensolvers.dask.factor")
    graph["reldim.eigensolvers.dask.factor"].discard("reldim.eigensolvers.dask.rows")
    TopologicalSorter(graph).prepare()


def _own_packages(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}


def test_the_page_of_the_architecture_shows_the_same_order():
    page = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    first = page.partition("## ")[0]
    rows = re.findall(r"^\| `(\w+)/?` \|", first, flags=re.MULTILINE)
    assert rows == [name for name in ORDER if not name.startswith("__")]


def test_tests_mirror_the_packages():
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    folders = [path for path in TESTS.iterdir() if any(path.glob("test_*.py"))]
    # What holds for all packages has a folder of its own.
    assert {path.name for path in folders} == packages | {"reliability"}


# Modules whose tests have another name, and why.
TESTED_ELSEWHERE = {
    "diagnosis/conclusions.py": "diagnosis/test_diagnosis.py",  # A step of every diagnosis.
    "kernels/profiles.py": "kernels/test_contract.py",  # Base classes: every kernel is one.
}


def test_every_module_has_a_test_of_its_name():
    names = [str(path.relative_to(PACKAGE)) for path in FILES if not path.name.startswith("__")]
    tests = {name: TESTS / Path(name).with_name(f"test_{Path(name).name}") for name in names}
    missing = {name for name, test in tests.items() if not test.is_file()}
    assert missing == {*TESTED_ELSEWHERE}
    assert all((TESTS / name).is_file() for name in TESTED_ELSEWHERE.values())


def test_no_module_is_a_drawer_for_the_rest():
    names = {part.strip("_") for module in MODULES for part in module.split(".")}
    assert not names & {"common", "helpers", "misc", "util", "utils"}


@every_file
def test_only_one_folder_imports_dask(path):
    if path.parent != PACKAGE / "eigensolvers" / "dask":
        roots = {name.split(".")[0] for name in imports(path)}
        assert not roots & {"dask", "distributed"}


@every_file
def test_nothing_prints_behind_the_command_line(path):
    calls = [
        node.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not calls, f"print in lines {calls}"


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
