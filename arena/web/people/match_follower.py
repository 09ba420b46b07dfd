"""The match of a table as it is played, with every position: what happens between two questions of a seat. No I/O.

The positions are whole, hidden parts included: `arena.web.people.seat_board.SeatBoard` makes of each what its seat may
see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.model.live import MatchEvent
from arena.story.errors import StoryError
from arena.story.positions import PositionTracker
from engine.abilities import Move
from engine.core import State

KEPT = 100
"""Of so many of the last moves the positions are kept."""


class MatchFollower:
    """What a watch has told of a match so far."""

    def __init__(self) -> None:
        self.is_alive = True
        """Whether it may be waited for; False once it broke off, or the match cannot be followed here."""
        self.attempt = 0
        self.start: State | None = None
        """The position before the first ply."""
        self.ended = False
        """Whether the match came to its own end."""
        self.is_over = False
        """Whether nothing more happens in it."""
        self.explanations: Mapping[str, str] = {}
        """What explains the faults at its end, by its English words; the seats are told these alone."""
        self._tracker: PositionTracker | None = None
        self._moves: list[Move | None] = []

    @property
    def moves(self) -> Sequence[Move | None]:
        """Return every move; of those long ago None."""
        return self._moves

    @property
    def decider(self) -> int | None:
        """Return the seat that decides next; None at the end, or if nothing is known."""
        return None if self._tracker is None else self._tracker.state.seat()

    def take(self, event: MatchEvent) -> None:
        """Take the next event; a start begins anew."""
        try:
            self._take(event)
        except StoryError:
            self.is_alive = False

    def lose(self) -> None:
        """Note that nothing more is heard for now."""
        self.is_alive = self.is_over

    def _take(self, event: MatchEvent) -> None:
        if event.start is not None:
            self._tracker = PositionTracker(event.start)
            self._moves, self.start = [], self._tracker.state
            self.attempt, self.is_alive = event.start.attempt, True
            self.ended = self.is_over = False
            self.explanations = {}
        elif event.move is not None and self._tracker is not None:
            self._moves.append(self._tracker.apply(event.move))
            if len(self._moves) > KEPT:
                self._moves[-KEPT - 1] = None
        elif event.end is not None:
            self.ended, self.is_over = event.end.by_rules, True
            self.explanations = {fault.explanation: fault.explanation for fault in event.end.faults}
