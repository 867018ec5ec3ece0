"""Print the size of the package: of the working tree, or of the commits that are named.

python .ci/house.py                  the working tree
python .ci/house.py a83ec24 HEAD     two commits, beside each other
"""

import ast
import io
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
Figures = dict[str, int]


def lines_of_code(path: Path) -> int:
    """Count the lines that are not blank, comments or docstrings."""
    text = path.read_text(encoding="utf-8")
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in NOT_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node) is not None
        ):
            docstring = node.body[0]
            lines -= {*range(docstring.lineno, (docstring.end_lineno or 0) + 1)}
    return len(lines)


def imported_first(path: Path, modules: dict[str, Path]) -> set[str]:
    """Return the modules of the package that a file imports when it is itself imported."""

    def names(body: list[ast.stmt]) -> set[str]:
        found: set[str] = set()
        for node in body:
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    found.add(inner if inner in modules else node.module)
            elif isinstance(node, ast.Try):
                found |= names(node.body)
        return found

    return names(ast.parse(path.read_text(encoding="utf-8")).body) & modules.keys() - {"reldim"}


def longest_chain(modules: dict[str, Path]) -> int:
    """Count the modules of the longest chain in which each imports the next."""

    @cache
    def below(name: str) -> int:
        needed = imported_first(modules[name], modules) - {name}
        return 1 + max((below(other) for other in needed), default=0)

    return max(below(name) for name in modules)


def figures(source: Path) -> Figures:
    """Return the figures of the package below a folder."""
    package = source / "reldim"
    files = sorted(package.rglob("*.py"))
    modules = {}
    for path in files:
        parts = path.relative_to(source).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    entries = [path for path in package.iterdir() if path.name != "__pycache__"]
    return {
        "entries of `ls src/reldim`": len(entries),
        "modules": len(files),
        "longest chain of imports at load time": longest_chain(modules),
        "lines": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files),
        "lines of code without docstrings": sum(map(lines_of_code, files)),
    }


def figures_of_commit(revision: str) -> Figures:
    """Return the figures of the package at a commit."""
    command = ["git", "-C", str(ROOT), "archive", revision, "src"]
    archive = subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
        return figures(Path(folder) / "src")


def main(revisions: list[str]) -> None:
    """Print a table in Markdown, one column per commit."""
    titles = revisions or ["working tree"]
    columns = [figures_of_commit(name) for name in revisions] or [figures(ROOT / "src")]
    print("| |", " | ".join(titles), "|")
    print("|---|" + "---|" * len(titles))
    for name in columns[0]:
        print(f"| {name} |", " | ".join(str(column[name]) for column in columns), "|")


if __name__ == "__main__":
    main(sys.argv[1:])
