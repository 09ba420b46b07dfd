"""What `arena.referee.play` does with a bot that is out, says too much, or comes back; by a clock of our own."""

from collections.abc import Iterator

import pytest

from arena.match.decisions import Answer, Resignation
from arena.match.match import Match
from arena.match.result import FaultCause, MatchLostError
from arena.match.time_control import TimeControl
from arena.referee.stream import Arrival, Closed, Flood, Inbox, Offence, Resume, StreamClosedError, nothing_to_resume
from arena.v1 import play_pb2
from tests.referee.still_clock import Clock, Silent, Slow, SlowTransport, play
from tests.support.specs import installed_script_game, script_spec

LAST_WORDS = bytes(range(64)).hex()
"""As many bytes as are kept of a last message."""


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


class Watched(Silent):
    """A bot of which the last words are kept; it notes when it is read no more."""

    last_message = bytes(range(100))
    is_muted = False
    says: Answer | Flood | Closed | Offence | None = None

    def mute(self) -> None:
        self.is_muted = True

    async def send(self, _data: bytes) -> None:
        if self._match.decision is not None and self._inbox is not None and self.says is not None:
            self._inbox.put(Arrival(0, self._clock.now, self.says))


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (Answer("m1", 0, (99,)), (FaultCause.ILLEGAL_ACTION, "It chose action 99")),
        (Flood("It sent too much.", {"bytes": 9}), (FaultCause.FLOOD, "It sent too much.")),
        (Closed("Its stream ended."), (FaultCause.DISCONNECTED, "Its stream ended.")),
        (Offence(FaultCause.RESOURCE, "It ate.", {"used": 2}), (FaultCause.RESOURCE, "It ate.")),
    ],
)
async def test_who_is_out_is_read_no_more_and_its_last_words_are_kept(
    said: Answer | Flood | Closed | Offence, fault: tuple[FaultCause, str]
) -> None:
    match, clock = Match(script_spec("0:3 1:3", 2)), Clock()
    bot, other = Watched(match, clock), Watched(match, clock)
    bot.says = said
    await play(match, clock, bot, other)
    (found,) = match.result().faults
    assert (found.seat, found.cause, found.ply) == (0, fault[0], 0)
    assert found.explanation.startswith(fault[1])
    assert found.evidence["last_message"] == LAST_WORDS
    assert getattr(said, "evidence", {}).items() <= found.evidence.items()
    assert (bot.is_muted, other.is_muted) == (True, False)


async def play_watched(*meters: Slow, clock: Clock) -> tuple[Match, list[Watched]]:
    """A match whose bots say nothing, until the first of them is out."""
    clock.now = -1e6
    match = Match(script_spec("0:3 1:3", 2, clock=TimeControl(200_000, margin_us=10_000)))
    bots = [Watched(match, clock), Watched(match, clock)]
    await play(match, clock, *bots, meters=meters)
    assert match.result().faults[0].evidence["last_message"] == LAST_WORDS
    return match, bots


async def test_who_did_not_answer_in_time_is_read_no_more() -> None:
    clock = Clock()
    _, bots = await play_watched(Slow(clock, waits=0.0), clock=clock)
    assert [bot.is_muted for bot in bots] == [True, False]


async def test_who_gave_its_share_of_the_processor_away_is_read_no_more() -> None:
    clock = Clock()
    meter = Slow(clock, waits=1.0)
    meter.nice = 1
    match, bots = await play_watched(meter, clock=clock)
    assert match.result().faults[0].cause is FaultCause.RESOURCE
    assert [bot.is_muted for bot in bots] == [True, False]


async def test_who_thinks_in_others_time_is_read_no_more() -> None:
    clock = Clock()
    _, bots = await play_watched(Slow(clock, waits=1.0), Slow(clock, waits=0.0, cpu=0.5), clock=clock)
    assert [bot.is_muted for bot in bots] == [False, True]


class Late(SlowTransport):
    """A bot that sends something else while its match ends."""

    async def send(self, data: bytes) -> None:
        await super().send(data)
        if self._match.is_over and self._inbox is not None:
            self._inbox.put(Arrival(0, self._clock.now, Resignation("m1")))


async def test_who_sends_more_than_it_was_asked_is_not_used_again() -> None:
    match, clock = Match(script_spec("0:3", 1)), Clock()
    bot = Late(match, clock)
    await play(match, clock, bot)
    assert match.result().faults == ()
    assert bot.spoiled == "it sent more than it was asked"


class Told(SlowTransport):
    """A bot that keeps what it is told, and with it what every bot would be told that came back just then."""

    def __init__(self, match: Match, clock: Clock, bots: list["Told"]) -> None:
        super().__init__(match, clock)
        self.told: list[tuple[str, ...]] = []
        self.bots = bots
        self.resume: Resume = nothing_to_resume

    def attach(self, inbox: Inbox, _seat: int, resume: Resume = nothing_to_resume) -> None:
        super().attach(inbox, _seat, resume)
        self.resume = resume
        assert resume() == ()

    async def send(self, data: bytes) -> None:
        self.told.append((kind_of(data), *(" ".join(map(kind_of, bot.resume())) for bot in self.bots)))
        await super().send(data)


def kind_of(message: bytes) -> str:
    return str(play_pb2.PlayResponse.FromString(message).WhichOneof("event"))


async def test_who_comes_back_is_told_the_match_so_far_and_what_it_is_asked() -> None:
    match, clock = Match(script_spec("0:3 1:3", 2)), Clock()
    bots: list[Told] = []
    bots += [Told(match, clock, bots), Told(match, clock, bots)]
    await play(match, clock, *bots)
    start, end = "match_started", "match_finished"
    over = (end, f"{start} {end}", f"{start} {end}")
    assert bots[0].told == [(start, start, ""), ("decide", f"{start} decide", start), over]
    assert bots[1].told == [(start, start, start), ("decide", start, f"{start} decide"), over]


class Leaving(Silent):
    """A bot whose stream breaks when it is asked."""

    asked = 0

    async def send(self, _data: bytes) -> None:
        if self._match.decision is not None:
            self.asked += 1
            assert self.asked == 1
            raise StreamClosedError("Its stream broke off.")


async def test_who_cannot_be_asked_any_more_is_out() -> None:
    match, clock = Match(script_spec("0:3 1:3", 2)), Clock()
    await play(match, clock, Leaving(match, clock), Silent(match, clock))
    (fault,) = match.result().faults
    assert (fault.seat, fault.cause, fault.ply) == (0, FaultCause.DISCONNECTED, 0)
    assert fault.explanation == "Its stream broke off."


class ReadLate(Silent):
    """A bot whose answer was read so much later than it could have been."""

    late_s = 0.0

    async def send(self, _data: bytes) -> None:
        if self._match.decision is not None and self._inbox is not None:
            self._inbox.put(Arrival(0, self._clock.now + 0.02 + self.late_s, Answer("m1", 0, (0,))))


async def test_an_answer_that_was_read_more_than_five_seconds_late_is_judged_by_nobody() -> None:
    for late_s in (4.9, 5.1):
        match, clock = Match(script_spec("0:3", 1)), Clock()
        bot = ReadLate(match, clock)
        bot.late_s = late_s
        if late_s < 5:
            await play(match, clock, bot, meters=[Slow(clock, waits=0.0)])
            assert match.result().faults == ()
        else:
            with pytest.raises(MatchLostError, match=r"stood still for 5\.1 s"):
                await play(match, clock, bot, meters=[Slow(clock, waits=0.0)])
