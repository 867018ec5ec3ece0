"""Blocks that are small."""

import pytest


@pytest.fixture
def small_blocks(monkeypatch):
    """Let a few hundred rows be several blocks."""
    monkeypatch.setattr("reldim.eigensolvers.dask.rows.MULTIPLE", 64)
