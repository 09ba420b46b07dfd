"""Plays a whole match in this process, without an arena: for testing a bot, and for measuring one quickly.

The match is the arena's own, and so are its encoder and its parser: the bots hear and answer, byte by byte, what they
would hear and answer there. What the arena would call a fault is raised here, where it can be debugged. There is no
clock but the limit that is told: lateness shows in `OfflineMatch.slowest_s`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.match.match import Match
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.v1 import play_pb2
from arena.wire.messages import Leave, MatchEncoder, encode_joined, parse_join, parse_request
from bots.errors import AnswerError
from bots.session import Bot, Loopback
from engine import registry
from engine.chance import SeededChance
from engine.core import Game
from engine.record import Playing, PlayRecord

MATCH_ID = "offline"
"""What the bots are told as the id of the match."""


@dataclass(frozen=True, slots=True)
class OfflineMatch:
    """A match that was played. `decisions` and `slowest_s` have one entry per seat; forced plies are no decisions."""

    ranks: tuple[int, ...]
    details: Mapping[str, Any]
    """What the game adds to its outcome; empty if all but one resigned."""
    resigned: tuple[int, ...]
    record: PlayRecord
    decisions: tuple[int, ...]
    slowest_s: tuple[float, ...]


def play_offline(
    bots: Sequence[Bot],
    game: str | Game,
    *,
    options: Mapping[str, Any] | None = None,
    seeds: Sequence[int] | None = None,
    chance_seed: int = 0,
    opening: Sequence[int] = (),
    time_limit_us: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> OfflineMatch:
    """Play one match, `bots[seat]` in each seat; equal arguments give equal matches for bots that draw from the seed.

    `seeds` are the bots' own, by default 0, 1, ...; `opening` is played before the bots are told. Raises AnswerError
    for an illegal answer, EngineError for an unknown game, option or number of seats, MatchSpecError for an illegal
    opening, and whatever a bot raises. `clock` gives the seconds of `slowest_s`; `time.process_time` counts thinking
    alone on a busy machine.
    """
    if len({id(bot) for bot in bots}) < len(bots):
        raise ValueError("each seat needs a bot object of its own")
    rules = registry.get(game) if isinstance(game, str) else game
    playing = Playing(rules, len(bots), rules.parse_options(options or {}), SeededChance(chance_seed))
    spec = MatchSpec(
        match_id=MATCH_ID,
        attempt=1,
        game=rules.name,
        rules_version=rules.rules_version,
        options=rules.options_json(playing.options),
        clock=TimeControl(decision_limit_us=time_limit_us),
        cores=1,
        chance_seed=chance_seed,
        opening=tuple(opening),
        # What would start the processes of the seats is left empty.
        seats=tuple(
            SeatSpec("", type(bot).__name__, "", (), seed=seat if seeds is None else seeds[seat])
            for seat, bot in enumerate(bots)
        ),
    )
    return _Table(Match(spec, playing), bots, clock).play()


class _Table:
    def __init__(self, match: Match, bots: Sequence[Bot], clock: Callable[[], float]) -> None:
        self._match = match
        self._encoder = MatchEncoder(match)
        self._bots = [Loopback(bot) for bot in bots]
        self._clock = clock
        self._decisions = [0] * len(bots)
        self._slowest_s = [0.0] * len(bots)

    def play(self) -> OfflineMatch:
        """Play until the rules end the game, or all but one have resigned, and return how it went."""
        for bot in self._bots:
            join = parse_join(bot.join())
            assert isinstance(join, play_pb2.Join), "a session begins with its Join"
            bot.send(encode_joined(join.games, self._match.playing.game))
        for seat, bot in enumerate(self._bots):
            bot.send(self._encoder.started(seat))
        self._match.begin()
        while (decision := self._match.decision) is not None:
            seat = decision.seat
            question = self._encoder.decide(decision)
            start = self._clock()
            answer = self._bots[seat].send(question)
            self._slowest_s[seat] = max(self._slowest_s[seat], self._clock() - start)
            self._decisions[seat] += 1
            message = parse_request(answer)
            assert not isinstance(message, Leave), "a session never leaves by itself"
            self._match.receive(seat, message, 0, 0)  # no time is charged, so nobody is late
            for fault in self._match.faults_of(seat):
                name = type(self._bots[seat].bot).__name__
                raise AnswerError(f"ply {fault.ply}, seat {seat} ({name}): {fault.explanation}")
        for seat, bot in enumerate(self._bots):
            bot.send(self._encoder.finished(seat))
        result = self._match.result()
        return OfflineMatch(
            ranks=result.ranks,
            details=result.details,
            resigned=result.resigned,
            record=self._match.playing.record(),
            decisions=tuple(self._decisions),
            slowest_s=tuple(self._slowest_s),
        )
