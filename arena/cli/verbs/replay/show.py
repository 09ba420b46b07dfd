"""The command `arena replay show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.games import check_language, get_game
from arena.cli.shared.matches import short_match_id
from arena.cli.shared.options import AsJson, Database, Language, SvgFile, example, write_svg
from arena.cli.shared.output import Column, format_instant, print_facts, print_json, print_table, yes_or_no
from arena.cli.shared.suggestions import program
from arena.client.values.replays import Replay
from arena.match.replay import ReplayError, load
from engine import registry
from engine.abilities import View
from engine.chance import SeededChance
from engine.core import EngineError
from engine.record import Playing

app = typer.Typer()

_PLIES = (
    Column("ply", "PLY", right=True),
    Column("seat", "SEAT", right=True),
    Column("bot", "BOT"),
    Column("action", "ACTION"),
    Column("by", "BY"),
    Column("elapsed_us", "TIME", right=True, write=lambda us: "" if us is None else f"{us / 1000:.1f} ms"),
    Column("note", "NOTE"),
)


ReplayName = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help="Its id, or 4 characters or more of its beginning or end; or a file with its replay.",
    ),
]


@app.command(
    epilog=example("arena replay show 3f9a01c2", "arena replay show 3f9a01c2 --ply 12 --svg ply12.svg --lang fr")
)
def show(
    match: ReplayName,
    ply: Annotated[int | None, typer.Option(min=0, help="Show the position before this ply instead.")] = None,
    svg: SvgFile = None,
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show how a match was played, ply by ply, or a position in it."""
    document = _read_document(_find_replay(match, db))
    if as_json and ply is None and svg is None:
        print_json(document)
        return
    if ply is None and svg is None:
        _print_plies(document)
    else:
        _show_position(document, len(document["entries"]) if ply is None else ply, svg, language, as_json=as_json)


def _find_replay(match: str, db: str) -> Replay:
    """Return a replay that lies in a file, as `arena bot test` leaves it, or that of a match with such an id."""
    file = Path(match)
    if file.is_file():
        return Replay(file.stem, file.read_bytes())
    with connect(db) as connection:
        return connection.arena.replays.get_replay(match)


def _read_document(replay: Replay) -> dict[str, Any]:
    """Return the replay document of a match. Raise CliError if it cannot be read, or its game is not installed here."""
    match = short_match_id(replay.match_id)
    try:
        document = load(replay.data)
    except ReplayError as error:
        raise CliError(f"the replay of match {match} cannot be read: {error}") from error
    if document["game"] not in registry.names():
        raise CliError(
            f"the match is one of {document['game']!r}, a game that is not installed here; install its package, or "
            f"`{program()} match show {match}` shows the result"
        )
    return document


def _print_plies(document: Mapping[str, Any]) -> None:
    game, entries = get_game(document["game"]), document["entries"]
    names = [seat["name"] for seat in document["seats"]]
    print_facts(
        {
            "match": document["match_id"],
            "game": f"{game.title}, {len(names)} seats",
            "seats": ", ".join(f"{seat} {name}" for seat, name in enumerate(names)),
            "started": format_instant(document["started_at_us"]),
        }
    )
    typer.echo()
    rows = [_ply_row(entry, names[entry["seat"]], game.actions.format(entry["action"])) for entry in entries]
    print_table(_PLIES, rows, as_json=False, empty="no plies: the match ended before it began")
    typer.echo()
    _print_result(document["result"], names)


def _ply_row(entry: Mapping[str, Any], bot: str, action: str) -> dict[str, Any]:
    return {"elapsed_us": None, "note": "", **entry, "bot": bot, "action": action}


def _print_result(result: Mapping[str, Any], names: Sequence[str]) -> None:
    ranks = ", ".join(f"{name} {rank}" for name, rank in zip(names, result["ranks"], strict=True))
    print_facts({"ranks": ranks, "ended": "by the rules" if result["by_rules"] else "by forfeit"})
    for name, value in result["details"].items():
        typer.echo(f"{name}: {_detail_text(value)}")


def _detail_text(value: Any) -> str:
    """Write what a game says of its end without brackets and quotes."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_detail_text(inner)}" for key, inner in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_detail_text, value)) or "none"
    return yes_or_no(value)


def _show_position(document: Mapping[str, Any], ply: int, svg: Path | None, language: str, *, as_json: bool) -> None:
    game = get_game(document["game"])
    check_language(game, language)
    playing = _play_until(document, ply)
    if svg is not None:
        write_svg(svg, game.shown.svg(playing.state, View(language)))
    if as_json:
        print_json({"match_id": document["match_id"], "ply": ply, "position": playing.state.to_json()})
        return
    typer.echo(f"before ply {ply} of {len(document['entries'])}")
    typer.echo(game.shown.text(playing.state, None, language))
    if svg is not None:
        typer.echo(f"\ndrawn into {svg}")


def _play_until(document: Mapping[str, Any], ply: int) -> Playing:
    """Play a match again up to the position before `ply`. Raise MisuseError beyond its end, CliError if it fails."""
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
