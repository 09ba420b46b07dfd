"""The old place of `ratings.read.exporting`."""

from ratings.read.exporting import export_tournament

__all__ = ["export_tournament"]
