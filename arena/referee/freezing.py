"""Freezing bots between their decisions: what the referee tells of decisions to whoever freezes and thaws the bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class SeatFreezer(Protocol):
    """Freezes one bot that computes while it is not asked."""

    @property
    def is_frozen(self) -> bool:
        """Whether it must be thawed before it can read anything."""

    @property
    def is_restless(self) -> bool:
        """Whether it is frozen after each of its answers, because it went on computing after earlier ones."""

    async def thaw(self) -> None:
        """Thaw it if it is frozen, and return when it can go on. Raises HostingError."""

    def begin(self, now: float) -> None:
        """Note that it is asked, by the event loop's clock; its meter has begun a decision. Cheap."""

    def end(self, now: float) -> None:
        """Note that it is asked no more. Cheap."""

    async def freeze(self) -> None:
        """Freeze it unless it is asked. Raises HostingError."""


class SeatFreezers:
    """The freezers of all seats of one match; a seat without one computes when it wants to."""

    __slots__ = ("_freezers", "_may_ponder")

    def __init__(self, freezers: Sequence[SeatFreezer | None], *, may_ponder: bool = False) -> None:
        """With `may_ponder` the bots may compute during the whole match, which begins now."""
        self._freezers = freezers
        self._may_ponder = may_ponder

    def open(self, now: float) -> None:
        """Note that the match begins."""
        if self._may_ponder:
            for freezer in self._freezers:
                if freezer is not None:
                    freezer.begin(now)

    def close(self, now: float) -> None:
        """Note that the match is over: nobody is asked any more."""
        for freezer in self._freezers:
            if freezer is not None:
                freezer.end(now)

    async def thaw(self, seat: int) -> None:
        """Thaw a seat's bot before something is sent to it. Raises HostingError."""
        freezer = self._freezers[seat]
        if freezer is not None and freezer.is_frozen:
            await freezer.thaw()

    def begin(self, seat: int, now: float) -> None:
        """Note that a seat is asked."""
        freezer = self._freezers[seat]
        if freezer is not None and not self._may_ponder:
            freezer.begin(now)

    async def end(self, seat: int, now: float) -> None:
        """Note that a seat has answered; a restless bot is frozen before another is asked. Raises HostingError."""
        freezer = self._freezers[seat]
        if freezer is not None and not self._may_ponder:
            freezer.end(now)
            if freezer.is_restless:
                await freezer.freeze()
