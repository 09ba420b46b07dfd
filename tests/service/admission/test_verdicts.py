"""Admission: which trial matches are planned, what their reports show, and what becomes of lost ones."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace

import pytest

from arena.match.report import MatchReport
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.model.bots import FindingState
from arena.service.admission import (
    AdmissionOutcome,
    AdmissionRequest,
    admit,
    clock_bouts,
    first_bout,
    memory_bouts,
    playing_bouts,
    repeated_bouts,
)
from arena.trial.lineup import setups_of
from arena.trial.trials import TrialCheck, TrialMatch, TrialSetup, failed, finding_json
from engine import registry
from tests.cli.table import RoomExecutor
from tests.service.admission.places import look_at, request_for
from tests.support.specs import scripted

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
