"""What a searching bot pays before it searches: processor time from the bytes of a `Decide` to a determinized state.

    python -m benchmarks.observation [--game GAME] [--messages 300] [--repeats 7]

The messages are those of one match of random play for each number of seats, in a drawn order; the best repeat counts.
The direct road (`Decision.state`) is compared with one that makes JSON of what was seen and reads it again, as it was
done once; the two take turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from random import Random

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.v1 import play_pb2
from arena.wire.messages import MatchEncoder
from bots.decision import Decision
from bots.decision import Match as ToldMatch
from engine import registry
from engine.abilities import need_playable
from engine.core import Observation, State


def play_and_encode(game: str, seats: int) -> list[bytes]:
    """Play a match at random, and return every `Decide` as the bots receive it, in a drawn order."""
    random = Random(seats)
    match = Match(
        MatchSpec(
            match_id="m",
            attempt=1,
            game=game,
            rules_version=registry.get(game).rules_version,
            options={},
            clock=TimeControl(),
            cores=1,
            chance_seed=seats,
            opening=(),
            seats=tuple(SeatSpec("", "random", "", (), seat) for seat in range(seats)),
        )
    )
    encoder, messages = MatchEncoder(match), []
    match.begin()
    while (decision := match.decision) is not None:
        messages.append(encoder.decide(decision))
        match.receive(decision.seat, Answer("m", decision.ply, [random.choice(decision.legal)]), 0, 0)
    random.shuffle(messages)
    return messages


def direct(decision: Decision) -> State:
    """Return a position to search in, as bots get it."""
    return decision.state()


def through_json(decision: Decision) -> State:
    """Return the same position, with JSON between."""
    rules, seen = decision.match.rules, decision.seen
    again = Observation(rules.state_from_json(seen.state.to_json()), seen.seat)
    return need_playable(rules).determinize(again, decision.match.random)


def measure(game: str, seats: int, messages: Sequence[bytes], road: Callable[[Decision], State]) -> float:
    """Return the microseconds of processor time for a message, on the average over all."""
    version = registry.get(game).rules_version
    started = play_pb2.MatchStarted(match_id="m", game=game, rules_version=version, seats=seats)
    told = ToldMatch(started, play_pb2.GameInfo(name=game))
    start = time.process_time()
    for message in messages:
        road(Decision(told, play_pb2.PlayResponse.FromString(message).decide, 0.0))
    return (time.process_time() - start) / len(messages) * 1e6


def main(argv: Sequence[str]) -> int:
    """Measure and print; 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--game", choices=registry.names())
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args(argv)
    for game in [arguments.game] if arguments.game else registry.single_names():
        for seats in registry.get(game).seats:
            messages = play_and_encode(game, seats)[: arguments.messages]
            times = [
                [measure(game, seats, messages, road) for road in (direct, through_json)]
                for _ in range(arguments.repeats)
            ]
            best, other = map(min, zip(*times, strict=True))
            said = f"{best:.0f} us from received bytes to a state, {other:.0f} us with JSON between"
            print(f"{game}, {seats} seats: {said}, {len(messages)} messages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
