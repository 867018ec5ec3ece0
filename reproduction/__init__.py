"""The papers' tables and figures, computed with reldim and set beside the printed numbers.

``python -m reproduction`` computes all of them, ``python -m reproduction table3`` one.
"""
