"""Which matches the organiser annulled, and why."""

from __future__ import annotations

from collections.abc import Sequence

from arena.app.place import Place
from ratings.read.annulments import annulments_of

_PART = 500


def why_annulled(place: Place, match_ids: Sequence[str]) -> dict[str, str]:
    """Return why matches do not count, by match; those that do count are left out."""
    found: dict[str, str] = {}
    for start in range(0, len(match_ids), _PART):
        part = annulments_of(place.database, match_ids[start : start + _PART])
        found.update((match_id, annulment.why) for match_id, annulment in part.items())
    return found
