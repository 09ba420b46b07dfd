"""Creates the comparisons that decide whether an admitted version replaces the one that plays on a ladder."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from arena.tournament.creation import TournamentTerms, create_tournament
from arena.tournament.formats.compare import Compare, Design
from arena.tournament.programs import Programs
from arena.tournament.stored import clock_of
from ratings.read.admissions import LADDER, PROMOTES, WaitingVersion
from ratings.store.database import Database
from ratings.store.ladders import RunningLadder
from ratings.store.models import TournamentRecord, VersionRecord


@dataclass(frozen=True, slots=True)
class PromotionRule:
    """How a version is tested before it replaces another.

    It does not replace it if the test finds that it is weaker: that its score against the other is `loss` below one
    half, or more. An equal version is held back in one case of twenty at most, one that loses so much passes in one of
    twenty at most.
    """

    loss: float = 0.03
    pairs: int = 200
    """After so many steps the test ends undecided, and the version replaces the other."""

    def form(self, seats: int) -> Compare:
        """Return the comparison; the two versions share all tables."""
        return Compare(seats, self.pairs, lower=-self.loss, upper=0.0, design=Design.ALONE)


def create_promotion_test(
    database: Database, programs: Programs, rule: PromotionRule, running: RunningLadder, waiting: WaitingVersion
) -> TournamentRecord:
    """Write the test of a waiting version against the active one, played like the ladder but unrated.

    Raises the errors of `arena.tournament.creation`.
    """
    assert waiting.active is not None
    pool, bot = running.pool, waiting.bot.name
    terms = TournamentTerms(
        game=pool.game,
        seats=pool.seats,
        clock=clock_of(running.tournament, pool),
        options=pool.options,
        cores=pool.cores,
        opening_plies=running.tournament.settings["opening_plies"],
        rated=False,
    )
    name = f"{running.ladder.name}: {bot} {waiting.version.number} for {waiting.active.number}"

    def free_name(taken: Set[str]) -> str:
        tries = (name if count == 1 else f"{name} ({count})" for count in range(1, len(taken) + 2))
        return next(one for one in tries if one not in taken)

    return create_tournament(
        database,
        programs,
        terms,
        rule.form(pool.seats),
        bots=[_text(bot, waiting.version), _text(bot, waiting.active)],
        choose_name=free_name,
        notes={PROMOTES: waiting.version.id, LADDER: running.ladder.id},
    )


def _text(bot: str, version: VersionRecord) -> str:
    return f"{bot}@{version.content_hash}"
