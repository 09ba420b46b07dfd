"""Whether a stored match is sound: its bytes, hash chain, rules, and the result in the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.match.replay import load
from arena.match.verify import verify
from arena.tournament.formats import seeds
from arena.tournament.stored import blocks_per_seed, clock_of
from ratings.read.matches import MatchDetail


def problems_of_match(detail: MatchDetail, stored: bytes | None) -> list[str]:
    """Return what is wrong with a stored match: with its replay, or between its replay and the database."""
    if stored is None:
        return ["finished without a replay"]
    problems = verify(stored)
    if problems:
        return problems
    document = load(stored)
    facts = {**_plan_facts(detail, document), **_seed_facts(detail, document), **_result_facts(detail, document)}
    return [
        f"{name}: {in_database} in the database, {in_replay} in the replay"
        for name, (in_database, in_replay) in facts.items()
        if in_database != in_replay
    ]


def _plan_facts(detail: MatchDetail, document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what was to be played, as (in the database, in the replay)."""
    pool, block = detail.pool, detail.block
    return {
        "match": (detail.match.id, document["match_id"]),
        "versions": ([row.version.content_hash for row in detail.seats], [row["version"] for row in document["seats"]]),
        "game": ((pool.game, pool.rules_version), (document["game"], document["rules_version"])),
        "options": (pool.options, document["options"]),
        "cores": (pool.cores, document["cores"]),
        "seats": (pool.seats, len(document["seats"])),
        "bots": ([row.bot for row in detail.seats], [row["name"] for row in document["seats"]]),
        "clock": (clock_of(detail.tournament, pool).to_json(), document["clock"]),
        "chance seed": (_chance_seed(detail, block.chance_seed), document["chance_seed"]),
        "opening": (block.opening, document["opening"]),
    }


def _chance_seed(detail: MatchDetail, of_block: int) -> int:
    """Return the chance seed with which a match was to be played, given that of its block."""
    if not detail.pool.remote:
        return of_block
    secret = bytes.fromhex(detail.tournament.secret)
    return seeds.match_chance_seed(secret, detail.block.index, detail.match.rotation)


def _seed_facts(detail: MatchDetail, document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the seeds, as (what follows from the secret of the tournament, in the replay)."""
    secret = bytes.fromhex(detail.tournament.secret)
    number = detail.block.index // blocks_per_seed(detail.tournament, detail.pool)
    places = range(len(detail.seats))
    return {
        "chance seed by the secret": (
            _chance_seed(detail, seeds.chance_seed(secret, number)),
            document["chance_seed"],
        ),
        "bots' seeds by the secret": (
            [seeds.bot_seed(secret, number, detail.match.rotation, seat) for seat in places],
            [seat["seed"] for seat in document["seats"]],
        ),
    }


def _result_facts(detail: MatchDetail, document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return how it was played and ended, as (in the database, in the replay)."""
    match, result, entries = detail.match, document["result"], document["entries"]
    forfeits = sorted((row.seat.forfeit, row.seat.seat) for row in detail.seats if row.seat.forfeit is not None)
    return {
        "ranks": ([row.seat.rank for row in detail.seats], result["ranks"]),
        "by rules": (match.by_rules, result["by_rules"]),
        "rated": (match.rated, result["rated"]),
        "details": (match.details, result["details"]),
        "forfeits": ([seat for _, seat in forfeits], [seat for seat, _ in result["forfeits"]]),
        "resigned": ([row.seat.seat for row in detail.seats if row.seat.resigned], sorted(result["resigned"])),
        "faults": (
            [[fault.seat, fault.cause, fault.ply] for fault in detail.faults],
            [[fault["seat"], fault["cause"], fault["ply"]] for fault in result["faults"]],
        ),
        "plies": (match.plies, len(entries)),
        "decisions": (match.decisions, sum(entry["by"] == "bot" for entry in entries)),
        "start": (match.started_at_us, document["started_at_us"]),
        "duration": (match.duration_us, document["duration_us"]),
        "game digest": (match.game_digest, document["game_digest"]),
        "record digest": (match.record_digest, document["record_digest"]),
    }
