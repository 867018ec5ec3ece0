"""Columns of a table turned into numbers, their names kept."""

__all__: list[str] = []
