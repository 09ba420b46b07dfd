"""What an admission looks at and what it says in the end, of matches that are played in this process."""

from __future__ import annotations

from dataclasses import replace

from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.model.admissions import FindingState
from arena.service.admission import AdmissionOutcome
from arena.trial.setups import setups_of
from arena.trial.values import TrialCheck
from tests.cli.table import RoomExecutor
from tests.service.admission.places import look_at
from tests.support.specs import scripted

BOT = replace(scripted(), is_deterministic=True)
CHEAT = replace(BOT, name="cheat")


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
