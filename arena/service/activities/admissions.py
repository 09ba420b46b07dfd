"""Looks at versions that were submitted, a few at the same time, and writes what becomes of them."""

from __future__ import annotations

import asyncio
import secrets
import time

from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.manifest import BotDirectoryError
from arena.match.spec import program_seat
from arena.match.time_control import TimeControl, parse_time_control
from arena.model.bots import Finding
from arena.service.activities.context import ServiceContext, build_for_admission
from arena.service.admission import CLOCK, AdmissionOutcome, AdmissionRequest, AdmissionVerdict, admit
from arena.service.metrics import Metrics
from arena.service.scheduler.queue import MatchPurpose
from arena.service.supervision import NO_SANDBOX, SANDBOX, SupervisedTasks, TaskSpec
from arena.tournament.runner import MatchExecutor
from arena.trial.seats import QUICK_SAMPLES, RIVAL, sample_seat
from arena.trial.setups import setups_of
from arena.trial.values import TrialCheck, TrialSetup, failed, finding_json
from engine.text import Text, placed
from ratings.ledger.service import ServiceLedger
from ratings.read.ladders import open_ladders
from ratings.store.service import AdmissionRow

MOST_AT_ONCE = 4
LOOK_EVERY_S = 2.0
_MOST_SEED = 1 << 53


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
            taken = await self._take()
            if taken is None:
                await self._context.wake_up.wait(seen, LOOK_EVERY_S)
            else:
                await self._look_at(taken)

    async def _take(self) -> AdmissionRow | None:
        """Return the admission that is to be looked at now, or `None`; nothing is taken when this is cancelled."""
        taking = asyncio.ensure_future(asyncio.to_thread(self._ledger.take_admission))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The thread takes it all the same, and nobody would look at it before the next start.
            if (taken := await taking) is not None:
                self._ledger.requeue_admissions(taken.admission.id)
            raise

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
        await asyncio.to_thread(self._finish, taken, verdict)
        self._context.wake_up.notify()
        self._seconds.observe(time.time() - taken.admission.requested_at_us / 1e6, verdict.outcome.value)
        log.info("admission", verdict=verdict.outcome.value, why=verdict.summary)

    async def _judge(self, taken: AdmissionRow, executor: MatchExecutor) -> AdmissionVerdict:
        try:
            await asyncio.to_thread(self._check, taken)
            failure = await build_for_admission(
                self._context.programs, taken.version.content_hash, has_owner=taken.owner is not None
            )
            if failure is not None:
                return AdmissionVerdict(
                    AdmissionOutcome.REFUSED,
                    (failure,),
                    Text("service.refused", "Refused: {why}", why=failure.sentence),
                )
            request = await asyncio.to_thread(self._request, taken)
        except BotDirectoryError as error:
            finding = failed(
                TrialCheck.START, Text("service.cannot_started_here", "It cannot be started here: {why}.", why=error)
            )
            return AdmissionVerdict(
                AdmissionOutcome.REFUSED, (finding,), Text("service.refused", "Refused: {why}", why=finding.sentence)
            )

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
        return AdmissionRequest(
            admission_id=taken.admission.id,
            bot=program_seat(taken.bot, version.content_hash, program, own_level),
            grounds=grounds,
            samples=tuple(sample_seat(name, level) for name in QUICK_SAMPLES),
            seed=secrets.randbelow(_MOST_SEED),
            rival=sample_seat(RIVAL, level),
            clock=self._clock(grounds),
        )

    def _clock(self, grounds: tuple[TrialSetup, ...]) -> TimeControl:
        """Return the tightest clock by the decision of the ladders that wait for the bot, or the usual one."""
        games = {ground.game for ground in grounds}
        pools = [one.pool for one in open_ladders(self._context.database) if one.pool.game in games]
        clocks = [parse_time_control(pool.time_control) for pool in pools]
        limited = [clock for clock in clocks if clock.decision_limit_us and not clock.has_bank]
        return min(limited, key=lambda clock: clock.decision_limit_us, default=clocks[0] if clocks else CLOCK)

    def _finish(self, taken: AdmissionRow, verdict: AdmissionVerdict) -> bool:
        return self._ledger.finish_admission(
            taken.admission.id,
            is_admitted=verdict.outcome is AdmissionOutcome.ADMITTED,
            summary=verdict.summary,
            findings=[finding_json(finding) for finding in verdict.findings],
            promotes=not self._tests_promotions,
        )
