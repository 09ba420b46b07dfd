"""Seats bots of this process: a match without any other process, for those who learn from many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.adapters.playing import End, LearnerTurn, Start
from arena.adapters.setting import GameSetting
from arena.adapters.thinking import ThinkingBot
from arena.match.decisions import Answer, Decision
from arena.match.match import Match
from arena.match.result import Fault
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.wire.messages import Leave, MatchEncoder, parse_request
from bots.session import Bot
from engine.chance import SeededChance
from engine.record import Playing

MATCH_ID = "research"
"""What bots are told as the id of every match."""
LEARNER = "learner"
"""What the seat of who learns is called."""


def match_spec(setting: GameSetting, start: Start, names: Sequence[str], clock: TimeControl) -> MatchSpec:
    """Return what is played; every seat is of one who runs elsewhere, and has its name."""
    game = setting.game
    return MatchSpec(
        match_id=MATCH_ID,
        attempt=1,
        game=game.name,
        rules_version=game.rules_version,
        options=game.options_json(setting.options),
        clock=clock,
        cores=1,
        chance_seed=start.chance_seed,
        opening=start.opening,
        seats=tuple(
            SeatSpec(version="", name=name, directory="", command=(), seed=seed, is_remote=True)
            for name, seed in zip(names, start.seeds, strict=True)
        ),
        is_rated=False,
    )


def other_seats(setting: GameSetting, learner: int) -> list[int]:
    """Return the seats of the opponents, in their order."""
    return [seat for seat in range(setting.seats) if seat != learner]


class InProcessDriver:
    """A `Seating` whose bots are all in this process. There is no clock but the patience with each answer."""

    def __init__(self, setting: GameSetting, bots: Sequence[Bot], patience_s: float) -> None:
        self._setting = setting
        self._bots = [ThinkingBot(bot, setting.game, patience_s) for bot in bots]
        self._seats: Mapping[int, ThinkingBot] = {}
        self._match: Match | None = None
        self._encoder: MatchEncoder
        self._learner = 0

    def begin(self, start: Start) -> LearnerTurn | End:
        self.stop()
        self._learner = start.learner
        self._seats = dict(zip(other_seats(self._setting, start.learner), self._bots, strict=True))
        setting, names = self._setting, [LEARNER] * self._setting.seats
        playing = Playing(setting.game, setting.seats, setting.options, SeededChance(start.chance_seed))
        match = Match(match_spec(setting, start, names, TimeControl()), playing)
        self._encoder = MatchEncoder(match)
        for seat, bot in self._seats.items():
            bot.prepare(seat)
            bot.send(seat, self._encoder.started(seat))
        match.begin()
        self._match = match
        return self._go_on(match)

    def act(self, action: int) -> LearnerTurn | End:
        match = self._match
        assert match is not None, "a match is under way"
        assert match.decision is not None, "the learner was asked"
        match.receive(self._learner, Answer(MATCH_ID, match.decision.ply, (action,)), 0, 0)
        return self._go_on(match)

    def stop(self) -> None:
        """Forget the match: what a bot knows of it, it forgets when the next one begins."""
        self._match = None

    def close(self) -> None:
        self.stop()
        for bot in self._bots:
            bot.close()

    def _go_on(self, match: Match) -> LearnerTurn | End:
        while (decision := match.decision) is not None:
            if decision.seat == self._learner:
                return LearnerTurn(decision.ply, decision.legal, match.playing.state, self._faults(match))
            self._ask(match, decision)
        self._match = None
        for seat, bot in self._seats.items():
            bot.send(seat, self._encoder.finished(seat))
        return End(match.result().ranks, match.result().faults)

    def _ask(self, match: Match, decision: Decision) -> None:
        """Put a decision to its bot and have the match judge the answer: what is illegal is a fault of its seat."""
        message = parse_request(self._seats[decision.seat].send(decision.seat, self._encoder.decide(decision)))
        assert not isinstance(message, Leave), "a session never leaves by itself"
        match.receive(decision.seat, message, 0, 0)

    def _faults(self, match: Match) -> list[Fault]:
        return [fault for seat in self._seats for fault in match.faults_of(seat)]
