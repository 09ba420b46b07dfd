"""What the interface gives of the joint fit of a pool: its official table, and a look at fair play."""

from __future__ import annotations

from typing import Protocol

from arena.client.values.page import DEFAULT_LIMIT, Page
from arena.client.values.ratings import Anchor, FairPlay, OfficialTable, Suspicion


class Ratings(Protocol):
    """What all matches of a pool say together."""

    def get_official_table(
        self,
        pool: str | None = None,
        anchors: tuple[Anchor, ...] = (),
        confidence: float = 0.95,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
        circles: bool = False,
    ) -> OfficialTable:
        """Return the official table of a pool, the best first; its figures rest on all versions, shown or not.

        With `circles` each is measured against the mixture that none beats, and who does best against it comes first.
        """

    def list_suspicions(
        self, pool: str | None = None, alarm: float = 0.005, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Suspicion]:
        """Return the pairs that do better at common tables than chance allows; for organisers only."""

    def get_fair_play(
        self, pool: str | None = None, alarm: float = 0.005, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> FairPlay:
        """Return these pairs, and how much could be asked and seen at all; for organisers only."""
