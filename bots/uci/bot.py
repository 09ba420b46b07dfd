"""The bot itself: follows a match of chess as UCI moves and asks the engine when it is its turn."""

from __future__ import annotations

from collections.abc import Iterable

from arena.v1 import match_pb2
from bots.kit import Bot, Decision, Match
from bots.uci.engine import Engine
from bots.uci.limits import go_by_clock
from bots.uci.moves import Pawns


class UciBot(Bot):
    """Plays what the engine chooses; `go` is what it is told each time, empty for the clock of the match."""

    games = ("openspiel_chess",)
    uses_engine = False

    def __init__(self, engine: Engine, go: str = "") -> None:
        self._engine = engine
        self._go = go
        self._is_new = True
        self._plies = 0
        self._position = ""
        self._pawns = Pawns()

    def prepare(self) -> None:
        self._engine.start()

    def match_started(self, match: Match) -> None:
        self._is_new = True
        self._plies, self._position, self._pawns = 0, "position startpos", Pawns()
        self._follow(match.events)

    def decide(self, decision: Decision) -> int:
        self._follow(decision.events)
        if self._is_new:  # what an engine does between matches it does asleep
            self._engine.new_game(decision.match.cores)
            self._is_new = False
        go = self._go or go_by_clock(decision)
        move = self._engine.best_move(self._position, go)
        action = self._pawns.action(move, self._plies % 2, decision.legal_actions)
        if action is None:
            raise self._engine.illegal(move)
        return action

    def _follow(self, events: Iterable[match_pb2.Event]) -> None:
        for event in events:
            move = self._pawns.written(event.action, self._plies % 2)
            self._pawns.play(move)
            self._position += f" {move}" if self._plies else f" moves {move}"
            self._plies += 1
