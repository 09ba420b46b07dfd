"""A real match of an installed game, in which the bot has one seat and the other seats choose at random. No I/O.

Everything a bot is sent comes from the arena's own match and encoder; scenarios change single fields of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from arena.conform.judging import BrokenError, PendingAnswer
from arena.match.decisions import Answer, Decision, Resignation
from arena.match.match import Match
from arena.match.result import FaultCause
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.v1 import play_pb2
from arena.wire.messages import MatchEncoder
from engine.chance import SeededChance
from engine.core import Game
from engine.record import Playing

USUAL_CLOCK = TimeControl(decision_limit_us=100_000)
_BOT_SEED = 20_260_101


@dataclass(frozen=True, slots=True)
class CheckMatchSetup:
    """What a match is made of, apart from the game."""

    seats: int
    seat: int
    """The bot's."""
    clock: TimeControl = USUAL_CLOCK
    opening: tuple[int, ...] = ()
    bot_seed: int = _BOT_SEED
    chance_seed: int = 1
    match_id: str = ""
    """A new UUID if empty."""


class CheckMatch:
    """One match, seen by the arena: `started` comes first, then `begin`."""

    def __init__(self, game: Game, setting: CheckMatchSetup) -> None:
        self.game = game
        self.seat = setting.seat
        seats = tuple(
            SeatSpec("", "bot" if seat == setting.seat else "other", "", (), setting.bot_seed)
            for seat in range(setting.seats)
        )
        self.match = Match(
            MatchSpec(
                match_id=setting.match_id or str(uuid.uuid4()),
                attempt=1,
                game=game.name,
                rules_version=game.rules_version,
                options=game.options_json(game.parse_options({})),
                clock=setting.clock,
                cores=1,
                chance_seed=setting.chance_seed,
                opening=setting.opening,
                seats=seats,
            )
        )
        self._encoder = MatchEncoder(self.match)
        self._random = Random(setting.chance_seed)
        self._asked: Decision | None = None

    @property
    def id(self) -> str:
        """The id of the match."""
        return self.match.spec.match_id

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.match.is_over

    def started(self) -> play_pb2.PlayResponse:
        """Return MatchStarted, with the opening as its events."""
        return play_pb2.PlayResponse.FromString(self._encoder.started(self.seat))

    def begin(self) -> None:
        """Start the match, and let the others play until the bot must decide."""
        self.match.begin()
        self._play_others()

    def decide(self) -> play_pb2.PlayResponse:
        """Return the Decide that is pending; the bot has heard of its events then."""
        assert self.match.decision is not None, "the match is over"
        self._asked = self.match.decision
        return play_pb2.PlayResponse.FromString(self._encoder.decide(self._asked))

    def question(self) -> PendingAnswer:
        """Return what an answer to the pending decision must name."""
        decision = self.match.decision
        assert decision is not None, "the match is over"
        return PendingAnswer(self.id, decision.ply, tuple(decision.legal))

    def take(self, request: play_pb2.PlayRequest) -> None:
        """Apply the bot's answer, whose form was checked, and let the others play on. Raises BrokenError."""
        if request.WhichOneof("message") == "resign":
            self.match.receive(self.seat, Resignation(request.resign.match_id), 0, 0)
        else:
            act = request.act
            self.match.receive(self.seat, Answer(act.match_id, act.ply, tuple(act.actions), act.note), 0, 0)
        for fault in self.match.faults_of(self.seat):
            rule = "act-legal" if fault.cause is FaultCause.ILLEGAL_ACTION else "act-answers"
            raise BrokenError(rule, fault.explanation.rstrip("."))
        self._play_others()

    def end(self) -> None:
        """Let all other seats resign, which ends the match."""
        for seat in range(len(self.match.spec.seats)):
            if seat != self.seat:
                self.match.receive(seat, Resignation(self.id), 0, 0)

    def finished(self, unsent: Decision | None = None) -> play_pb2.PlayResponse:
        """Return MatchFinished; `unsent` is a decision that the bot was not asked, whose events it has not heard of."""
        response = play_pb2.PlayResponse.FromString(self._encoder.finished(self.seat))
        if unsent is not None and unsent is not self._asked:
            missed = play_pb2.PlayResponse.FromString(self._encoder.decide(unsent)).decide.events
            later = list(response.match_finished.events)
            del response.match_finished.events[:]
            response.match_finished.events.extend([*missed, *later])
        return response

    def _play_others(self) -> None:
        while (decision := self.match.decision) is not None and decision.seat != self.seat:
            action = self._random.choice(list(decision.legal))
            self.match.receive(decision.seat, Answer(self.id, decision.ply, (action,)), 0, 0)


def find_opening(
    game: Game, setting: CheckMatchSetup, is_reached: Callable[[Playing], bool], most_plies: int = 400
) -> tuple[int, ...] | None:
    """Return random actions that lead to a position in which the bot decides and `is_reached` holds, or None."""
    chance = SeededChance(setting.chance_seed)
    playing = Playing(game, setting.seats, game.parse_options({}), chance)
    random = Random(setting.chance_seed)
    while (seat := playing.state.seat()) is not None and playing.ply < most_plies:
        legal = playing.state.legal_actions()
        if seat == setting.seat and len(legal) > 1 and is_reached(playing):
            return tuple(event.action for event in playing.events)
        playing.apply(random.choice(list(legal)))
    return None
