"""One target under a coverage-guided fuzzer: ``python -m fuzz.guided csv CORPUS [options]``.

The options are those of libFuzzer.

Needs the package atheris (``pip install '.[fuzz]'``).
"""

import sys

import atheris

with atheris.instrument_imports(
    include=["reldim", "zipfile", "numpy.lib"], enable_loader_override=False
):
    from fuzz.targets import attempt


def main() -> None:
    """Run until the time is up, or a fault is found."""
    target, *options = sys.argv[1:]

    def one(data: bytes) -> None:
        attempt(target, data)

    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
