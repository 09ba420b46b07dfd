"""What is measured while a match is played, what is done with a bot that is out, and who is frozen."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from arena.match.decisions import Answer, Resignation
from arena.match.match import Match
from arena.match.result import FaultCause, HostCause, MatchLostError
from arena.match.time_control import TimeControl
from arena.referee.play import SeatFreezers
from arena.referee.stream import Arrival, Closed, Flood, Inbox, Offence, Resume, StreamClosedError, nothing_to_resume
from arena.v1 import play_pb2
from tests.referee.still_clock import Clock, Silent, Slow, SlowTransport, play
from tests.support.specs import installed_script_game, script_spec


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


async def test_the_clock_starts_when_the_decide_is_handed_to_the_transport() -> None:
    match, clock = Match(script_spec("0:3", 1)), Clock()
    await play(match, clock, SlowTransport(match, clock))
    assert [entry.elapsed_us for entry in match.entries] == [900_000]


class SlowWatcher:
    """Takes an hour for every look, and remembers what it saw."""

    is_present = True

    def __init__(self, match: Match, clock: Clock) -> None:
        self._match, self._clock = match, clock
        self.seen: list[int] = []

    async def look(self) -> None:
        self.seen.append(len(self._match.entries))
        self._clock.now += 3600


async def test_looking_on_costs_no_bot_any_time_however_long_it_takes() -> None:
    """By the clock's own figures: they are those of the same match that nobody watches."""
    matches = []
    for is_watched in (False, True):
        match, clock = Match(script_spec("0:3 1:2 0:3 1:2", 2, clock=TimeControl(1_000_000))), Clock()
        watcher = SlowWatcher(match, clock)
        watcher.is_present = is_watched
        await play(match, clock, *(SlowTransport(match, clock) for _ in range(2)), watcher=watcher)
        assert watcher.seen == ([0, 1, 2, 3] if is_watched else [])
        assert clock.now > 3600 * len(watcher.seen)
        matches.append(match)
    alone, watched = ([(entry.elapsed_us, entry.charged_us) for entry in match.entries] for match in matches)
    assert watched == alone == [(900_000, 900_000)] * 4
    assert matches[1].result().faults == ()


async def play_silent(
    meter: Slow, clock: Clock, script: str = "0:3 1:3", *others: Slow, may_ponder: bool = False
) -> Match:
    """A match whose first seat is asked and never answers; looks follow each other at once."""
    clock.now = -1e6
    match = Match(script_spec(script, 1 + max(len(others), 1), clock=TimeControl(200_000, margin_us=10_000)))
    streams = [Silent(match, clock) for _ in match.spec.seats]
    await play(match, clock, *streams, meters=[meter, *others], may_ponder=may_ponder)
    return match


async def test_a_bot_is_waited_for_as_long_as_its_charge_is_within_limit_and_margin() -> None:
    clock = Clock()
    match = await play_silent(Slow(clock, waits=0.5), clock)
    (fault,) = match.result().faults
    assert fault.cause is FaultCause.TIMEOUT
    assert 400_000 <= fault.evidence["elapsed_us"] <= 500_000
    assert 210_000 <= fault.evidence["charged_us"] < fault.evidence["elapsed_us"]
    assert "of waiting for this machine not counted" in fault.explanation


@pytest.mark.hostile("compute-beyond-the-limit-on-a-busy-host")
async def test_what_a_bot_computes_ends_its_time_whatever_it_waits() -> None:
    clock = Clock()
    match = await play_silent(Slow(clock, waits=1.0, cpu=0.5), clock)
    (fault,) = match.result().faults
    assert fault.cause is FaultCause.TIMEOUT
    assert fault.evidence["cpu_us"] >= 210_000


@pytest.mark.host_fault("no-processor-for-a-decision")
async def test_a_bot_that_only_waits_is_the_hosts_fault_in_the_end() -> None:
    clock = Clock()
    with pytest.raises(MatchLostError, match="waited 12") as caught:
        await play_silent(Slow(clock, waits=1.0), clock)
    assert caught.value.cause is HostCause.CHARGE_BOUND
    assert (caught.value.evidence["seat"], caught.value.evidence["bot"]) == (0, "bot0")


@pytest.mark.host_fault("no-processor-for-a-decision")
@pytest.mark.parametrize(("cpu", "sleeps", "is_judged"), [(0.0, 0.0, False), (0.3, 0.7, True), (0.3, 0.2, True)])
async def test_time_in_which_a_bot_neither_computed_nor_slept_costs_nobody_the_match(
    cpu: float, sleeps: float, is_judged: bool
) -> None:
    clock = Clock()
    meter = Slow(clock, waits=0.0, cpu=cpu, sleeps=sleeps)
    if is_judged:
        (fault,) = (await play_silent(meter, clock)).result().faults
        assert fault.cause is FaultCause.TIMEOUT
    else:
        with pytest.raises(MatchLostError, match="cannot be judged") as caught:
            await play_silent(meter, clock)
        assert caught.value.cause is HostCause.CHARGE_BOUND


@pytest.mark.hostile("take-the-processor-from-others")
async def test_who_computed_while_a_bot_waited_for_a_processor_is_named() -> None:
    clock = Clock()
    waits, quiet, loud = Slow(clock, waits=1.0), Slow(clock, waits=0.0), Slow(clock, waits=0.0, cpu=20.0)
    with pytest.raises(MatchLostError) as caught:
        await play_silent(waits, clock, "0:3 1:3 2:3", quiet, loud, may_ponder=True)
    told = r"seat 0 waited 12\.\d s for a processor, while seat 2 computed for 0\.4 s, and its time cannot be judged"
    assert re.fullmatch(told, str(caught.value))
    assert caught.value.evidence["computed_meanwhile"] == [
        {"seat": 1, "bot": "bot1", "cpu_us": 0},
        {"seat": 2, "bot": "bot2", "cpu_us": 400_000},
    ]


@pytest.mark.hostile("take-the-processor-from-others")
async def test_who_computed_while_the_referee_stood_still_is_named() -> None:
    clock = Clock()
    loud = Slow(clock, waits=0.0, cpu=20.0)

    class StillLater(Slow):
        def look(self) -> tuple[int, int] | None:
            clock.now += 7 * (self._looks >= 2)
            return super().look()

    with pytest.raises(MatchLostError, match=r"stood still for 7\.0 s, while seat 1 computed for 0\.4 s") as caught:
        await play_silent(StillLater(clock, waits=1.0), clock, "0:3 1:3", loud, may_ponder=True)
    assert caught.value.cause is HostCause.REFEREE_LAG
    assert caught.value.evidence["computed_meanwhile"] == [{"seat": 1, "bot": "bot1", "cpu_us": 400_000}]
    assert caught.value.evidence["bot"] == "bot0"


@pytest.mark.hostile("lower-its-own-weight")
async def test_a_bot_that_gave_its_share_of_the_processor_away_throws_no_match_away() -> None:
    clock = Clock()
    meter = Slow(clock, waits=1.0)
    meter.nice = 19
    match = await play_silent(meter, clock)
    (fault,) = match.result().faults
    assert (fault.seat, fault.cause) == (0, FaultCause.RESOURCE)
    assert fault.evidence["session_nice"] == 19
    assert fault.evidence["queue_wait_us"] >= 210_000


@pytest.mark.host_fault("referee-stands-still")
async def test_a_referee_that_stood_still_has_not_refereed() -> None:
    clock = Clock()

    class Still(Slow):
        def look(self) -> tuple[int, int] | None:
            clock.now += 7
            return super().look()

    with pytest.raises(MatchLostError, match="stood still for 7") as caught:
        await play_silent(Still(clock, waits=1.0), clock)
    assert caught.value.cause is HostCause.REFEREE_LAG


@pytest.mark.hostile("compute-in-others-time")
async def test_thinking_in_others_time_is_a_fault() -> None:
    clock = Clock()
    match = await play_silent(Slow(clock, waits=1.0), clock, "0:3 1:3", Slow(clock, waits=0.0, cpu=0.5))
    (fault,) = match.result().faults
    assert (fault.seat, fault.cause) == (1, FaultCause.RESOURCE)
    assert fault.evidence["share"] == pytest.approx(0.5, rel=0.1)


async def test_thinking_in_others_time_can_be_allowed() -> None:
    clock = Clock()
    with pytest.raises(MatchLostError):
        await play_silent(Slow(clock, waits=1.0), clock, "0:3 1:3", Slow(clock, waits=0.0, cpu=0.5), may_ponder=True)


@pytest.mark.hostile("join-and-act")
async def test_a_bot_that_spoke_before_its_match_has_broken_the_protocol() -> None:
    match, clock = Match(script_spec("0:3 1:3", 2)), Clock()
    early = SlowTransport(match, clock)
    early.spoiled = "it sent a message while no match asked it"
    await play(match, clock, early, SlowTransport(match, clock))
    (fault,) = match.result().faults
    assert (fault.seat, fault.cause, fault.ply) == (0, FaultCause.PROTOCOL, 0)
    assert fault.explanation == "Before its match started, it sent a message while no match asked it."


class Resigning(SlowTransport):
    """A bot that resigns as soon as another one is asked."""

    async def send(self, _data: bytes) -> None:
        if self._inbox is not None:
            self._inbox.put(Arrival(1, self._clock.now, Resignation("m1")))


@pytest.mark.hostile("think-on-after-the-end")
async def test_a_bot_that_still_thinks_when_its_match_ends_is_not_used_again() -> None:
    match, clock = Match(script_spec("0:3 1:3", 2)), Clock()
    thinking = Silent(match, clock)
    await play(match, clock, thinking, Resigning(match, clock))
    assert match.result().ranks == (1, 2)
    assert thinking.spoiled == "the match ended while it was asked"


class Hasty(SlowTransport):
    """A bot that answers before it is asked."""

    async def send(self, _data: bytes) -> None:
        if self._match.decision is None and not self._match.is_over and self._inbox is not None:
            answer = Answer(self._match.spec.match_id, 0, (0,), "")
            self._inbox.put(Arrival(0, self._clock.now - 0.1, answer))


@pytest.mark.hostile("unasked-act")
async def test_an_answer_that_came_before_its_decide_is_a_breach() -> None:
    match, clock = Match(script_spec("0:3", 1)), Clock()
    await play(match, clock, Hasty(match, clock))
    assert [fault.cause for fault in match.result().faults] == [FaultCause.PROTOCOL]


class Gone(SlowTransport):
    """A bot that cannot be reached any more."""

    is_closed = True

    async def send(self, _data: bytes) -> None:
        raise StreamClosedError("Its stream ended.")


async def test_bots_that_cannot_be_told_of_the_start_forfeit_together() -> None:
    match, clock = Match(script_spec("0:3 1:3 2:3", 3)), Clock()
    streams = [Gone(match, clock), Gone(match, clock), SlowTransport(match, clock)]
    await play(match, clock, *streams)
    assert match.result().ranks == (2, 2, 1)


LAST_WORDS = bytes(range(64)).hex()
"""As many bytes as are kept of a last message."""


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

    def __init__(self, match: Match, clock: Clock, bots: list[Told]) -> None:
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


class FreezableBot:
    """Notes what it is told."""

    def __init__(self, *, is_restless: bool = False) -> None:
        self.is_restless = is_restless
        self.is_frozen = False
        self.told: list[str] = []

    async def thaw(self) -> None:
        self.told.append("thaw")
        self.is_frozen = False

    def begin(self, now: float) -> None:
        self.told.append(f"begin {now:g}")

    def end(self, now: float) -> None:
        self.told.append(f"end {now:g}")

    async def freeze(self) -> None:
        self.told.append("freeze")
        self.is_frozen = True


async def go_round(freezers: SeatFreezers) -> None:
    freezers.open(1.0)
    for seat in (0, 1, 2):
        await freezers.thaw(seat)
        freezers.begin(seat, 2.0)
        await freezers.end(seat, 3.0)
    freezers.close(4.0)


@pytest.mark.hostile("compute-after-its-answer")
async def test_one_that_goes_on_computing_is_frozen_as_soon_as_it_has_answered() -> None:
    calm, restless = FreezableBot(), FreezableBot(is_restless=True)
    freezers = SeatFreezers([calm, restless, None])
    await go_round(freezers)
    assert calm.told == ["begin 2", "end 3", "end 4"]
    assert restless.told == ["begin 2", "end 3", "freeze", "end 4"]
    await freezers.thaw(1)
    assert restless.told[-1] == "thaw"


@pytest.mark.parametrize("is_restless", [True, False])
async def test_who_may_ponder_is_asked_until_the_match_is_over(is_restless: bool) -> None:
    bot = FreezableBot(is_restless=is_restless)
    await go_round(SeatFreezers([bot, None, None], may_ponder=True))
    assert bot.told == ["begin 1", "end 4"]
