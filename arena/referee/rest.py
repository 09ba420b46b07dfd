"""The rest of bots between their decisions: what the referee tells of it, whoever sees to it that they rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Rest(Protocol):
    """Sees to it that one bot computes only while it is asked."""

    @property
    def is_asleep(self) -> bool:
        """Whether it must be roused before it can hear anything."""

    @property
    def is_restless(self) -> bool:
        """Whether it is put to sleep after each of its answers, because it went on computing after earlier ones."""

    async def rouse(self) -> None:
        """Wake it if it sleeps, and return when it can go on. Raises HostingError."""

    def begin(self, now: float) -> None:
        """Note that it is asked, by the event loop's clock; its meter has begun a decision. Cheap."""

    def end(self, now: float) -> None:
        """Note that it is asked no more. Cheap."""

    async def lie_down(self) -> None:
        """Put it to sleep unless it is asked. Raises HostingError."""


class Rests:
    """The rest of all seats of one match; a seat without one computes when it wants to."""

    __slots__ = ("_may_ponder", "_rests")

    def __init__(self, rests: Sequence[Rest | None], *, may_ponder: bool = False) -> None:
        """With `may_ponder` the bots may compute during the whole match, which begins now."""
        self._rests = rests
        self._may_ponder = may_ponder

    def open(self, now: float) -> None:
        """Note that the match begins."""
        if self._may_ponder:
            for rest in self._rests:
                if rest is not None:
                    rest.begin(now)

    def close(self, now: float) -> None:
        """Note that the match is over: nobody is asked any more."""
        for rest in self._rests:
            if rest is not None:
                rest.end(now)

    async def rouse(self, seat: int) -> None:
        """Wake a seat before something is sent to it. Raises HostingError."""
        rest = self._rests[seat]
        if rest is not None and rest.is_asleep:
            await rest.rouse()

    def begin(self, seat: int, now: float) -> None:
        """Note that a seat is asked."""
        rest = self._rests[seat]
        if rest is not None and not self._may_ponder:
            rest.begin(now)

    async def end(self, seat: int, now: float) -> None:
        """Note that a seat has answered; a restless one sleeps before another is asked. Raises HostingError."""
        rest = self._rests[seat]
        if rest is not None and not self._may_ponder:
            rest.end(now)
            if rest.is_restless:
                await rest.lie_down()
