"""The old place of `ratings.ledger.importing`."""

from ratings.ledger.importing import import_tournament

__all__ = ["import_tournament"]
