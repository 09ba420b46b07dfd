"""Admits submitted versions after their trial matches, and promotes admitted ones that are not weaker."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Set
from dataclasses import dataclass

from arena.app.tournament_answers import comparison_of
from arena.hosting.builder.build import BuildFailure, build_version
from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.store import StoreError
from arena.match.spec import program_seat
from arena.match.time_control import parse_time_control
from arena.model.bots import Finding
from arena.model.tournaments import comparison_note
from arena.service.activities.context import ServiceContext
from arena.service.admission_trials import CLOCK, AdmissionOutcome, AdmissionRequest, AdmissionVerdict, admit
from arena.service.metrics import Metrics
from arena.service.scheduler.queue import MatchPurpose
from arena.service.task_supervision import NO_SANDBOX, SANDBOX, SupervisedTasks, TaskSpec
from arena.tournament.creation import TournamentTerms, create_tournament
from arena.tournament.errors import TournamentError
from arena.tournament.formats.compare import Compare, Design
from arena.tournament.formats.format import ScheduleError
from arena.tournament.match_specs import Programs
from arena.tournament.runner import MatchExecutor
from arena.tournament.stored import clock_of
from arena.trial.lineup import QUICK_SAMPLES, RIVAL, sample_seat, setups_of
from arena.trial.trials import TrialCheck, failed, finding_json
from engine.core import EngineError
from engine.translatable import Text, placed
from ratings.errors import BotError, PlanError
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.admissions import LADDER, PROMOTES, PromotionTest, WaitingVersion, promotion_tests, waiting_versions
from ratings.read.ladders import open_ladders
from ratings.read.tournaments import tournament_row
from ratings.statistics.sequential_test import ComparisonAnswer
from ratings.store.database import Database
from ratings.store.ladder_queries import RunningLadder
from ratings.store.models import TournamentRecord
from ratings.store.service import AdmissionRow
from ratings.values.owners import ARENA
from ratings.values.pools import plays

MOST_AT_ONCE = 4
LOOK_EVERY_S = 2.0
_MOST_SEED = 1 << 53
_SHOWN_CHARACTERS = 4000
_UNTESTABLE = (BotError, PlanError, BotDirectoryError, StoreError, TournamentError, ScheduleError, EngineError)


class UndecidedAdmissionError(Exception):
    """The host failed an admission, which is back in the queue."""


class _OverError(Exception):
    """Somebody has withdrawn the version meanwhile."""


class AdmissionRunner:
    """Takes the next admission whenever one is free to look at it."""

    def __init__(self, context: ServiceContext, metrics: Metrics, *, tests_promotions: bool = False) -> None:
        """With `tests_promotions`, admitted versions do not become active at once: somebody else decides about that."""
        self._context = context
        self._tests_promotions = tests_promotions
        self._ledger = ServiceLedger(context.database)
        self._tasks = SupervisedTasks(context.supervisor)
        self._seconds = metrics.histogram(
            "arena_admission_seconds", "From the request of an admission to its verdict.", ("verdict",)
        )

    async def look(self) -> None:
        """Have somebody at every place."""
        places = min(MOST_AT_ONCE, self._context.slots.slots())
        await self._tasks.reconcile({str(number): TaskSpec("admission", self._work) for number in range(places)})

    async def close(self) -> None:
        """Stop looking; what was not decided goes back into the queue."""
        await self._tasks.close()

    async def _work(self) -> None:
        while True:
            seen = self._context.wake_up.count
            taking = asyncio.ensure_future(asyncio.to_thread(self._ledger.take_admission))
            try:
                taken = await asyncio.shield(taking)
            except asyncio.CancelledError:
                # The thread takes it all the same, and nobody would look at it before the next start.
                if (taken := await taking) is not None:
                    self._ledger.requeue_admissions(taken.admission.id)
                raise
            if taken is None:
                await self._context.wake_up.wait(seen, LOOK_EVERY_S)
            else:
                await self._look_at(taken)

    async def _look_at(self, taken: AdmissionRow) -> None:
        log = self._context.log.bind(bot=taken.bot, version=taken.version.content_hash[:12])
        view = self._context.slots.view(MatchPurpose.ADMISSION, taken.bot)
        try:
            verdict = await self._judge(taken, view)
        except _OverError:
            log.info("admission withdrawn")
            return
        except SandboxUnavailableError:
            await asyncio.to_thread(self._ledger.requeue_admissions, taken.admission.id, NO_SANDBOX)
            raise
        except BaseException:
            # Also when this task is cancelled: nobody else would look at it before the next start.
            self._ledger.requeue_admissions(taken.admission.id)
            raise
        finally:
            view.close()
        if verdict.outcome is AdmissionOutcome.UNDECIDED:
            await asyncio.to_thread(self._ledger.requeue_admissions, taken.admission.id, verdict.summary)
            raise UndecidedAdmissionError(placed(taken.bot, verdict.summary))
        await asyncio.to_thread(
            self._ledger.finish_admission,
            taken.admission.id,
            is_admitted=verdict.outcome is AdmissionOutcome.ADMITTED,
            summary=verdict.summary,
            findings=[finding_json(finding) for finding in verdict.findings],
            promotes=not self._tests_promotions,
        )
        self._context.wake_up.notify()
        self._seconds.observe(time.time() - taken.admission.requested_at_us / 1e6, verdict.outcome.value)
        log.info("admission", verdict=verdict.outcome.value, why=verdict.summary)

    async def _judge(self, taken: AdmissionRow, executor: MatchExecutor) -> AdmissionVerdict:
        failure: Finding | None = None
        try:
            await asyncio.to_thread(self._check, taken)
            programs, version = self._context.programs, taken.version.content_hash
            built = await build_version(programs, version, has_owner=taken.owner is not None)
            if isinstance(built, BuildFailure):
                failure = failed(TrialCheck.START, built.sentence, {"log": built.log[-_SHOWN_CHARACTERS:]})
            else:
                request = await asyncio.to_thread(self._request, taken)
        except BotDirectoryError as error:
            failure = failed(TrialCheck.START, Text("It cannot be started here: {why}.", why=error))
        if failure is not None:
            return AdmissionVerdict(AdmissionOutcome.REFUSED, (failure,), Text("Refused: {why}", why=failure.sentence))

        def report(finding: Finding) -> None:
            if not self._ledger.add_finding(taken.admission.id, finding_json(finding)):
                raise _OverError

        return await admit(request, executor, report)

    def _check(self, taken: AdmissionRow) -> None:
        """Raise BotDirectoryError if its runtime is unknown here, or it asks for more than it may have."""
        programs = self._context.programs
        stored = programs.store.get(taken.version.content_hash)
        programs.runtimes.check_bot(stored.manifest, stored.directory, is_stranger=taken.owner is not None)

    def _request(self, taken: AdmissionRow) -> AdmissionRequest:
        """Return what is to be looked at, and how. Raises BotDirectoryError if the author is to blame."""
        programs, version = self._context.programs, taken.version
        program = programs.find(version.content_hash)
        grounds = setups_of(program.games)
        level = programs.sandbox_level(has_owner=False)
        own_level = programs.sandbox_level(has_owner=taken.owner is not None)
        self._context.supervisor.health.clear(SANDBOX)
        # The tightest clock by the decision of the ladders that wait for the bot, or the usual one.
        games = {ground.game for ground in grounds}
        pools = [one.pool for one in open_ladders(self._context.database) if one.pool.game in games]
        clocks = [parse_time_control(pool.time_control) for pool in pools]
        limited = [clock for clock in clocks if clock.decision_limit_us and not clock.has_bank]
        return AdmissionRequest(
            admission_id=taken.admission.id,
            bot=program_seat(taken.bot, version.content_hash, program, own_level),
            grounds=grounds,
            samples=tuple(sample_seat(name, level) for name in QUICK_SAMPLES),
            seed=secrets.randbelow(_MOST_SEED),
            rival=sample_seat(RIVAL, level),
            clock=min(limited, key=lambda clock: clock.decision_limit_us, default=clocks[0] if clocks else CLOCK),
        )


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
        # Somebody promoted, withdrew or replaced the versions of the other tests.
        still = {one.version.id for one in newest.values()}
        for test in promotion_tests(self._context.database):
            if test.version_id not in still:
                Ledger(self._context.database).cancel(test.tournament.id)
        return decided

    def _look_at(self, waiting: WaitingVersion, newest: WaitingVersion) -> bool:
        if waiting.version.id != newest.version.id:
            return self._hold_back(waiting, Text("version {number} took its place", number=newest.version.number))
        if waiting.active is None:
            return self._promote(waiting, Text("it was admitted"))
        if self._rule is None:
            return self._promote(waiting, Text("versions are not tested any more"))
        both = [version.manifest for version in (waiting.version, waiting.active) if version is not None]
        ladders = [
            one
            for one in open_ladders(self._context.database)
            if not one.pool.remote and all(plays(manifest, one.pool.game, one.pool.rules_version) for manifest in both)
        ]
        if not ladders:
            return self._promote(waiting, Text("no ladder is open on which the two could be compared"))
        tests = {test.ladder_id: test for test in promotion_tests(self._context.database, [waiting.version.id])}
        missing = [one for one in ladders if one.ladder.id not in tests]
        if not missing:
            return self._decide(waiting, [(one, tests[one.ladder.id]) for one in ladders])
        try:
            for running in missing:
                made = create_promotion_test(
                    self._context.database, self._context.programs, self._rule, running, waiting
                )
                self._context.log.info("promotion test", bot=waiting.bot.name, tournament=made.name)
        except _UNTESTABLE as error:  # the files of a version are gone, for example
            return self._promote(waiting, Text("it could not be tested: {why}", why=error))
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
                    waiting, Text("it is weaker on {ladder} ({note})", ladder=running.ladder.name, note=note)
                )
            notes.append(note)
        return self._promote(waiting, Text("it was not found weaker ({note})", note="; ".join(notes)))

    def _promote(self, waiting: WaitingVersion, why: str) -> bool:
        self._ledger.promote(waiting.version.id, actor=ARENA, message=why)
        self._note("promoted", waiting, why)
        return True

    def _hold_back(self, waiting: WaitingVersion, why: str) -> bool:
        bot, version = waiting.bot, waiting.version
        sentence = Text(
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
        rating_method=pool.rating_method,
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
        # The two versions share all tables.
        Compare(pool.seats, rule.pairs, lower=-rule.loss, upper=0.0, design=Design.ALONE),
        bots=[f"{bot}@{version.content_hash}" for version in (waiting.version, waiting.active)],
        choose_name=free_name,
        notes={PROMOTES: waiting.version.id, LADDER: running.ladder.id},
    )
