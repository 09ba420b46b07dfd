"""Admission with real processes: who is admitted, who is refused, and that the author is told what to do."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio

from arena.executor.local import LocalExecutor
from arena.model.bots import FindingState
from arena.service.admission import AdmissionOutcome
from arena.trial.lineup import sample_seat, setups_of
from arena.trial.trials import TrialCheck
from tests.service.admission.places import choosing_bot, look_at
from tests.support.keeper import copy_zoo, zoo_seat
from tests.support.patience import any_start, patient_endings
from tests.support.processes import marked_processes
from tests.support.specs import scripted

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.needs("minutes")]


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


async def test_what_it_wrote_last_is_evidence(executor: LocalExecutor, zoo: Path) -> None:
    told = await look_at(executor, zoo_seat(zoo, "leave-with-status-7", at=1))
    assert "Traceback: no good" in told.of("play").evidence["stderr"]


async def test_a_sample_is_admitted_and_everything_is_looked_at(executor: LocalExecutor) -> None:
    bot = replace(sample_seat("greedy", "none"), is_deterministic=True)
    told = await look_at(executor, bot, grounds=setups_of(["foreign_king"])[:2])
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED, told.verdict
    assert told.states(FindingState.PASSED) == list(TrialCheck), told.reported
    assert told.of("play").sentence == (
        "It played 6 matches without a fault: foreign_king with 2 seats, foreign_king with 3 seats."
    )
    assert "of 512 MiB" in told.of("resources").sentence


async def test_the_rest_is_not_looked_at_before_the_bot_can_play(executor: LocalExecutor) -> None:
    told = await look_at(executor, scripted("exit-at-once"))
    assert told.states(FindingState.SKIPPED) == [check for check in TrialCheck if check is not TrialCheck.START]


async def test_a_bot_that_fails_in_its_second_match_is_told_so(executor: LocalExecutor, tmp_path: Path) -> None:
    bot = choosing_bot(tmp_path, "tired", started="if matches > 1: say('no more'); os._exit(3)")
    told = await look_at(executor, bot)
    assert told.failed == ["second match"]
    assert "Its process had played before" in told.of("second match").sentence
    assert "no more" in told.of("second match").evidence["stderr"]


async def test_a_bot_that_remembers_although_it_promises_equal_answers_is_refused(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    told = await look_at(executor, choosing_bot(tmp_path, "wise", choice="matches - 1", is_deterministic=True))
    assert told.failed == ["second match"]
    assert "it remembers earlier matches" in told.of("second match").sentence


async def test_a_bot_that_draws_lots_although_it_promises_equal_answers_is_refused_with_the_ply(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    guess = "random.SystemRandom().randrange(100) if decide.ply > 3 else 0"
    told = await look_at(executor, choosing_bot(tmp_path, "guesses", choice=guess, is_deterministic=True))
    assert "determinism" in told.failed
    finding = told.of("determinism")
    assert finding.evidence["ply"] > 3
    assert f"differently from ply {finding.evidence['ply']} on" in finding.sentence


async def test_a_bot_that_promises_nothing_may_draw_lots(executor: LocalExecutor, tmp_path: Path) -> None:
    told = await look_at(executor, choosing_bot(tmp_path, "free", choice="random.randrange(100)"))
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED
    assert told.states(FindingState.SKIPPED) == ["determinism"]


async def test_a_bot_that_overlooks_a_tight_clock_is_refused_for_it(executor: LocalExecutor, tmp_path: Path) -> None:
    bot = choosing_bot(tmp_path, "slow", choice="time.sleep(2) or 0 if decide.time_limit_us < 1_000_000 else 0")
    told = await look_at(executor, bot, tight_clock=any_start("100ms"))
    assert told.failed == ["clock"]
    assert "it had 100 ms" in told.of("clock").sentence


async def test_lateness_that_only_the_margin_saves_is_noted(executor: LocalExecutor, tmp_path: Path) -> None:
    # A second, because of a sleep on a busy machine nearly a third of a second is taken for waiting.
    late = "time.sleep(1) or 0 if decide.time_limit_us < 200_000 and decide.ply < 4 else 0"
    bot = choosing_bot(tmp_path, "last-second", choice=late)
    tight = replace(any_start("100ms"), margin_us=any_start("60s").decision_limit_us)
    told = await look_at(executor, bot, tight_clock=tight)
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED
    assert told.states(FindingState.NOTED) == ["clock"]
    assert "saved by the margin alone" in told.of("clock").sentence


async def test_a_bot_that_stays_when_its_stream_is_closed_is_told_and_admitted(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    stays = "import threading; threading.Thread(target=time.sleep, args=(3600,)).start()"
    told = await look_at(executor, choosing_bot(tmp_path, "stays", started=stays))
    assert told.verdict.outcome is AdmissionOutcome.ADMITTED
    assert told.states(FindingState.NOTED) == ["ending"]


async def test_a_bot_that_plays_no_installed_game_is_refused(executor: LocalExecutor) -> None:
    told = await look_at(executor, scripted(), grounds=setups_of(["checkers"]))
    assert told.failed == ["play"]
