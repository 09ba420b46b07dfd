"""Tells what the search bot thinks of the positions of a match in which a seat decided: `values.py REPLAY SEAT`.

It writes `[[ply, value], ...]` as JSON; the last entry is the end of the match. `arena bot test` asks it.
"""

import argparse
import json
import sys
from pathlib import Path

from arena.match.replay import load, timed_entries
from bots.algorithms.search import DEFAULT_PLAYOUTS, value_match
from engine import registry
from engine.chance import SeededChance
from engine.record import Playing


def main() -> None:
    """Value one match."""
    parser = argparse.ArgumentParser(description="Values the positions in which a seat decided.")
    parser.add_argument("replay", type=Path, help="a file with a stored replay")
    parser.add_argument("seat", type=int)
    parser.add_argument("--playouts", type=int, default=DEFAULT_PLAYOUTS)
    options = parser.parse_args()
    document = load(options.replay.read_bytes())
    game = registry.get(document["game"])
    chance = SeededChance(document["chance_seed"])
    playing = Playing(game, len(document["seats"]), game.parse_options(document["options"]), chance)
    plies = [entry["ply"] for entry in timed_entries(document) if entry["seat"] == options.seat]
    actions = [entry["action"] for entry in document["entries"]]
    valued = value_match(playing, actions, plies, options.seat, options.playouts)
    json.dump([[one.ply, round(one.value, 4)] for one in valued], sys.stdout)


if __name__ == "__main__":
    main()
