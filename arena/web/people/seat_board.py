"""The match as one seat can see it: what it was told, the position of its last question, and those of others' moves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from arena.v1 import match_pb2, play_pb2
from engine import registry
from engine.abilities import Move
from engine.core import State


class SeatBoard:
    """One match of one seat. Positions of a watch, which hold what is hidden, are shown through `seen` alone."""

    def __init__(self, started: play_pb2.MatchStarted) -> None:
        self.game = registry.get(started.game)
        self.seat = started.seat
        self.seats = started.seats
        self.options = json.loads(started.options_json or "{}")
        self.moves: list[match_pb2.Event] = []
        """All plies that this seat was told of."""
        self.asked: State | None = None
        """The position of the last question."""
        self.asked_ply = -1
        """How many plies had been played when it was asked."""
        self._seen: dict[int, tuple[State, State]] = {}
        self.add_events(started.events)

    def add_events(self, events: Iterable[match_pb2.Event]) -> None:
        """Take what was played; what is known already may be told again."""
        self.moves += [event for event in events if event.ply >= len(self.moves)]

    def set_question(self, decide: play_pb2.Decide) -> None:
        """Take the position as a question shows it."""
        self.add_events(decide.events)
        self.asked = self.game.observed(decide.observation.value).state
        self.asked_ply = decide.ply

    def seen(self, state: State) -> State:
        """Return a position as this seat sees it: what the referee would send it, and nothing else."""
        if not self.game.has_hidden_information:
            return state
        found = self._seen.get(id(state))
        if found is None or found[0] is not state:
            shown = self.game.observed(self.game.encode_observation(state, self.seat)[1]).state
            found = self._seen[id(state)] = (state, shown)
            while len(self._seen) > _MOST_SEEN:
                self._seen.pop(next(iter(self._seen)), None)
        return found[1]

    def seen_move(self, move: Move) -> Move:
        """Return a move as this seat sees it."""
        return replace(move, before=self.seen(move.before), after=self.seen(move.after))


_MOST_SEEN = 16
"""Positions are looked at one after another, so that only the last ones are needed again."""
