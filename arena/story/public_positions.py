"""Positions as all who play see them, which is what a match that goes on may show to anybody. Pure."""

from __future__ import annotations

from dataclasses import replace

from arena.story.errors import StoryError
from engine.abilities import Move
from engine.core import Game, State
from engine.text import Text


class PublicPositions:
    """Shows the positions of one match without what is hidden, as the referee would send them to any seat."""

    __slots__ = ("_game", "_last", "_seats")

    def __init__(self, game: Game, seats: int) -> None:
        self._game = game
        self._seats = seats
        self._last: tuple[State, State] | None = None

    def of(self, state: State) -> State:
        """Return what all seats see of a position. Raises StoryError where they see different things."""
        if not self._game.has_hidden_information:
            return state
        if self._last is None or self._last[0] is not state:
            self._last = state, self._game.observed(self._sent(state)).state
        return self._last[1]

    def of_move(self, move: Move) -> Move:
        """Return a move as all seats see it. Raises StoryError where they see different things."""
        before, after = self.of(move.before), self.of(move.after)
        return replace(move, before=before, after=after)

    def _sent(self, state: State) -> bytes:
        sent = {self._game.encode_observation(state, seat)[1] for seat in range(self._seats)}
        if len(sent) > 1:
            raise StoryError(
                Text(
                    "story.shows_each_seat_something_else",
                    "{game} shows each seat something else; the match is shown when it is over",
                    game=self._game.name,
                )
            )
        return sent.pop()
