"""Admission: which trial matches are planned and what their reports show, and with real processes, who is let in."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from arena.executor.local import LocalExecutor
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.worker_report import MatchReport
from arena.model.bots import Finding, FindingState
from arena.service.admission_trials import (
    AdmissionOutcome,
    AdmissionRequest,
    AdmissionVerdict,
    admit,
    clock_bouts,
    first_bout,
    memory_bouts,
    playing_bouts,
    repeated_bouts,
)
from arena.tournament.runner import MatchExecutor
from arena.trial.lineup import sample_seat, setups_of
from arena.trial.trials import TrialCheck, TrialMatch, TrialSetup, failed, finding_json
from engine import registry
from tests.cli.table import RoomExecutor
from tests.support.keeper import copy_zoo, zoo_seat
from tests.support.patience import any_start, patient_endings
from tests.support.processes import marked_processes
from tests.support.specs import scripted

CHOOSING_BOT = """
import os, random, sys, time
from tests.support.scripted_bot import Wire, act, say

matches = 0
wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("match_started"):
        matches += 1
        {started}
    if response.HasField("decide"):
        decide = response.decide
        wire.send_bytes(act(decide, decide.legal_actions[({choice}) % len(decide.legal_actions)]))
"""


@dataclass(frozen=True)
class Told:
    """What an admission reported."""

    verdict: AdmissionVerdict
    reported: Sequence[Finding]

    def states(self, state: FindingState) -> list[str]:
        return [finding.check for finding in self.reported if finding.state is state]

    @property
    def failed(self) -> list[str]:
        return self.states(FindingState.FAILED)

    def of(self, check: str) -> Finding:
        (finding,) = (finding for finding in self.reported if finding.check == check)
        return finding


def choosing_bot(tmp_path: Path, name: str, *, choice: str = "0", started: str = "pass", **changes: Any) -> SeatSpec:
    main = tmp_path / f"{name}.py"
    main.write_text(CHOOSING_BOT.format(choice=choice, started=started), encoding="utf-8")
    return replace(
        scripted(), **{"name": name, "version": str(main), "command": (sys.executable, str(main)), **changes}
    )


def request_for(bot: SeatSpec, **changes: Any) -> AdmissionRequest:
    """Only The Foreign King with two seats, and no clock that a busy machine could miss."""
    values: dict[str, Any] = {
        "admission_id": f"admission of {bot.name}",
        "bot": bot,
        "grounds": setups_of(["foreign_king"])[:1],
        "samples": (sample_seat("random", "none"),),
        "seed": 7,
        "clock": any_start("60s"),
        "tight_clock": any_start("60s"),
    }
    return AdmissionRequest(**{**values, **changes})


async def look_at(executor: MatchExecutor, bot: SeatSpec, **changes: Any) -> Told:
    reported: list[Finding] = []
    verdict = await admit(request_for(bot, **changes), executor, reported.append)
    assert verdict.findings == tuple(reported)
    return Told(verdict, reported)


BOT = replace(scripted(), is_deterministic=True)
CHEAT = replace(BOT, name="cheat")
EVERYWHERE = setups_of(["*"])
ASKED_BOT = replace(scripted(), is_deterministic=True)


class Absent(RoomExecutor):
    """A room in which no process of a bot joins."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        return replace(await super().run(spec), seat_processes=())


async def test_who_makes_no_fault_is_admitted_and_everything_is_looked_at() -> None:
    told = await look_at(RoomExecutor(2), BOT, grounds=setups_of(["foreign_king"])[:2])
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED, told.verdict
    assert told.states(FindingState.PASSED) == list(TrialCheck), told.reported
    assert told.of("play").sentence == (
        "It played 6 matches without a fault: foreign_king with 2 seats, foreign_king with 3 seats."
    )
    protocol = told.of("protocol").sentence
    assert protocol == "It kept to the protocol in 6 matches."
    assert told.verdict.summary.startswith("Admitted after ")
    assert int(told.verdict.summary.split()[2]) > 6, "it is looked at more closely than it plays"


async def test_who_makes_a_fault_is_refused_with_the_reason_and_not_looked_at_more_closely() -> None:
    told = await look_at(RoomExecutor(2), CHEAT)
    assert told.verdict.outcome is AdmissionOutcome.REFUSED
    assert told.failed == ["play"]
    assert told.of("play").sentence in told.verdict.summary
    assert told.states(FindingState.PASSED) == ["start"]
    assert told.states(FindingState.SKIPPED) == [
        check for check in TrialCheck if check not in (TrialCheck.START, TrialCheck.PLAY)
    ]


async def test_who_remembers_although_it_promises_equal_answers_is_refused() -> None:
    told = await look_at(RoomExecutor(2), replace(BOT, name="leaky"))
    assert told.failed == ["second match"]
    assert "It remembered." in told.of("second match").sentence


async def test_the_rest_is_not_looked_at_before_the_bot_can_play() -> None:
    told = await look_at(Absent(2), CHEAT)
    assert told.verdict.outcome is AdmissionOutcome.REFUSED
    assert told.states(FindingState.PASSED) == []
    assert len(told.failed) == 1
    assert len(told.states(FindingState.SKIPPED)) == len(TrialCheck) - 1


async def test_a_bot_that_plays_no_installed_game_is_refused() -> None:
    told = await look_at(RoomExecutor(2), BOT, grounds=setups_of(["checkers"]))
    assert told.failed == ["play"]
    assert told.verdict.outcome is AdmissionOutcome.REFUSED


def bouts_of(request: AdmissionRequest) -> list[TrialMatch]:
    pairs = [bout for pair in repeated_bouts(request) for bout in pair]
    return [
        first_bout(request),
        *playing_bouts(request, request.grounds),
        *clock_bouts(request),
        *memory_bouts(request),
        *pairs,
    ]


def test_the_grounds_are_what_is_claimed_and_installed() -> None:
    assert [(g.game, g.seats) for g in EVERYWHERE] == [(n, s) for n in registry.names() for s in registry.get(n).seats]
    assert {ground.game for ground in setups_of(["foreign_king", "checkers"])} == {"foreign_king"}
    assert setups_of(["checkers"]) == ()


def test_equal_requests_plan_equal_matches_and_other_seeds_others() -> None:
    request = request_for(ASKED_BOT, grounds=EVERYWHERE)
    assert bouts_of(request) == bouts_of(request_for(ASKED_BOT, grounds=EVERYWHERE))
    seeds = {bout.spec.chance_seed for bout in bouts_of(replace(request, seed=8))}
    assert not seeds & {bout.spec.chance_seed for bout in bouts_of(request)}


def test_no_two_matches_have_one_name_and_all_seeds_fit_javascript() -> None:
    bouts = bouts_of(request_for(ASKED_BOT, grounds=EVERYWHERE))
    assert max(Counter(bout.spec.match_id for bout in bouts).values()) == 1
    assert all(0 <= seat.seed < 2**53 for bout in bouts for seat in bout.spec.seats)
    assert all(0 <= bout.spec.chance_seed < 2**53 for bout in bouts)


def test_the_bot_plays_everywhere_alone_and_at_both_ends_of_the_table() -> None:
    request = request_for(ASKED_BOT, grounds=EVERYWHERE)
    for ground in EVERYWHERE:
        bouts = [bout for bout in playing_bouts(request, EVERYWHERE) if bout.setup == ground]
        assert [bout.own for bout in bouts] == [tuple(range(ground.seats)), (0,), (ground.seats - 1,)]
        for bout in bouts:
            assert len(bout.spec.seats) == ground.seats
            assert all(
                (bout.spec.seats[seat].name == ASKED_BOT.name) == (seat in bout.own) for seat in range(ground.seats)
            )


def test_under_the_tight_clock_it_meets_the_rival_once_in_each_game() -> None:
    rival = replace(scripted(), name="rival")
    for number in (1, 2, 4):
        grounds = (TrialSetup("foreign_king", "1", number), TrialSetup("foreign_king", "1", number + 1))
        request = request_for(ASKED_BOT, grounds=grounds, rival=rival)
        (bout,) = clock_bouts(request)
        assert [seat.name for seat in bout.spec.seats] == [ASKED_BOT.name, "rival", "random", "random"][:number]
        assert (bout.spec.clock, bout.spec.uses_fresh_bots) == (request.tight_clock, True)


def test_only_a_bot_that_promises_equal_answers_is_asked_twice() -> None:
    honest = request_for(replace(ASKED_BOT, is_deterministic=False), grounds=EVERYWHERE)
    assert repeated_bouts(honest) == []
    assert memory_bouts(honest) == []
    for one, other in repeated_bouts(request_for(ASKED_BOT, grounds=EVERYWHERE)):
        assert one.spec.uses_fresh_bots
        assert other.spec == replace(one.spec, match_id=other.spec.match_id)
        assert other.spec.match_id != one.spec.match_id


def test_a_finding_is_ready_for_json() -> None:
    data = finding_json(failed(TrialCheck.SECOND_MATCH, "It forgot.", {"ply": 3}))
    assert json.loads(json.dumps(data)) == {
        "check": "second match",
        "state": "failed",
        "sentence": "It forgot.",
        "evidence": {"ply": 3},
    }


class LosingExecutor:
    """Loses every match."""

    def __init__(self, cause: HostCause = HostCause.WORKER_DIED) -> None:
        self._cause = cause
        self.attempts: list[int] = []

    def slots(self) -> int:
        return 1

    async def run(self, spec: MatchSpec) -> MatchReport:
        self.attempts.append(spec.attempt)
        raise MatchLostError("its worker ended", self._cause)

    async def cancel(self, match_id: str) -> None:
        raise NotImplementedError(match_id)


class StuckExecutor(LosingExecutor):
    """Never comes to an end with a match, and counts those it was told to end."""

    def __init__(self) -> None:
        super().__init__()
        self.running = 0

    async def run(self, spec: MatchSpec) -> MatchReport:
        self.running += 1
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.running -= 1
        return await super().run(spec)


async def test_a_match_that_is_lost_three_times_leaves_the_admission_undecided() -> None:
    executor = LosingExecutor()
    told = await look_at(executor, scripted())
    assert executor.attempts == [1, 2, 3]
    assert told.verdict.outcome is AdmissionOutcome.UNDECIDED
    assert told.verdict.summary == (
        "It will be looked at again: foreign_king with 2 seats could not be played: its worker ended."
    )
    assert told.failed == []


@pytest.mark.parametrize("cause", [HostCause.CANCELLED, HostCause.UNPLAYABLE])
async def test_what_would_be_lost_again_is_not_tried_again(cause: HostCause) -> None:
    executor = LosingExecutor(cause)
    assert (await look_at(executor, scripted())).verdict.outcome is AdmissionOutcome.UNDECIDED
    assert executor.attempts == [1]


async def test_cancelling_an_admission_ends_its_matches() -> None:
    executor = StuckExecutor()
    admission = asyncio.create_task(admit(request_for(scripted()), executor, lambda _: None))
    while not executor.running:
        await asyncio.sleep(0.005)
    admission.cancel()
    with pytest.raises(asyncio.CancelledError):
        await admission
    assert executor.running == 0


@dataclass(frozen=True)
class Case:
    """A bot that misbehaves in its play, and the reason for which it must be refused."""

    behaviour: str
    check: TrialCheck
    words: str
    at: int = 2
    clock: str = "60s"


CASES = (
    Case("exit-at-once", TrialCheck.START, "It ended before it joined (exit status 3). Connect to ARENA_ADDRESS"),
    Case("other-game", TrialCheck.START, "It joined for checkers, not for foreign_king."),
    Case("garbage-first", TrialCheck.PROTOCOL, "no PlayRequest as its first message"),
    Case("flood-before-joining", TrialCheck.RESOURCES, "too much at once"),
    Case(
        "wrong-ply", TrialCheck.PROTOCOL, "It broke the protocol in 3 of 3 matches, first in foreign_king with 2 seats"
    ),
    Case("garbage", TrialCheck.PROTOCOL, "Send PlayRequest messages"),
    Case("many-answers", TrialCheck.PROTOCOL, ""),
    Case("illegal", TrialCheck.PLAY, "Choose among the ids that the Decide lists as legal."),
    Case("crash", TrialCheck.PLAY, "It was gone before the match was over in 3 of 3 matches"),
    Case("silent", TrialCheck.CLOCK, "it had 300 ms", clock="300ms"),
)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_zoo(tmp_path_factory.mktemp("zoo"))


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch, patient_endings():
        patch.setenv("HOME", str(home))
        yield f"HOME={home}"
        assert marked_processes(f"HOME={home}") == {}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(mark: str) -> AsyncIterator[LocalExecutor]:
    async with LocalExecutor(1) as executor:
        yield executor
    assert marked_processes(mark) == {}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
@pytest.mark.hostile(*(case.behaviour for case in CASES))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.behaviour)
async def test_a_bot_whose_fault_shows_in_play_is_refused_with_the_reason(
    executor: LocalExecutor, zoo: Path, case: Case
) -> None:
    told = await look_at(executor, zoo_seat(zoo, case.behaviour, at=case.at), clock=any_start(case.clock))
    assert told.failed == [case.check]
    finding = told.of(case.check)
    assert case.words in finding.sentence
    assert finding.evidence["game"] == "foreign_king"
    assert told.verdict.outcome is AdmissionOutcome.REFUSED
    assert finding.sentence in told.verdict.summary


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_what_it_wrote_last_is_evidence(executor: LocalExecutor, zoo: Path) -> None:
    told = await look_at(executor, zoo_seat(zoo, "leave-with-status-7", at=1))
    assert "Traceback: no good" in told.of("play").evidence["stderr"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_sample_is_admitted_and_everything_is_looked_at(executor: LocalExecutor) -> None:
    bot = replace(sample_seat("greedy", "none"), is_deterministic=True)
    told = await look_at(executor, bot, grounds=setups_of(["foreign_king"])[:2])
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED, told.verdict
    assert told.states(FindingState.PASSED) == list(TrialCheck), told.reported
    assert told.of("play").sentence == (
        "It played 6 matches without a fault: foreign_king with 2 seats, foreign_king with 3 seats."
    )
    assert "of 512 MiB" in told.of("resources").sentence


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_the_rest_is_not_looked_at_before_the_bot_can_play_really(executor: LocalExecutor) -> None:
    told = await look_at(executor, scripted("exit-at-once"))
    assert told.states(FindingState.SKIPPED) == [check for check in TrialCheck if check is not TrialCheck.START]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_bot_that_fails_in_its_second_match_is_told_so(executor: LocalExecutor, tmp_path: Path) -> None:
    bot = choosing_bot(tmp_path, "tired", started="if matches > 1: say('no more'); os._exit(3)")
    told = await look_at(executor, bot)
    assert told.failed == ["second match"]
    assert "Its process had played before" in told.of("second match").sentence
    assert "no more" in told.of("second match").evidence["stderr"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_bot_that_remembers_although_it_promises_equal_answers_is_refused(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    told = await look_at(executor, choosing_bot(tmp_path, "wise", choice="matches - 1", is_deterministic=True))
    assert told.failed == ["second match"]
    assert "it remembers earlier matches" in told.of("second match").sentence


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_bot_that_draws_lots_although_it_promises_equal_answers_is_refused_with_the_ply(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    guess = "random.SystemRandom().randrange(100) if decide.ply > 3 else 0"
    told = await look_at(executor, choosing_bot(tmp_path, "guesses", choice=guess, is_deterministic=True))
    assert "determinism" in told.failed
    finding = told.of("determinism")
    assert finding.evidence["ply"] > 3
    assert f"differently from ply {finding.evidence['ply']} on" in finding.sentence


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_bot_that_promises_nothing_may_draw_lots(executor: LocalExecutor, tmp_path: Path) -> None:
    told = await look_at(executor, choosing_bot(tmp_path, "free", choice="random.randrange(100)"))
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED
    assert told.states(FindingState.SKIPPED) == ["determinism"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_bot_that_overlooks_a_tight_clock_is_refused_for_it(executor: LocalExecutor, tmp_path: Path) -> None:
    bot = choosing_bot(tmp_path, "slow", choice="time.sleep(2) or 0 if decide.time_limit_us < 1_000_000 else 0")
    told = await look_at(executor, bot, tight_clock=any_start("100ms"))
    assert told.failed == ["clock"]
    assert "it had 100 ms" in told.of("clock").sentence


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_lateness_that_only_the_margin_saves_is_noted(executor: LocalExecutor, tmp_path: Path) -> None:
    # A second, because of a sleep on a busy machine nearly a third of a second is taken for waiting.
    late = "time.sleep(1) or 0 if decide.time_limit_us < 200_000 and decide.ply < 4 else 0"
    bot = choosing_bot(tmp_path, "last-second", choice=late)
    tight = replace(any_start("100ms"), margin_us=any_start("60s").decision_limit_us)
    told = await look_at(executor, bot, tight_clock=tight)
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED
    assert told.states(FindingState.NOTED) == ["clock"]
    assert "saved by the margin alone" in told.of("clock").sentence


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_bot_that_stays_when_its_stream_is_closed_is_told_and_admitted(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    stays = "import threading; threading.Thread(target=time.sleep, args=(3600,)).start()"
    told = await look_at(executor, choosing_bot(tmp_path, "stays", started=stays))
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED
    assert told.states(FindingState.NOTED) == ["ending"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_a_bot_that_plays_no_installed_game_is_refused_really(executor: LocalExecutor) -> None:
    told = await look_at(executor, scripted(), grounds=setups_of(["checkers"]))
    assert told.failed == ["play"]
