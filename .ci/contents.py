"""Check what is in the packages: all that is needed, and nothing else."""

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
UNWANTED = ("__pycache__", ".pyc", ".hypothesis", ".mypy_cache", ".coverage", ".venv", "/build/")


def main() -> int:
    """Look into dist/; the exit code tells whether all is well."""
    (wheel,), (source,) = ([*(ROOT / "dist").glob(ending)] for ending in ("*.whl", "*.tar.gz"))
    own = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "reldim").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {*archive.namelist()}
    packaged = {name for name in names if ".dist-info/" not in name}
    faults = [f"not in the wheel: {name}" for name in sorted(own - packaged)]
    faults += [f"in the wheel unasked: {name}" for name in sorted(packaged - own)]
    for needed in ("METADATA", "entry_points.txt", "LICENSE"):
        if not any(name.endswith(needed) for name in names):
            faults.append(f"not in the wheel: {needed}")
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
        faults += [
            f"a link or a path out of the source package: {member.name}"
            for member in archive.getmembers()
            if member.issym() or member.islnk() or ".." in member.name or member.name[0] == "/"
        ]
    faults += [
        f"not in the source package: {name}"
        for name in ("pyproject.toml", "README.md", "LICENSE", "SECURITY.md", "tests", "docs")
        if not any(found == name or found.startswith(f"{name}/") for found in inside)
    ]
    faults += [
        f"in a package unasked: {name}"
        for name in sorted(names | inside)
        if any(part in f"/{name}" for part in UNWANTED)
    ]
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{len(packaged)} files in the wheel, {len(inside)} in the source package")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
