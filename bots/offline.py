"""Plays a whole match in this process, without an arena: for testing a bot, and for measuring one quickly.

The bots hear and answer the same messages as in the arena, encoded and decoded; forced decisions, several actions in
one answer and resignation work as there. What the arena would call a fault is raised here, where it can be debugged.
There is no clock but the limit that is told: lateness shows in `OfflineMatch.slowest_s`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.v1 import match_pb2, play_pb2
from bots.errors import AnswerError
from bots.session import Bot, Session
from engine import registry
from engine.chance import SeededChance
from engine.core import EngineError, Game
from engine.record import Event, Playing, Record


@dataclass(frozen=True, slots=True)
class OfflineMatch:
    """A match that was played. `decisions` and `slowest_s` have one entry a seat; forced plies are no decisions."""

    ranks: tuple[int, ...]
    details: Mapping[str, Any]
    """What the game adds to its outcome; empty if all but one resigned."""
    resigned: tuple[int, ...]
    record: Record
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
    for an illegal answer, EngineError for an unknown game, option or number of seats, and whatever a bot raises.
    `clock` gives the seconds of `slowest_s`; `time.process_time` tells of thinking alone on a busy machine.
    """
    if len({id(bot) for bot in bots}) < len(bots):
        raise ValueError("each seat needs a bot object of its own")
    rules = registry.get(game) if isinstance(game, str) else game
    chance = SeededChance(chance_seed)
    playing = Playing(rules, len(bots), rules.parse_options(options or {}), chance)
    for action in opening:
        playing.apply(action)
    table = _Table(bots, playing, time_limit_us, clock)
    table.start(range(len(bots)) if seeds is None else seeds)
    table.play()
    return table.finish()


class _Table:
    """A match under way, and what each seat has heard of it."""

    def __init__(self, bots: Sequence[Bot], playing: Playing, time_limit_us: int, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._bots = bots
        self._playing = playing
        self._time_limit_us = time_limit_us
        self._sessions = [Session(bot) for bot in bots]
        self._heard = [0] * len(bots)
        self._dropped = [0] * len(bots)
        self._decisions = [0] * len(bots)
        self._slowest_s = [0.0] * len(bots)
        self._resigned: list[int] = []

    def start(self, seeds: Sequence[int]) -> None:
        rules = self._playing.game
        joined = play_pb2.Joined(protocol_major=1, games=[_game_info(self._playing)])
        for seat, session in enumerate(self._sessions):
            session.join()
            self._tell(seat, play_pb2.PlayResponse(joined=joined))
            started = play_pb2.MatchStarted(
                match_id="offline",
                game=rules.name,
                rules_version=rules.rules_version,
                seat=seat,
                seats=len(self._bots),
                options_json=json.dumps(rules.options_json(self._playing.options)),
                clock=match_pb2.Clock(decision_limit_us=self._time_limit_us),
                cores=1,
                seed=seeds[seat],
                events=self._news(seat),
            )
            self._tell(seat, play_pb2.PlayResponse(match_started=started))

    def play(self) -> None:
        """Until the rules end the game, or all but one have resigned."""
        state = self._playing.state
        while (seat := state.seat()) is not None and len(self._resigned) < max(len(self._bots) - 1, 1):
            if len(state.legal_actions()) == 1:
                self._playing.apply(state.legal_actions()[0])
            elif seat in self._resigned:
                self._playing.apply(state.caretaker_action())
            else:
                self._ask(seat)

    def finish(self) -> OfflineMatch:
        """Tell everybody the result, and return it."""
        outcome = self._playing.state.outcome()
        ranks = self._ranks()
        details = dict(outcome.details) if outcome else {}
        result = match_pb2.Result(
            ranks=ranks,
            by_rules=outcome is not None,
            forfeited_seats=self._resigned,
            details_json=json.dumps(details) if outcome else "",
        )
        for seat in range(len(self._bots)):
            finished = play_pb2.MatchFinished(match_id="offline", result=result, events=self._news(seat))
            self._tell(seat, play_pb2.PlayResponse(match_finished=finished))
        return OfflineMatch(
            ranks,
            details,
            tuple(self._resigned),
            self._playing.record(),
            tuple(self._decisions),
            tuple(self._slowest_s),
        )

    def _tell(self, seat: int, response: play_pb2.PlayResponse) -> play_pb2.PlayRequest | None:
        received = play_pb2.PlayResponse.FromString(response.SerializeToString())
        request = self._sessions[seat].receive(received, time.monotonic())
        return request and play_pb2.PlayRequest.FromString(request.SerializeToString())

    def _ask(self, seat: int) -> None:
        start = self._clock()
        request = self._tell(seat, play_pb2.PlayResponse(decide=self._decide(seat)))
        self._slowest_s[seat] = max(self._slowest_s[seat], self._clock() - start)
        self._decisions[seat] += 1
        if request is None or request.HasField("resign"):
            self._resigned.append(seat)
        else:
            self._act(seat, request.act.actions)

    def _decide(self, seat: int) -> play_pb2.Decide:
        playing = self._playing
        message_type, message = playing.game.encode_observation(playing.state, seat)
        decide = play_pb2.Decide(
            match_id="offline",
            ply=playing.ply,
            legal_actions=playing.state.legal_actions(),
            events=self._news(seat),
            time_limit_us=self._time_limit_us,
            dropped_actions=self._dropped[seat],
        )
        decide.observation.type_url = f"type.googleapis.com/{message_type}"
        decide.observation.value = message
        return decide

    def _act(self, seat: int, actions: Sequence[int]) -> None:
        """Apply the answer until chance, another seat's decision or the end; forced plies in between are not part."""
        state = self._playing.state
        chance_before = len(self._playing.chance_outcomes)
        for index, action in enumerate(actions):
            self._apply(seat, action)
            self._dropped[seat] = len(actions) - index - 1
            while state.seat() == seat and len(state.legal_actions()) == 1:
                self._playing.apply(state.legal_actions()[0])
            if state.seat() != seat or len(self._playing.chance_outcomes) > chance_before:
                break

    def _apply(self, seat: int, action: int) -> None:
        try:
            self._playing.apply(action)
        except EngineError as error:
            name = type(self._bots[seat]).__name__
            raise AnswerError(f"ply {self._playing.ply}, seat {seat} ({name}): {error}") from error

    def _news(self, seat: int) -> list[match_pb2.Event]:
        events = self._playing.visible_events(seat, self._heard[seat])
        self._heard[seat] = self._playing.ply
        return [_event(event) for event in events]

    def _ranks(self) -> tuple[int, ...]:
        """By the rules among those who stayed; those who resigned come after them, the earliest last."""
        outcome = self._playing.state.outcome()
        places = [
            (1, -self._resigned.index(seat)) if seat in self._resigned else (0, outcome.ranks[seat] if outcome else 0)
            for seat in range(len(self._bots))
        ]
        return tuple(1 + sum(other < place for other in places) for place in places)


def _game_info(playing: Playing) -> play_pb2.GameInfo:
    rules = playing.game
    return play_pb2.GameInfo(
        name=rules.name,
        rules_version=rules.rules_version,
        actions=rules.actions.names,
        options_schema_json=json.dumps(rules.options_schema()),
    )


def _event(event: Event) -> match_pb2.Event:
    return match_pb2.Event(
        ply=event.ply,
        seat=event.seat,
        action=event.action,
        forced=event.forced,
        reveals=[match_pb2.Reveal(kind=reveal.kind, values=reveal.values) for reveal in event.reveals],
    )
