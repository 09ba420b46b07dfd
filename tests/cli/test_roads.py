"""A small tournament of the same bots by gRPC, by the socket and by lines has one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Arena, write_bot
from tests.support.patience import ANY_TIME

pytestmark = pytest.mark.needs("minutes")

KIT = """
import os
from random import Random
from bots.kit import Bot, run

{by}
class Drawing(Bot):
    uses_engine = False

    def decide(self, decision):
        return Random(f"{luck} {{decision.match.seat}} {{decision.ply}}").choice(decision.legal_actions)

run(Drawing())
"""
LINES = """
import json, sys
from random import Random

for line in sys.stdin:
    message = json.loads(line)
    if "match_started" in message:
        seat = message["match_started"]["seat"]
    if "decide" in message:
        decide = message["decide"]
        drawn = Random(f"{luck} {{seat}} {{decide['ply']}}").choice(decide["legal_names"])
        print(json.dumps(drawn), flush=True)
"""
RUN = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--option", "max_rounds=3")


def write_all(place: Path, road: str) -> None:
    """Three bots, each of which draws in its own way, the same by each road."""
    for luck, name in enumerate(("ada", "bob", "eve")):
        if road == "lines":
            keys = {"protocol": '"lines"', "games": '["foreign_king"]'}
            write_bot(place / name, name, LINES.format(luck=luck), **keys)
        else:
            by = 'del os.environ["ARENA_STREAM_FD"]' if road == "grpc" else 'assert "ARENA_STREAM_FD" in os.environ'
            write_bot(place / name, name, KIT.format(luck=luck, by=by))


ITS_OWN = {"version_id", "content_hash", "id", "created_at_us", "ended_at_us", "digest", "public_key", "at_us"}
"""What tells when a tournament was played, or by which files."""


def without_its_own(data: Any) -> Any:
    """Return what is told without what differs between two tournaments of the same bots."""
    if isinstance(data, dict):
        return {key: without_its_own(value) for key, value in data.items() if key not in ITS_OWN}
    return [without_its_own(one) for one in data] if isinstance(data, list) else data


def tables(arena: Arena, place: Path, road: str) -> Any:
    """What the tournament's table, its matches and the leaderboard say, but for times and what versions are called."""
    write_all(place / road, road)
    db = str(place / f"{road}.db")
    for name in ("ada", "bob", "eve"):
        assert arena("bot", "add", place / road / name, "--db", db).code == 0
    finished = arena(*RUN, "--bots", "ada,bob,eve", "--name", "roads", "--seed", "5", *ANY_TIME, "--json", "--db", db)
    assert finished.code == 0, finished.err
    shown = arena("tournament", "show", "roads", "--json", "--db", db).json
    board = arena("leaderboard", "--game", "foreign_king", "--json", "--db", db).json
    return without_its_own([finished.json, shown, board])


def test_a_tournament_has_the_same_table_by_every_road(arena: Arena, tmp_path: Path) -> None:
    by_grpc, *others = [tables(arena, tmp_path, road) for road in ("grpc", "socket", "lines")]
    assert by_grpc[1]["matches"], "nothing was compared"
    assert others == [by_grpc, by_grpc]
