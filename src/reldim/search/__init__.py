"""Which kernel: families on a grid, ranks that grow, and the p-value of the choice."""

__all__: list[str] = []
