r"""FASTA files: sequences of letters, each below a line that names it.

A header begins with ``>`` and a name. What follows may hold the target: fields between blanks or
bars, among them pairs such as ``label=donor``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from reldim.exceptions import FileError
from reldim.files.source import Source
from reldim.files.text import decoded
from reldim.tables.columns import listed

__all__ = ["Fasta", "read_fasta"]

_BETWEEN = re.compile(r"[\s|]+")


@dataclass(frozen=True, eq=False)
class Fasta:
    """Sequences and their headers, in the order of the file.

    Attributes
    ----------
    headers : tuple of str
        The headers, without the ``>``.
    rows : list of str
        The sequences, in capitals.
    steps : tuple of str
        What was done, a sentence each.
    """

    headers: tuple[str, ...] = field(repr=False)
    rows: list[str] = field(repr=False)
    steps: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The first word of each header."""
        return [(_BETWEEN.split(header.strip()) or [""])[0] for header in self.headers]

    def target(self, wanted: str | None, name: str) -> list[str | None]:
        """Read the target from the headers.

        Parameters
        ----------
        wanted : str or None
            The name of a pair, as ``label`` in ``label=donor``, or the number of a field, from 0.
        name : str
            The file, for messages.

        Returns
        -------
        list of str or None
            A target for each sequence, None where its header has none.
        """
        fields = [_BETWEEN.split(header.strip()) for header in self.headers]
        pairs = [_pairs(some) for some in fields]
        if wanted is not None and any(wanted in some for some in pairs):
            return [some.get(wanted) for some in pairs]
        known = list(dict.fromkeys(name for some in pairs for name in some))
        if wanted is not None and re.fullmatch(r"-?[0-9]{1,9}", wanted):
            number = int(wanted)
            if any(-len(some) <= number < len(some) for some in fields):
                return [
                    some[number] if -len(some) <= number < len(some) else None for some in fields
                ]
        got = "none" if wanted is None else repr(wanted)
        raise FileError(
            "The target of a FASTA file must be named (on the command line by --target): another "
            "file, the name of a pair in the headers such as label in label=donor, or the number "
            f"of a field from 0. Got {got}; pairs in {name} are {listed(known, 20) or 'none'}, its "
            f"first header is {self.headers[0][:200]!r}."
        )


def read_fasta(source: Source, encoding: str | None = None) -> Fasta:
    r"""Read sequences from a FASTA file.

    Parameters
    ----------
    source : Source
        The file. Lines of a sequence are joined, blanks left out, and small letters, by which some
        programs mark repeats, made capitals.
    encoding : str, optional
        Its encoding, where that is known.

    Examples
    --------
    >>> from pathlib import Path
    >>> text = b">s1 label=donor\nACGT\nacgt\n>s2 label=none\nTTGACCGT\n"
    >>> found = read_fasta(Source("sites.fasta", ".fasta", Path("sites.fasta"), text))
    >>> found.rows
    ['ACGTACGT', 'TTGACCGT']
    >>> found.target("label", "sites.fasta")
    ['donor', 'none']
    """
    text, _ = decoded(source.read(), source.name, encoding, "sequences")
    headers: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith(">"):
            headers.append(stripped[1:].strip())
            parts.append([])
        elif stripped and not stripped.startswith(";"):
            if not parts:
                raise FileError(
                    f"{source.name} must begin with a header, a line that starts with '>'. Got "
                    f"{stripped[:40]!r} in line {number}."
                )
            parts[-1].append("".join(stripped.split()))
    joined = ["".join(lines) for lines in parts]
    _check(headers, joined, source.name)
    rows = [row.upper() for row in joined]
    steps = [f"Read {len(rows)} sequences from {source.path.name}."]
    if rows != joined:
        steps.append("Made small letters capitals.")
    return Fasta(tuple(headers), rows, tuple(steps))


def _check(headers: Sequence[str], rows: Sequence[str], name: str) -> None:
    if not rows:
        raise FileError(f"{name} has no headers, lines that start with '>'. Expected sequences.")
    for header, row in zip(headers, rows, strict=True):
        odd = next((letter for letter in row if not letter.isalpha() and letter not in "-*."), None)
        if odd is not None:
            raise FileError(
                f"Sequences must hold letters, gaps as '-' or '.', and '*'. Got {odd!r} below the "
                f"header {header[:40]!r} of {name}."
            )
        if not row.strip("-*."):
            raise FileError(f"{name} has no letters below the header {header[:40]!r}.")


def _pairs(fields: Sequence[str]) -> dict[str, str]:
    pairs = (re.fullmatch(r"([^=:]+)[=:](.+)", one) for one in fields[1:])
    return {pair[1]: pair[2] for pair in pairs if pair is not None}
