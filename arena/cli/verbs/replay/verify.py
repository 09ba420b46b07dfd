"""`arena replay`: matches as they were played, shown and verified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from arena.cli.nouns.game import check_language, get_game
from arena.cli.shared import errors, settings
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.options import AsJson, Database, Language, SvgFile, example, write_svg
from arena.cli.shared.output import Column, format_instant, print_facts, print_json, print_table, yes_or_no
from arena.cli.shared.request import find_tournament
from arena.cli.shared.storage import open_existing_book
from arena.cli.verbs.match.show import SHORT, MatchId
from arena.match.replay import ReplayError, load
from arena.match.verify import verify as problems_of
from engine.chance import SeededChance
from engine.core import EngineError
from engine.record import Playing
from ratings.read import queries
from ratings.read.queries import MatchDetail
from ratings.store.database import Session, read
from ratings.store.models import Match, MatchState

app = typer.Typer(epilog=example("arena replay show 3f9a01c2", "arena replay verify --all"))

_PLIES = (
    Column("ply", "PLY", right=True),
    Column("seat", "SEAT", right=True),
    Column("bot", "BOT"),
    Column("action", "ACTION"),
    Column("by", "BY"),
    Column("elapsed_us", "TIME", right=True, write=lambda us: "" if us is None else f"{us / 1000:.1f} ms"),
    Column("note", "NOTE"),
)


@app.command(
    epilog=example("arena replay show 3f9a01c2", "arena replay show 3f9a01c2 --ply 12 --svg ply12.svg --lang fr")
)
def show(
    match: MatchId,
    ply: Annotated[int | None, typer.Option(min=0, help="Show the position before this ply instead.")] = None,
    svg: SvgFile = None,
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show how a match was played, ply by ply, or a position in it."""
    with open_existing_book(db) as book, read(book.engine) as session:
        found = queries.resolve_match(session, match)
        document = _load(queries.replay_of(session, found.id), found.id)
    if as_json and ply is None and svg is None:
        print_json(document)
        return
    if ply is None and svg is None:
        _print_plies(document)
    else:
        _show_position(document, len(document["entries"]) if ply is None else ply, svg, language, as_json=as_json)


def _load(stored: bytes, match_id: str) -> dict[str, Any]:
    try:
        return load(stored)
    except ReplayError as error:
        raise CliError(f"the replay of match {match_id[-SHORT:]} cannot be read: {error}") from error


def _print_plies(document: Mapping[str, Any]) -> None:
    game = get_game(document["game"])
    names = [seat["name"] for seat in document["seats"]]
    result = document["result"]
    print_facts(
        {
            "match": document["match_id"],
            "game": f"{game.title}, {len(names)} seats",
            "seats": ", ".join(f"{seat} {name}" for seat, name in enumerate(names)),
            "started": format_instant(document["started_at_us"]),
        }
    )
    typer.echo()
    rows = [
        {
            "elapsed_us": None,
            "note": "",
            **entry,
            "bot": names[entry["seat"]],
            "action": game.actions.format(entry["action"]),
        }
        for entry in document["entries"]
    ]
    print_table(_PLIES, rows, as_json=False, empty="no plies: the match ended before it began")
    typer.echo()
    ranks = ", ".join(f"{name} {rank}" for name, rank in zip(names, result["ranks"], strict=True))
    print_facts({"ranks": ranks, "ended": "by the rules" if result["by_rules"] else "by forfeit"})
    for name, value in result["details"].items():
        typer.echo(f"{name}: {_detail_text(value)}")


def _detail_text(value: Any) -> str:
    """What a game says of its end, without brackets and quotes."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_detail_text(inner)}" for key, inner in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_detail_text, value)) or "none"
    return yes_or_no(value)


def _show_position(document: Mapping[str, Any], ply: int, svg: Any, language: str, *, as_json: bool) -> None:
    game = get_game(document["game"])
    check_language(game, language)
    playing = play_until(document, ply)
    if svg is not None:
        write_svg(svg, game.render_svg(playing.state, None, language))
    if as_json:
        print_json({"match_id": document["match_id"], "ply": ply, "position": playing.state.to_json()})
        return
    typer.echo(f"before ply {ply} of {len(document['entries'])}")
    typer.echo(game.render_text(playing.state, None, language))
    if svg is not None:
        typer.echo(f"\ndrawn into {svg}")


def play_until(document: Mapping[str, Any], ply: int) -> Playing:
    """The playing as it stood before `ply`. Raises MisuseError beyond the end, CliError if it cannot be played."""
    entries = document["entries"]
    if ply > len(entries):
        raise MisuseError(f"the match has plies 0 to {len(entries) - 1}; --ply {len(entries)} is its end")
    game = get_game(document["game"])
    try:
        chance = SeededChance(document["chance_seed"])
        playing = Playing(game, len(document["seats"]), game.parse_options(document["options"]), chance)
        for entry in entries[:ply]:
            playing.apply(entry["action"])
    except EngineError as error:
        raise CliError(f"the match cannot be played again: {error}; `arena replay verify` tells more") from error
    return playing


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
    with open_existing_book(db) as book, read(book.engine) as session:
        matches, broken = 0, []
        for stored_match, stored in _chosen(session, match, tournament):
            matches += 1
            problems = check_match(queries.match_detail(session, stored_match.id), stored)
            if problems:
                broken.append({"match_id": stored_match.id, "problems": problems})
    if as_json:
        print_json({"matches": matches, "verified": matches - len(broken), "broken": broken})
    else:
        for entry in broken:
            for problem in entry["problems"]:
                typer.echo(f"match {entry['match_id'][-SHORT:]}: {problem}")
        typer.echo(f"{matches} match{'es' * (matches != 1)}: {matches - len(broken)} verified, {len(broken)} broken")
    if broken:
        raise typer.Exit(errors.FAILED)


def _chosen(session: Session, match: str | None, tournament: str | None) -> Iterable[tuple[Match, bytes | None]]:
    if match is not None:
        found = queries.resolve_match(session, match)
        if found.state is not MatchState.FINISHED:
            queries.replay_of(session, found.id)  # says why there is none
        return queries.replays(session, match_id=found.id)
    return queries.replays(session, None if tournament is None else find_tournament(session, tournament).id)


def check_match(detail: MatchDetail, stored: bytes | None) -> list[str]:
    """What is wrong with a stored match: its replay in itself, and against the facts of the database."""
    if stored is None:
        return ["finished without a replay"]
    problems = problems_of(stored)
    if problems:
        return problems
    document = load(stored)
    facts = {**_order_facts(detail, document), **_result_facts(detail, document)}
    return [
        f"{name}: {in_database} in the database, {in_replay} in the replay"
        for name, (in_database, in_replay) in facts.items()
        if in_database != in_replay
    ]


def _order_facts(detail: MatchDetail, document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What was ordered, as (in the database, in the replay)."""
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
    """How it was played and ended, as (in the database, in the replay)."""
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
