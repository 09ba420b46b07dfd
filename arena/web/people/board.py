"""The position that a seat sees: as the last question showed it, and from there as far as it follows from the moves."""

from __future__ import annotations

import json
from collections.abc import Iterable

from arena.v1 import match_pb2, play_pb2
from engine import registry
from engine.abilities import Move
from engine.core import EngineError, Reveal, State


class Board:
    """One match as one seat can see it. In a game with chance nothing follows from moves: it waits for questions."""

    def __init__(self, started: play_pb2.MatchStarted) -> None:
        self.game = registry.get(started.game)
        self.seat = started.seat
        self.seats = started.seats
        self.options = json.loads(started.options_json or "{}")
        self.moves: list[match_pb2.Event] = []
        self.told: list[Move | None] = []
        """The same moves with the positions before and behind them; None where they are not known."""
        self._follows = not (self.game.has_chance or self.game.has_hidden_information)
        options = self.game.parse_options(self.options)
        self.state: State | None = self.game.new_state(started.seats, options) if self._follows else None
        self._ply = 0
        self.hear(started.events)

    def hear(self, events: Iterable[match_pb2.Event]) -> None:
        """Take what was played; what is known already may be told again."""
        for event in events:
            if event.ply < len(self.moves):
                continue
            self.moves.append(event)
            self.told.append(self._follow(event) if self._follows else None)

    def see(self, decide: play_pb2.Decide) -> None:
        """Take the position as a question shows it."""
        self.hear(decide.events)
        if self.state is None or not self._follows:
            self.state = self.game.observed(decide.observation.value).state
        self._ply = decide.ply

    @property
    def last(self) -> Move | None:
        """Return the move that led to the position, if it is known how."""
        return self.told[-1] if self.told else None

    def _follow(self, event: match_pb2.Event) -> Move | None:
        if self.state is None:
            return None
        before = self.state.clone()
        try:
            self.state.apply(event.action)
        except EngineError:  # the service plays by other rules: what it shows counts, and nothing follows any more
            self._follows, self.state = False, None
            return None
        reveals = tuple(Reveal(reveal.kind, tuple(reveal.values)) for reveal in event.reveals)
        notation = self.game.actions.format(event.action)
        return Move(before, event.action, notation, event.seat, self.state.clone(), reveals)
