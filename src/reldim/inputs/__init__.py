"""What a caller passes: targets, rows in memory or elsewhere, copies, a seed, memory and cores."""

__all__: list[str] = []
