"""Decides about admitted versions: each is tested against the one that plays, and replaces it unless it is weaker.

All that it goes by is in the database: the events of the bots, and the comparisons with what they are for. So whatever
ends the service, the next one goes on.
"""

from __future__ import annotations

import asyncio

from arena.app.answers import comparison_of
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.store import StoreError
from arena.model.answers import comparison_note
from arena.service.activities.context import ServiceContext
from arena.tournament.errors import TournamentError
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.promotion_tests import PromotionRule, create_promotion_test
from engine.core import EngineError
from engine.text import Text
from ratings.errors import BotError, PlanError
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.read.admissions import PromotionTest, WaitingVersion, promotion_tests, waiting_versions
from ratings.read.ladders import open_ladders
from ratings.read.tournaments import tournament_row
from ratings.statistics.comparison import ComparisonAnswer
from ratings.store.ladders import RunningLadder, plays
from ratings.values.owners import ARENA

_UNTESTABLE = (BotError, PlanError, BotDirectoryError, StoreError, TournamentError, ScheduleError, EngineError)
_NOBODY = Text("service.no_ladder_open_which_two", "no ladder is open on which the two could be compared")
_OFF = Text("service.versions_not_tested_any_more", "versions are not tested any more")


class PromotionRunner:
    """Promotes versions that wait for it, after their tests if there is a rule."""

    def __init__(self, context: ServiceContext, rule: PromotionRule | None) -> None:
        """Without a rule, versions that another rule left waiting are promoted."""
        self._context = context
        self._rule = rule
        self._ledger = ServiceLedger(context.database)

    async def look(self) -> None:
        """Begin the tests that are missing, and decide about the versions whose tests are over."""
        if await asyncio.to_thread(self._look):
            self._context.wake_up.notify()

    async def close(self) -> None:
        """Do nothing: what was begun is in the database."""

    def _look(self) -> int:
        """Look at every version that waits, and return about how many was decided."""
        waiting = waiting_versions(self._context.database)
        newest = {one.bot.id: one for one in waiting}
        decided = sum(self._look_at(one, newest[one.bot.id]) for one in waiting)
        self._cancel_useless({one.version.id for one in newest.values()})
        return decided

    def _look_at(self, waiting: WaitingVersion, newest: WaitingVersion) -> bool:
        """Look at one version, and return whether it was decided about."""
        if waiting.version.id != newest.version.id:
            return self._hold_back(
                waiting,
                Text("service.version_took_place", "version {number} took its place", number=newest.version.number),
            )
        if waiting.active is None:
            return self._promote(waiting, Text("service.it_was_admitted", "it was admitted"))
        if self._rule is None:
            return self._promote(waiting, _OFF)
        ladders = self._ladders(waiting)
        if not ladders:
            return self._promote(waiting, _NOBODY)
        tests = {test.ladder_id: test for test in promotion_tests(self._context.database, [waiting.version.id])}
        missing = [one for one in ladders if one.ladder.id not in tests]
        if missing:
            return self._begin(waiting, missing, self._rule)
        return self._decide(waiting, [(one, tests[one.ladder.id]) for one in ladders])

    def _ladders(self, waiting: WaitingVersion) -> list[RunningLadder]:
        """Return the open ladders of hosted bots on which both versions may play."""
        both = [version.manifest for version in (waiting.version, waiting.active) if version is not None]
        return [
            one
            for one in open_ladders(self._context.database)
            if not one.pool.remote and all(plays(manifest, one.pool.game, one.pool.rules_version) for manifest in both)
        ]

    def _begin(self, waiting: WaitingVersion, ladders: list[RunningLadder], rule: PromotionRule) -> bool:
        """Write the tests; if that cannot be, the files of a version are gone for example, it is promoted untested."""
        try:
            for running in ladders:
                made = create_promotion_test(self._context.database, self._context.programs, rule, running, waiting)
                self._context.log.info("promotion test", bot=waiting.bot.name, tournament=made.name)
        except _UNTESTABLE as error:
            return self._promote(waiting, Text("service.could_not_tested", "it could not be tested: {why}", why=error))
        return False

    def _decide(self, waiting: WaitingVersion, tests: list[tuple[RunningLadder, PromotionTest]]) -> bool:
        database, notes = self._context.database, []
        for running, test in tests:
            row = tournament_row(database, test.tournament.id)
            if not row.progress.is_over and row.tournament.cancelled_at_us is None:
                return False
            found = comparison_of(database, test.tournament.id)
            assert found is not None
            note = f"{test.tournament.name}: {comparison_note(found)}, after {found.pairs} steps"
            if found.answer == ComparisonAnswer.NOT_BETTER:
                return self._hold_back(
                    waiting,
                    Text(
                        "service.it_is_weaker_on",
                        "it is weaker on {ladder} ({note})",
                        ladder=running.ladder.name,
                        note=note,
                    ),
                )
            notes.append(note)
        return self._promote(
            waiting, Text("service.not_found_weaker", "it was not found weaker ({note})", note="; ".join(notes))
        )

    def _promote(self, waiting: WaitingVersion, why: str) -> bool:
        self._ledger.promote(waiting.version.id, actor=ARENA, message=why)
        self._note("promoted", waiting, why)
        return True

    def _hold_back(self, waiting: WaitingVersion, why: str) -> bool:
        bot, version = waiting.bot, waiting.version
        sentence = Text(
            "service.version_does_not_replace_one",
            "Version {number} of {bot} does not replace the one that plays: {why}; arena bot promote {name} lets it "
            "play all the same.",
            number=version.number,
            bot=bot.name,
            why=why,
            name=f"{bot.name}@{version.content_hash[:12]}",
        )
        notice = f"{bot.name} {version.number} was not promoted", sentence
        self._ledger.note_not_promoted(version.id, actor=ARENA, message=why, notice=notice)
        self._note("not promoted", waiting, why)
        return True

    def _note(self, what: str, waiting: WaitingVersion, why: str) -> None:
        self._context.log.info(what, bot=waiting.bot.name, version=waiting.version.content_hash[:12], why=why)

    def _cancel_useless(self, waiting: set[str]) -> None:
        """Cancel the tests of versions that wait no more: somebody promoted, withdrew or replaced them."""
        for test in promotion_tests(self._context.database):
            if test.version_id not in waiting:
                Ledger(self._context.database).cancel(test.tournament.id)
