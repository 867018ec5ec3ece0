"""Paths in and out: tables, arrays and sequences read; diagnoses and models saved."""

__all__: list[str] = []
