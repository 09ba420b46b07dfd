"""The zoo of hostile bots, in real processes: what each does, whose fault it is, and that nobody beside it notices."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from arena.executor.host import MatchHost
from arena.match.clock import TimeControl
from arena.match.spec import UNCONFINED, Fault, FaultCause, MatchReport
from arena.match.verify import verify
from tests.support.keeper import copy_zoo, zoo_seat
from tests.support.processes import marked_processes
from tests.support.specs import installed_script_game, script_spec

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Nothing waits that long when all is well; a test machine may be busy.
PATIENT = TimeControl(decision_limit_us=100_000_000, start_limit_us=100_000_000)
IMPATIENT = TimeControl(decision_limit_us=300_000, start_limit_us=100_000_000)
FORGIVING = TimeControl(decision_limit_us=300_000, start_limit_us=100_000_000, margin_us=100_000_000)
SHORT_START = TimeControl(decision_limit_us=100_000_000, start_limit_us=2_000_000)
BOT, NOBODY = "bot", "nobody"


@dataclass(frozen=True)
class Case:
    """A bot of the zoo, and what must become of it."""

    behaviour: str
    owner: str
    cause: FaultCause | None = None
    words: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


def bots_fault(behaviour: str, cause: FaultCause, words: str, **evidence: Any) -> Case:
    return Case(behaviour, BOT, cause, words, evidence)


def harmless(behaviour: str) -> Case:
    return Case(behaviour, NOBODY)


F = FaultCause
# Those of one table play one match: each does at its own turn what it does, and the last seat is honest.
AT_START = (
    bots_fault("crash-at-import", F.START_FAILED, "ended before it joined (exit status 1)", exit_status=1),
    bots_fault("exit-in-peace", F.START_FAILED, "ended before it joined (exit status 0)", exit_status=0),
    bots_fault("wrong-token", F.START_FAILED, "ended before it joined (exit status 4)", exit_status=4),
    bots_fault("garbage-first", F.MALFORMED, "no PlayRequest as its first message"),
    bots_fault("act-first", F.PROTOCOL, "Join comes first"),
)
TOO_LATE_TO_START = (
    bots_fault("never-join", F.START_FAILED, "It did not join within 2 s."),
    bots_fault("never-connect", F.START_FAILED, "It did not join within 2 s."),
)
AT_ITS_TURN = (
    (
        bots_fault("join-twice", F.PROTOCOL, "a second Join"),
        bots_fault("wrong-ply", F.PROTOCOL, "It answered ply 2; asked was ply 1."),
        bots_fault("wrong-match", F.PROTOCOL, "another match, 'another'"),
        bots_fault("illegal", F.ILLEGAL_ACTION, "It chose action 3 (ADD:3); legal were"),
        bots_fault("out-of-range", F.ILLEGAL_ACTION, "2147483647, which does not exist"),
        bots_fault("a-million-actions", F.MALFORMED, "bytes; 262144 are allowed"),
    ),
    (
        bots_fault("oversized-message", F.DISCONNECTED, "Its stream"),
        bots_fault("half-a-message", F.DISCONNECTED, "Its stream"),
        bots_fault("close-stream", F.DISCONNECTED, "Its stream"),
        bots_fault("second-stream", F.PROTOCOL, "a second stream"),
        bots_fault("garbage", F.MALFORMED, "40 bytes that are no PlayRequest"),
        bots_fault("crash", F.DISCONNECTED, "Its stream", signal=11, ended="SIGSEGV"),
    ),
)
TOO_LATE = (
    bots_fault("stop-writing", F.TIMEOUT, "ms; it had 300 ms"),
    bots_fault("stop-reading", F.TIMEOUT, "ms; it had 300 ms"),
    bots_fault("late-by-ten-seconds", F.TIMEOUT, "ms; it had 300 ms"),
)
UNNOTICED = tuple(
    map(harmless, ("flood-stderr", "leave-daemons", "open-many-files", "fork-flood-and-stay", "many-at-once"))
)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_zoo(tmp_path_factory.mktemp("zoo"))


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Stands in the environment of every process that these tests start; none outlives them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch, installed_script_game():
        patch.setenv("HOME", str(home))
        yield f"HOME={home}"
        assert marked_processes(f"HOME={home}") == {}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(mark: str) -> AsyncIterator[MatchHost]:
    async with MatchHost() as host:
        yield host
    assert marked_processes(mark) == {}


class Cage:
    """Plays the bots of the zoo at one level of confinement."""

    def __init__(self, host: MatchHost, zoo: Path, level: str) -> None:
        self._host, self._zoo, self._level = host, zoo, level

    async def play(
        self, cases: Sequence[Case], script: str = "", clock: TimeControl = PATIENT, with_honest: bool = True
    ) -> MatchReport:
        """One match of them all, in order, and of an honest bot in the last seat."""
        seats = [zoo_seat(self._zoo, case.behaviour, level=self._level) for case in cases]
        if with_honest:
            seats.append(zoo_seat(self._zoo, level=self._level))
        script = script or " ".join(f"{seat}:3" for seat in range(len(seats)))
        spec = script_spec(script, len(seats), seats=tuple(seats), clock=clock)
        report = await self._host.play(spec)
        assert verify(report.replay) == []
        return report

    async def check(self, cases: Sequence[Case], **changes: Any) -> None:
        """Everybody gets what it deserves, and the honest bot wins."""
        report = await self.play(cases, **changes)
        for seat, case in enumerate(cases):
            check_case(case, [fault for fault in report.result.faults if fault.seat == seat])
        assert report.result.ranks[-1] == 1
        assert not [fault for fault in report.result.faults if fault.seat == len(cases)]


def check_case(case: Case, faults: Sequence[Fault]) -> None:
    assert [fault.cause for fault in faults] == ([case.cause] if case.cause else []), (case, faults)
    for fault in faults:
        assert case.words in fault.explanation, (case, fault)
        assert case.evidence.items() <= fault.evidence.items(), (case, fault)
        assert case.owner == BOT


@pytest.fixture(scope="module", params=[UNCONFINED])
def cage(host: MatchHost, zoo: Path, request: pytest.FixtureRequest) -> Cage:
    return Cage(host, zoo, request.param)


async def test_a_bot_that_does_not_start_loses_and_it_is_told_why(cage: Cage) -> None:
    await cage.check(AT_START)


async def test_a_bot_that_never_joins_loses(cage: Cage) -> None:
    await cage.play([], "0:3")  # the honest bot is warm then, and needs no time to start
    await cage.check(TOO_LATE_TO_START, clock=SHORT_START)


@pytest.mark.parametrize("cases", AT_ITS_TURN, ids=["messages", "streams"])
async def test_what_a_bot_says_wrong_costs_it_the_match_and_nobody_else(cage: Cage, cases: tuple[Case, ...]) -> None:
    await cage.check(cases)


async def test_an_answer_before_the_question_is_a_breach(cage: Cage) -> None:
    await cage.check([bots_fault("unasked-act", F.PROTOCOL, "It answered")], script="1:3 0:3 1:3 0:3")


async def test_silence_is_a_timeout(cage: Cage) -> None:
    await cage.check(TOO_LATE, clock=IMPATIENT)


async def test_lateness_inside_the_margin_is_no_fault(cage: Cage) -> None:
    await cage.check([harmless("late-inside-the-margin")], clock=FORGIVING, script="0:3")


async def test_a_bot_that_does_not_read_for_five_seconds_is_gone(cage: Cage) -> None:
    script = "0:3 1:3" + " " * 1_000_000  # MatchStarted tells the options, and is larger than all buffers
    await cage.check([bots_fault("stop-reading", F.DISCONNECTED, "It did not read for 5 s.")], script=script)


async def test_noise_and_children_are_no_fault_and_do_not_outlive_the_bot(host: MatchHost, cage: Cage) -> None:
    await cage.check(UNNOTICED)


async def test_a_bot_that_still_thinks_when_another_one_ends_the_match_is_not_blamed_in_the_next(cage: Cage) -> None:
    thinker, other = harmless("think-for-a-second"), bots_fault("vanish-unasked", F.DISCONNECTED, "Its stream")
    report = await cage.play([thinker, other], "0:3 1:3", with_honest=False)
    assert [fault.seat for fault in report.result.faults] == [1]
    await cage.check([thinker], script="1:3 0:3 1:3 0:3")
