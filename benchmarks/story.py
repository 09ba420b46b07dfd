"""What it costs to tell a match: time to follow and draw it, and the size of what a viewer loads.

    python -m benchmarks.story [--matches N]

Matches of every installed game and number of seats, played by the games' own quick actions. A frame is a position with
its words, value and picture. Goal: a frame is made in 2 ms of processor time, and a match is loaded in 200 kB.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.match.replay import write_replay
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import parse_time_control
from arena.story.encoding import PartTable, encode
from arena.story.replays import story_of_replay
from engine import registry
from engine.core import Game

FRAME_MS = 2.0
LOADED_KB = 200


@dataclass(frozen=True, slots=True)
class Cost:
    """What one match cost."""

    frames: int
    told_s: float
    """To follow it, without pictures."""
    drawn_s: float
    """All of it, pictures and compact form included."""
    raw_bytes: int
    gzip_bytes: int
    alone_bytes: int
    """Compressed, without the parts that it shares with the others."""


def play(game: Game, seats: int, seed: int) -> dict[str, Any]:
    """Return the replay of a match in which every seat takes plausible actions at once."""
    players = tuple(SeatSpec(f"{seat:064x}", f"owner/bot-{seat}", "/", (), seat) for seat in range(seats))
    spec = MatchSpec(
        match_id="m1",
        attempt=1,
        game=game.name,
        rules_version=game.rules_version,
        options={},
        clock=parse_time_control("60+1"),
        cores=1,
        chance_seed=seed,
        opening=(),
        seats=players,
    )
    match, random = Match(spec), Random(seed)
    match.begin()
    while (decision := match.decision) is not None:
        action = _choose(game, match.playing.state, random)
        match.receive(decision.seat, Answer("m1", decision.ply, (action,), ""), 1000, 1000)
    document: dict[str, Any] = write_replay(match, 0, 0).document()
    return document


def _choose(game: Game, state: Any, random: Random) -> int:
    playable = game.playable
    legal: Sequence[int] = state.legal_actions()
    return random.choice(legal) if playable is None else playable.quick_action(state, random)


def measure(document: dict[str, Any], table: PartTable) -> Cost:
    """Tell a match twice, without pictures and with them, and weigh its compact form."""
    start = time.process_time()
    story_of_replay(document, draws=False)
    told = time.process_time()
    story = story_of_replay(document)
    data = _bytes(encode(story))
    drawn = time.process_time()
    shared = _bytes(encode(story, table))
    alone, packed = len(gzip.compress(shared, 6)), len(gzip.compress(data, 6))
    return Cost(len(story.frames), told - start, drawn - told, len(data), packed, alone)


def _bytes(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def report(game: Game, seats: int, matches: int) -> bool:
    """Print the figures of one table; whether it meets the goals."""
    table = PartTable()
    costs = [measure(play(game, seats, seed), table) for seed in range(matches)]
    frames = sum(cost.frames for cost in costs)
    told, drawn = (1000 * sum(times) / frames for times in zip(*((c.told_s, c.drawn_s) for c in costs), strict=True))
    raw, packed, alone = (sum(sizes) / matches / 1000 for sizes in zip(*map(_sizes, costs), strict=True))
    shared = len(gzip.compress(json.dumps(table.parts).encode(), 6)) / 1000
    print(
        f"{game.name:<16}{seats:>6}{frames // matches:>8}{told:>10.2f}{drawn:>10.2f}"
        f"{raw:>10.0f}{packed:>10.1f}{alone:>10.1f}{shared:>10.1f}"
    )
    return bool(drawn <= FRAME_MS and packed <= LOADED_KB)


def _sizes(cost: Cost) -> tuple[int, int, int]:
    return cost.raw_bytes, cost.gzip_bytes, cost.alone_bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every game and number of seats; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=5)
    matches = parser.parse_args(arguments).matches
    print(f"means of {matches} matches; sizes in kB; `shared` are the parts of all of them, compressed")
    heads = ("frames", "told ms", "drawn ms", "raw", "gzip", "alone", "shared")
    print(f"{'game':<16}{'seats':>6}{heads[0]:>8}" + "".join(f"{head:>10}" for head in heads[1:]))
    met = [
        report(registry.get(name), seats, matches)
        for name in registry.single_names()
        for seats in registry.get(name).seats
    ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
