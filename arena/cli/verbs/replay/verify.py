"""The command `arena replay verify`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.lookup import find_tournament
from arena.cli.shared.matches import short_match_id
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.storage import Storage, open_existing_storage
from arena.match.replay import load
from arena.match.verify import verify as problems_of
from ratings.read.matches import MatchDetail, find_match, match_detail, replay_of, replays
from ratings.store.models import Match
from ratings.store.states import MatchState

app = typer.Typer()


@app.command(
    epilog=example(
        "arena replay verify --all", "arena replay verify 3f9a01c2", "arena replay verify --tournament monday"
    )
)
def verify(
    match: Annotated[str | None, typer.Argument(metavar="[MATCH]", help="The match to verify.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Verify every match of the database.")] = False,
    tournament: Annotated[str | None, typer.Option(metavar="NAME", help="Verify the matches of a tournament.")] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Play stored matches again, and compare everything.

    The bytes, the hash chain, the rules, the result in the database.
    """
    if [match is not None, every, tournament is not None].count(True) != 1:
        raise MisuseError("say what to verify: a match, or --tournament NAME, or --all")
    with open_existing_storage(db) as storage:
        matches, broken = _verify_chosen(storage, match, tournament)
    if as_json:
        print_json({"matches": matches, "verified": matches - len(broken), "broken": broken})
    else:
        _print(matches, broken)
    if broken:
        raise typer.Exit(errors.FAILED)


def _print(matches: int, broken: Sequence[Mapping[str, Any]]) -> None:
    for entry in broken:
        for problem in entry["problems"]:
            typer.echo(f"match {short_match_id(entry['match_id'])}: {problem}")
    typer.echo(f"{matches} match{'es' * (matches != 1)}: {matches - len(broken)} verified, {len(broken)} broken")


def _verify_chosen(storage: Storage, match: str | None, tournament: str | None) -> tuple[int, list[dict[str, Any]]]:
    """Return how many matches were verified, and those that are broken with their problems."""
    matches, broken = 0, []
    for chosen, stored in _chosen(storage, match, tournament):
        matches += 1
        if problems := _check_match(match_detail(storage.database, chosen.id), stored):
            broken.append({"match_id": chosen.id, "problems": problems})
    return matches, broken


def _chosen(storage: Storage, match: str | None, tournament: str | None) -> Iterable[tuple[Match, bytes | None]]:
    """Return the finished matches that were named, or all, with their replays, few in memory at once."""
    database = storage.database
    if match is not None:
        found = find_match(database, match)
        if found.state is not MatchState.FINISHED:
            replay_of(database, found.id)  # raises, and says why there is none
        return replays(database, match_id=found.id)
    return replays(database, None if tournament is None else find_tournament(database, tournament).id)


def _check_match(detail: MatchDetail, stored: bytes | None) -> list[str]:
    """Return what is wrong with a stored match: with its replay, or between its replay and the database."""
    if stored is None:
        return ["finished without a replay"]
    problems = problems_of(stored)
    if problems:
        return problems
    document = load(stored)
    facts = {**_plan_facts(detail, document), **_result_facts(detail, document)}
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
        "chance seed": (block.chance_seed, document["chance_seed"]),
        "opening": (block.opening, document["opening"]),
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
