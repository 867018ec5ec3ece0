"""The report: a diagnosis as plain data, and its views in text, notebook and page."""

__all__: list[str] = []
