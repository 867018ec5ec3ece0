"""What limits learning from a data set, and what to do about it."""

__all__: list[str] = []
