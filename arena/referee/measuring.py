"""Measures decisions: their time, the processor time of who thinks in others' time, and who computed meanwhile.

A `Stopwatch` measures one decision: its wall time and, once it has lasted 20 ms, the figures that determine its charge.
Faster decisions, which are most, cost one cheap reading at their start. It only measures; `play` judges. A
`PonderWatch` detects bots that think in others' time, by the CPU they use while another seat decides for over 20 ms.
Who computed while a bot, or the referee itself, got no processor is named in a match that cannot be judged. Meters are
interfaces; whoever starts the bots implements them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.match.decisions import Decision
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import SeatSpec
from arena.match.time_control import Figures
from engine.translatable import Text

LOOK_EVERY_S = 0.02
SLOW_SEND_S = 0.001
UNREAD_US = 200
"""A bot that computed less until the first look has not read its question: a helper thread may have ticked."""
HANDLING_US = 3000
"""An event loop that was idle for less since the last look may not have read an answer that lay there."""
PONDER_WINDOW_S = 5.0
MOST_PONDER_SHARE = 0.2
"""How much of one core a waiting bot may use."""
LOUD_US = 200_000
"""Whoever computed more while another got no processor is named."""
UNEXPLAINED_US = 20_000
"""Where more of a charge is neither computing nor sleep of the bot, the time cannot be judged."""
MOST_SLEEP_SHARE = 1 / 3
"""Who slept for more of its time before bytes of its came did not answer with these."""
MOST_LAG_US = 5_000_000
"""If the referee was later than this, the match cannot be judged."""


class Meter(Protocol):
    """Measures the process tree of one bot, from the start of a decision."""

    @property
    def asleep_us(self) -> int:
        """How long it certainly neither ran nor waited since `begin`, up to the last look, by its own choice."""

    def begin(self) -> None:
        """Start a decision; cheap if the last one was short."""

    def look(self) -> tuple[int, int] | None:
        """Return CPU and waiting for a processor since `begin`, in microseconds, or None if nobody can know them.

        If this host does not let them be read, it raises what makes the match the host's loss: that costs no bot.
        The more frequent the looks, the more exact is the waiting.
        """

    def has_run(self) -> bool:
        """Return whether the bot has computed since `begin`; cheap."""

    def lowered_to(self) -> int:
        """Return the nice value to which the bot lowered its own weight beside others; 0 if it has not."""

    def total_us(self) -> int:
        """Return the CPU since some fixed moment, in microseconds; cheap."""


class LagMeter(Protocol):
    """Measures how long the referee itself waits for a processor, or works for other bots."""

    idle_us: int
    """How long the event loop neither ran nor waited for a processor between the last two looks."""
    waited_us: int
    """How long all its threads waited or worked for others between the last two looks, added up."""
    is_clear: bool
    """Whether at the last look no bytes lay at the watched socket, and no other thread was about to handle some."""

    def begin(self) -> None:
        """Start a decision; cheap."""

    def look(self) -> tuple[int, int]:
        """Return microseconds of waits and such work that ended since the last look, and of a wait that lasts."""

    def watch(self, descriptor: int) -> None:
        """Note from the first call on when bytes come to this socket, until `begin`."""

    def first_came_s(self, since_s: float, until_s: float) -> float | None:
        """Return when bytes came first to that socket between two instants of the loop.

        None if none came or that is unknown.
        """


def find_no_connection() -> None:
    """Return the descriptor of no socket."""


class _Lateness:
    """How long an answer lay unread, or may have lain there. Each look tells more.

    `us` takes it that an answer which came before the loop was last idle has been read. But another thread of the
    referee may hold it. `most_us` is counted from the first bytes that came since all was read, as far as the referee's
    threads waited meanwhile. It may be too much: the transport of a bot sends bytes of its own.
    """

    __slots__ = (
        "_asked_at",
        "_clear_at",
        "_idle_at",
        "_lag_meter",
        "_lasting_us",
        "_waited_us",
        "_was_clear",
        "most_us",
        "us",
    )

    def __init__(self, lag_meter: LagMeter | None, at: float) -> None:
        self._lag_meter = lag_meter
        self._asked_at = self._idle_at = at
        self._clear_at: float | None = None
        self._was_clear = False
        self._lasting_us = self._waited_us = 0
        self.us = self.most_us = 0

    def count(self, before: float, at: float, due_at: float, *, is_over: bool, is_answered: bool) -> None:
        """Count from the look before to that at `at`, which was due at `due_at`.

        `is_over` tells that the bot's time is over, `is_answered` that the answer is there and this is no look.
        """
        window_us, late_us = _microseconds(max(at - before, 0)), max(_microseconds(at - due_at), 0)
        if self._lag_meter is None:
            self.us = self.most_us = min(late_us, window_us)
            return
        over_us, lasting_us = self._lag_meter.look()
        if self._was_clear and not is_answered:  # the loop has gone on, so what came before that look was no answer
            self._clear_at, self._waited_us = before, 0
        self._was_clear = self._lag_meter.is_clear
        self._waited_us += min(self._lag_meter.waited_us, window_us)
        if self._lag_meter.idle_us < HANDLING_US:
            self.us += window_us  # an answer may have lain there all the time
        else:  # the referee has read what was there, so an answer came since the last look
            self.us, self._idle_at = min(max(late_us, over_us, lasting_us), window_us + self._lasting_us), before
        self._lasting_us = lasting_us
        # Now it matters when the answer came. What comes behind it are answers of the transport to its reading.
        if is_over and (came_at := self._lag_meter.first_came_s(self._idle_at, at)) is not None:
            self.us = min(self.us, _microseconds(at - came_at))
        came_at = self._asked_at  # or later, but from then on, not all was read at any look
        if self._clear_at is not None:
            came_at = self._lag_meter.first_came_s(self._clear_at, at) or at
        self.most_us = max(self.us, min(_microseconds(at - came_at), self._waited_us))


class Stopwatch:
    """Measures one decision. It starts when it is created, just before the `Decide` is handed to the transport."""

    __slots__ = (
        "_asleep_us",
        "_connection",
        "_deadline",
        "_handed_at",
        "_is_unread",
        "_lag_meter",
        "_late",
        "_looked_at",
        "_looks",
        "_loop",
        "_meter",
        "_patience_s",
        "_undelivered_us",
        "_unread_us",
        "asked_at",
        "next_at",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        patience_s: float,
        meter: Meter | None,
        lag_meter: LagMeter | None = None,
        connection: Callable[[], int | None] = find_no_connection,
    ) -> None:
        """Start the measurement. After `patience_s` a look is due even if there is no meter.

        `connection` returns the descriptor of the socket through which the answer comes, if there is one.
        """
        self._loop = loop
        self._connection = connection
        self._meter = meter
        self._lag_meter = lag_meter
        self._looks = 0  # what else the looks tell is there from the first of them on: most decisions have none
        if meter is not None:
            meter.begin()
        if lag_meter is not None:
            lag_meter.begin()
        self.asked_at = self._handed_at = loop.time()
        self._patience_s = patience_s
        self._deadline = self.next_at = self.asked_at + patience_s  # `next_at` is when the next look is due
        if meter is not None and patience_s > LOOK_EVERY_S:
            self.next_at = self.asked_at + LOOK_EVERY_S

    def mark_handed(self) -> None:
        """Note that the transport has the message: the time up to now is the referee's, unless the bot has read it."""
        now = self._loop.time()
        if now - self.asked_at > SLOW_SEND_S and self._meter is not None and not self._meter.has_run():
            self._handed_at = self._looked_at = now

    def look(self) -> Figures:
        """Return the figures up to now; call it when a look is due."""
        now = self._loop.time()
        if self._lag_meter is not None and (descriptor := self._connection()) is not None:
            self._lag_meter.watch(descriptor)
        figures = self._read(now)
        self.next_at = now + LOOK_EVERY_S
        if now < self._deadline:
            self.next_at = min(self.next_at, self._deadline) if self._meter is not None else self._deadline
        return figures

    def elapsed_us(self) -> int:
        """Return the wall time since the start."""
        return _microseconds(self._loop.time() - self.asked_at)

    def slept_us(self) -> int:
        """Return how long the bot slept between its question and its answer, up to the last look, in microseconds.

        Bytes that came count as its answer if it slept for less than `MOST_SLEEP_SHARE` of its time before them.
        """
        if not self._looks:
            return 0
        least_us = self._slept_before(self._late.most_us)
        is_short = least_us <= _microseconds(self._patience_s) * MOST_SLEEP_SHARE
        return least_us if is_short else self._slept_before(self._late.us)

    def _slept_before(self, late_us: int) -> int:
        """Return how long the bot slept before its answer came, if that lay there for `late_us`."""
        before_us = max(_microseconds(self._handed_at - self.asked_at) + self._unread_us, self._undelivered_us)
        return max(self._asleep_us - before_us - late_us, 0)

    def stop(self, at: float) -> Figures:
        """Return the figures of a decision that was answered at `at`."""
        if at - self.asked_at < LOOK_EVERY_S and at <= self._deadline:
            return Figures(_microseconds(at - self.asked_at))
        return self._read(at, is_answered=True)

    def _read(self, at: float, *, is_answered: bool = False) -> Figures:
        wall_us = _microseconds(max(at - self.asked_at, 0))
        reading = self._meter.look() if self._meter is not None else None
        if self._meter is None or reading is None:
            return Figures(wall_us, is_readable=False)
        if not self._looks:
            self._unread_us = self._undelivered_us = self._asleep_us = 0
            self._is_unread, self._looked_at = True, self._handed_at
            self._late = _Lateness(self._lag_meter, self.asked_at)
        asleep_us = self._meter.asleep_us - _microseconds(max(self._loop.time() - at, 0))  # up to `at`, at least
        self._looks += 1
        is_over = at > self._deadline
        self._late.count(self._looked_at, at, self.next_at, is_over=is_over, is_answered=is_answered)
        self._looked_at = at
        # The transport may send a question only when the loop waits, so a bot cannot have read it before that.
        if self._looks == 1 and reading[0] < UNREAD_US:
            self._unread_us, self._late.us, self._late.most_us = self._late.us, 0, 0
        if self._is_unread and self._lag_meter is not None:  # it may have slept because its question had not come
            self._undelivered_us += max(min(asleep_us - self._asleep_us, self._lag_meter.waited_us), 0)
        self._is_unread, self._asleep_us = self._is_unread and reading[0] < UNREAD_US, asleep_us
        if self._slept_before(self._late.most_us) <= UNEXPLAINED_US:  # it worked until its answer came, and slept then
            self._late.us = self._late.most_us
        lag_us = _microseconds(self._handed_at - self.asked_at) + self._unread_us + self._late.us
        return Figures(wall_us, *reading, min(lag_us, wall_us), self._looks)


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


@dataclass(slots=True)
class _Waiting:
    since: float | None = None  # the last look, by the event loop's clock; `None` before the first look at a decision
    cpu_us: int = 0
    wall_s: float = 0.0
    burnt_us: int = 0


@dataclass(frozen=True, slots=True)
class Pondering:
    """A seat that thought in others' time."""

    seat: int
    share: float
    """How much of one core it used."""
    wall_s: float

    def explain(self) -> str:
        """Return the explanation of its fault, one sentence."""
        return Text(
            "It used {share} of a core during {seconds} s in which others decided; thinking in others' time "
            "is not allowed, and up to {most} is overlooked.",
            share=f"{self.share:.0%}",
            seconds=f"{self.wall_s:.1f}",
            most=f"{MOST_PONDER_SHARE:.0%}",
        )


class PonderWatch:
    """Judges the waiting seats of one match by the CPU they use."""

    __slots__ = ("_meters", "_seats")

    def __init__(self, meters: Sequence[Meter | None]) -> None:
        self._meters = meters
        self._seats = [_Waiting() for _ in meters]

    def begin(self) -> None:
        """Start another decision; what happens before the first look is not counted."""
        for waiting in self._seats:
            waiting.since = None

    def look(self, now: float, waiting: Iterable[int]) -> Pondering | None:
        """Count up to `now` for the waiting seats, and return one that used too much over 5 s, or None."""
        found = None
        for seat in waiting:
            meter = self._meters[seat]
            if meter is not None:
                found = self._count(seat, now, meter.total_us()) or found
        return found

    def _count(self, seat: int, now: float, cpu_us: int) -> Pondering | None:
        me = self._seats[seat]
        if me.since is not None:
            me.wall_s += now - me.since
            me.burnt_us += max(cpu_us - me.cpu_us, 0)
        me.since, me.cpu_us = now, cpu_us
        if me.wall_s < PONDER_WINDOW_S:
            return None
        found = Pondering(seat, me.burnt_us / me.wall_s / 1_000_000, me.wall_s)
        me.wall_s, me.burnt_us = 0.0, 0
        return found if found.share > MOST_PONDER_SHARE else None


class Neighbours:
    """What the seats of one match compute while another decides; read only in decisions that last."""

    __slots__ = ("_at_first", "_meters")

    def __init__(self, meters: Sequence[Meter | None]) -> None:
        self._meters = meters
        self._at_first: dict[int, int] = {}

    def begin(self) -> None:
        """Start another decision; what happens before its first look is not counted."""
        self._at_first = {}

    def look(self, asked: int) -> None:
        """Note at the first look where the others stand. Cheap at all later ones."""
        if not self._at_first:
            self._at_first = self._read(asked)

    def computed_us(self, asked: int) -> dict[int, int]:
        """Return by seat what the others used of the processor since the first look."""
        return {seat: max(us - self._at_first.get(seat, us), 0) for seat, us in self._read(asked).items()}

    def _read(self, asked: int) -> dict[int, int]:
        return {seat: meter.total_us() for seat, meter in enumerate(self._meters) if meter and seat != asked}


def loudest(computed_us: Mapping[int, int]) -> tuple[int, float] | None:
    """Return the seat that used most and for how many seconds, or `None` if nobody was loud."""
    seat, used_us = max(computed_us.items(), key=lambda used: used[1], default=(0, 0))
    return (seat, used_us / 1_000_000) if used_us > LOUD_US else None


def evidence_of(
    names: Mapping[int, str], seat: int, figures: Figures, computed_us: Mapping[int, int]
) -> dict[str, Any]:
    """Return what shows that a seat waited, and what each other seat used meanwhile; `names` are the bots' by seat."""
    others = [{"seat": other, "bot": names[other], "cpu_us": used_us} for other, used_us in computed_us.items()]
    return {"seat": seat, "bot": names[seat], **figures.to_json(), "computed_meanwhile": others}


def starved(
    seats: Sequence[SeatSpec], decision: Decision, figures: Figures, computed_us: Mapping[int, int]
) -> MatchLostError:
    """Return the fault of the host that a decision lasted longer than any charge can explain."""
    seat, waited_s, loud = decision.seat, figures.wall_us / 1_000_000, loudest(computed_us)
    why = Text(
        "seat {seat} waited {seconds} s for a processor, and its time cannot be judged",
        seat=seat,
        seconds=f"{waited_s:.1f}",
    )
    if loud is not None:
        other, loud_s = loud
        why = Text(
            "seat {seat} waited {seconds} s for a processor, while seat {other} computed for {computed} s, "
            "and its time cannot be judged",
            seat=seat,
            seconds=f"{waited_s:.1f}",
            other=other,
            computed=f"{loud_s:.1f}",
        )
    return MatchLostError(why, HostCause.CHARGE_BOUND, evidence_of(_names(seats), seat, figures, computed_us))


def stood_still(
    seats: Sequence[SeatSpec], decision: Decision, figures: Figures, computed_us: Mapping[int, int]
) -> MatchLostError:
    """Return the fault of the host that the referee itself got no processor."""
    lag_s, loud = figures.referee_lag_us / 1_000_000, loudest(computed_us)
    why = Text("the referee stood still for {seconds} s", seconds=f"{lag_s:.1f}")
    if loud is not None:
        other, loud_s = loud
        why = Text(
            "the referee stood still for {seconds} s, while seat {other} computed for {computed} s",
            seconds=f"{lag_s:.1f}",
            other=other,
            computed=f"{loud_s:.1f}",
        )
    return MatchLostError(why, HostCause.REFEREE_LAG, evidence_of(_names(seats), decision.seat, figures, computed_us))


def _names(seats: Sequence[SeatSpec]) -> dict[int, str]:
    return {seat: one.name for seat, one in enumerate(seats)}
