"""A match whose clock only the test moves, with bots and meters to play it by."""

from collections.abc import Callable, Sequence

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.referee.play import MatchWatcher, SeatedBot, _MatchReferee
from arena.referee.stream import Arrival, Inbox, Resume, nothing_to_resume


class Clock:
    """Stands for the event loop; only its time is asked."""

    def __init__(self) -> None:
        self.now = 100.0

    def time(self) -> float:
        return self.now

    def call_soon(self, callback: Callable[[], None]) -> None:
        callback()


class SlowTransport:
    """A stream whose bot answers 0.9 s after the Decide was handed over, while the transport takes 2 s for it."""

    is_closed = False
    last_message = b""
    spoiled = ""

    def __init__(self, match: Match, clock: Clock) -> None:
        self._match = match
        self._clock = clock
        self._inbox: Inbox | None = None

    def attach(self, inbox: Inbox, _seat: int, _resume: Resume = nothing_to_resume) -> None:
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


class Silent(SlowTransport):
    """A bot that is told and never answers."""

    async def send(self, _data: bytes) -> None:
        return


class Slow:
    """A meter; every look at it takes 20 ms, and so much of that the bot waited for a processor, computed and slept.

    By default it slept for the rest.
    """

    def __init__(self, clock: Clock, waits: float, cpu: float = 0.0, sleeps: float | None = None) -> None:
        self._clock = clock
        self._waits = waits
        self._cpu = cpu
        self._sleeps = max(1 - waits - cpu, 0.0) if sleeps is None else sleeps
        self._looks = 0
        self.total = 0
        self.nice = 0

    @property
    def asleep_us(self) -> int:
        return round(self._looks * 20_000 * self._sleeps)

    def begin(self) -> None:
        self._looks = 0

    def look(self) -> tuple[int, int] | None:
        self._clock.now += 0.02
        self._looks += 1
        return round(self._looks * 20_000 * self._cpu), round(self._looks * 20_000 * self._waits)

    def has_run(self) -> bool:
        return True

    def lowered_to(self) -> int:
        return self.nice

    def total_us(self) -> int:
        self.total += round(20_000 * self._cpu)
        return self.total


async def play(
    match: Match,
    clock: Clock,
    *streams: SlowTransport,
    meters: Sequence[Slow] = (),
    may_ponder: bool = False,
    watcher: MatchWatcher | None = None,
) -> None:
    """Play a match over these streams, by the clock of the test."""
    meter_of = dict(enumerate(meters))
    seats = [SeatedBot(stream, meter_of.get(seat)) for seat, stream in enumerate(streams)]
    referee = _MatchReferee(match, seats, may_ponder=may_ponder, watcher=watcher)
    referee._loop = clock  # type: ignore[assignment]
    await referee.play()
