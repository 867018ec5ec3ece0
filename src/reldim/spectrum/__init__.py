"""A kernel matrix and its Spectrum: leading eigenpairs of K/n, and components at new points."""

__all__: list[str] = []
