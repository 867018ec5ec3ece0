"""Run the command line: ``python -m reldim``."""

from reldim.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
