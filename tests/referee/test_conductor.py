"""What the conductor measures, with a clock that only the test moves."""

from collections.abc import Iterator

import pytest

from arena.match.answers import Answer
from arena.match.match import Match
from arena.match.spec import FaultCause
from arena.referee.conductor import _Conductor
from arena.referee.inbox import Arrival, Inbox
from arena.referee.stream import StreamClosedError
from tests.support.specs import installed_script_game, script_spec


class Clock:
    """Stands for the event loop; only its time is asked."""

    def __init__(self) -> None:
        self.now = 100.0

    def time(self) -> float:
        return self.now


class SlowTransport:
    """A stream whose bot answers 0.9 s after the Decide was handed over, while the transport takes 2 s for it."""

    is_closed = False
    last_message = b""
    spoiled = ""

    def __init__(self, match: Match, clock: Clock) -> None:
        self._match = match
        self._clock = clock
        self._inbox: Inbox | None = None

    def attach(self, inbox: Inbox, _seat: int) -> None:
        self._inbox = inbox

    def detach(self) -> None:
        self._inbox = None

    def mute(self) -> None:
        self._inbox = None

    async def send(self, _data: bytes) -> None:
        decision = self._match.decision
        if decision is None or self._inbox is None:
            return
        answer = Answer(self._match.spec.match_id, decision.ply, (decision.legal[0],), "")
        self._inbox.put(Arrival(decision.seat, self._clock.now + 0.9, answer))
        self._clock.now += 2


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


async def test_the_clock_starts_when_the_decide_is_handed_to_the_transport() -> None:
    match, clock = Match(script_spec("0:3", 1)), Clock()
    conductor = _Conductor(match, [SlowTransport(match, clock)])  # type: ignore[list-item]
    conductor._loop = clock  # type: ignore[assignment]
    await conductor.play(())
    assert [entry.elapsed_us for entry in match.entries] == [900_000]


class Hasty(SlowTransport):
    """A bot that answers before it is asked."""

    async def send(self, _data: bytes) -> None:
        if self._match.decision is None and not self._match.is_over and self._inbox is not None:
            answer = Answer(self._match.spec.match_id, 0, (0,), "")
            self._inbox.put(Arrival(0, self._clock.now - 0.1, answer))


async def test_an_answer_that_came_before_its_decide_is_a_breach() -> None:
    match, clock = Match(script_spec("0:3", 1)), Clock()
    conductor = _Conductor(match, [Hasty(match, clock)])  # type: ignore[list-item]
    conductor._loop = clock  # type: ignore[assignment]
    await conductor.play(())
    assert [fault.cause for fault in match.result().faults] == [FaultCause.PROTOCOL]


class Gone(SlowTransport):
    """A bot that cannot be reached any more."""

    is_closed = True

    async def send(self, _data: bytes) -> None:
        raise StreamClosedError("Its stream ended.")


async def test_bots_that_cannot_be_told_of_the_start_forfeit_together() -> None:
    match, clock = Match(script_spec("0:3 1:3 2:3", 3)), Clock()
    streams = [Gone(match, clock), Gone(match, clock), SlowTransport(match, clock)]
    conductor = _Conductor(match, streams)  # type: ignore[arg-type]
    conductor._loop = clock  # type: ignore[assignment]
    await conductor.play(())
    assert match.result().ranks == (2, 2, 1)
