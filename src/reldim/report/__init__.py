"""The report: a diagnosis as plain data, and its views in text, notebook and page."""

from reldim.report.settings import Settings
from reldim.report.summary import Summary, summarise
from reldim.report.text import as_text

__all__ = ["Settings", "Summary", "as_text", "summarise"]
