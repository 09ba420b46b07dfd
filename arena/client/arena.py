"""All that can be asked of an arena, gathered: a local and a remote adapter implement it."""

from __future__ import annotations

from typing import Protocol

from arena.client.admin import Account, Admin, Annulments, Seasons, Tables
from arena.client.forecasts import Forecasts
from arena.client.ladders import Ladders
from arena.client.port import (
    Admissions,
    Bots,
    Leaderboards,
    Matches,
    Operations,
    Replays,
    Runtimes,
    Statistics,
    Tournaments,
)
from arena.client.ratings import Ratings


class ArenaPort(Protocol):
    """All that can be asked of an arena, by noun."""

    @property
    def bots(self) -> Bots:
        """The bots and their versions."""

    @property
    def admissions(self) -> Admissions:
        """The checks of new versions."""

    @property
    def tournaments(self) -> Tournaments:
        """The tournaments, single matches too."""

    @property
    def forecasts(self) -> Forecasts:
        """What a tournament would be."""

    @property
    def matches(self) -> Matches:
        """The matches of tournaments."""

    @property
    def replays(self) -> Replays:
        """The matches as they were played."""

    @property
    def leaderboards(self) -> Leaderboards:
        """The ratings, pool by pool."""

    @property
    def statistics(self) -> Statistics:
        """What is counted over matches."""

    @property
    def ratings(self) -> Ratings:
        """What all matches of a pool say together."""

    @property
    def ladders(self) -> Ladders:
        """The standing ladders and their seasons."""

    @property
    def runtimes(self) -> Runtimes:
        """The runtimes that bots may ask for."""

    @property
    def account(self) -> Account:
        """Whoever is asking, and what he was told."""

    @property
    def admin(self) -> Admin:
        """Owners and tokens; for organisers only."""

    @property
    def seasons(self) -> Seasons:
        """Ladders and seasons opened and closed; for organisers only."""

    @property
    def annulments(self) -> Annulments:
        """What was taken out of the count."""

    @property
    def tables(self) -> Tables:
        """Matches in which people sit; for organisers only."""

    @property
    def operations(self) -> Operations:
        """The long jobs, while they go on and afterwards."""
