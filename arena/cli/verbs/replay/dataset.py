"""The command `arena replay dataset`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import short_match_id
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.files import written
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, Database, example, get_game
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import LazyProgress
from arena.match.replay import ReplayError, load
from arena.model.errors import ClientError
from arena.model.matches import MatchSummary
from arena.model.tournaments import TournamentSummary
from engine.translatable import Text, placed
from ratings.values.states import MatchState

if TYPE_CHECKING:
    from arena.adapters.dataset_writer import Export

app = typer.Typer()
_PART = 500
"""So many matches are listed at once."""


@dataclass(slots=True)
class _Printed:
    matches: int = 0
    left_out: int = 0
    first: str = ""
    """Which match was left out first, and why."""


@app.command(
    "dataset",
    epilog=example(
        "arena replay dataset --tournament monday --out monday.npz",
        "arena replay dataset --game foreign_king --seats 3 --bot search --out search.parquet",
    ),
)
def dataset(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE")],
    tournament: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    game: Annotated[str | None, typer.Option(metavar="GAME")] = None,
    seats: Annotated[int | None, typer.Option(min=1)] = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    limit: Annotated[int | None, typer.Option(min=1)] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Write replays as a training set."""
    _check_kind(out)
    from arena.adapters.dataset_writer import Export  # NumPy is loaded by nobody else

    so_far = _Printed()
    with connect(db) as connection:
        chosen = _choose(connection, tournament, game, seats)
        total = sum(one.finished for one in chosen)
        with written(out, "--out") as stream, Export(out, stream) as export:
            _write(connection, chosen, bot, min(total, limit or total), export, so_far)
            if not so_far.matches:
                why = f" ({so_far.first})" if so_far.first else ""
                raise CliError(
                    Text(
                        "none of {count} matches can be in a training set{why}; nothing was written",
                        count=so_far.left_out,
                        why=why,
                    )
                )
    size = out.stat().st_size
    if as_json:
        facts = {"file": str(out), "matches": so_far.matches, "positions": export.positions, "bytes": size}
        print_json({**facts, "left_out": so_far.left_out, "why": so_far.first or None})
        return
    size_mb = f"{size / 1_000_000:.1f}"
    typer.echo(
        say("cli_replay.dataset_written", file=out, count=so_far.matches, positions=export.positions, size=size_mb)
    )
    if so_far.left_out:
        typer.echo(say("cli_replay.dataset_left_out", count=so_far.left_out, why=translated(so_far.first)), err=True)


def _check_kind(out: Path) -> None:
    from arena.adapters.dataset import KINDS, DatasetError, need_kind  # NumPy is loaded by nobody else

    if out.suffix not in KINDS:
        raise MisuseError(
            Text(
                "--out {out} is no training set that can be written; end it with {kinds}",
                out=repr(str(out)),
                kinds=", ".join(KINDS),
            )
        )
    try:
        need_kind(out)
    except DatasetError as error:
        raise MisuseError(
            Text("Parquet needs pyarrow, which is not installed here; pip install pyarrow, or end --out with .npz")
        ) from error


def _choose(
    connection: ArenaConnection, tournament: str | None, game: str | None, seats: int | None
) -> list[TournamentSummary]:
    """Return the tournaments whose matches are meant. Raise MisuseError if they are of several games or sizes."""
    if game is not None:
        get_game(game)
    tournaments = connection.arena.tournaments
    named = tournaments.list_tournaments(limit=None).items if tournament is None else None
    found = [tournaments.get_tournament(tournament).summary] if named is None and tournament else list(named or ())
    chosen = [
        one
        for one in found
        if one.finished and (game is None or one.game == game) and (seats is None or one.seats == seats)
    ]
    if not chosen:
        raise MisuseError(Text("no match that is over is meant; see: arena tournament list"))
    kinds = sorted({(one.game, one.seats) for one in chosen})
    if len(kinds) > 1:
        shown = ", ".join(f"{name} {number}" for name, number in kinds)
        raise MisuseError(
            Text(
                "a training set is of one game and one number of seats, here are {shown}; name one by --game and "
                "--seats",
                shown=shown,
            )
        )
    return chosen


def _write(
    connection: ArenaConnection,
    chosen: list[TournamentSummary],
    bot: str | None,
    total: int,
    export: Export,
    so_far: _Printed,
) -> None:
    shown = LazyProgress()
    for match in _matches(connection, chosen, bot):
        if so_far.matches == total:
            break
        why = _add(connection, match, export)
        if why:
            so_far.left_out += 1
            so_far.first = so_far.first or placed(short_match_id(match.id), why)
        else:
            so_far.matches += 1
        shown.update(so_far.matches + so_far.left_out, total)
    shown.end()


def _matches(connection: ArenaConnection, chosen: list[TournamentSummary], bot: str | None) -> Iterator[MatchSummary]:
    for tournament in chosen:
        after: str | None = None
        while True:
            page = connection.arena.matches.list_matches(
                tournament.id, MatchState.FINISHED, bot, limit=_PART, after=after
            )
            yield from page.items
            after = page.next
            if after is None:
                break


def _add(connection: ArenaConnection, match: MatchSummary, export: Export) -> str:
    """Add the decisions of a match and return nothing, or why not. Raise MisuseError if it is of another kind."""
    from arena.adapters.dataset_writer import OtherGameError, UnreplayableError  # NumPy is loaded by nobody else

    if match.hidden:
        return match.why_hidden
    try:
        export.add(_document(connection, match))
    except (ClientError, ReplayError, UnreplayableError) as error:
        return str(error)
    except OtherGameError as error:
        raise MisuseError(
            Text("a training set is of one kind of match, here are {error}; name a --tournament", error=error)
        ) from error
    return ""


def _document(connection: ArenaConnection, match: MatchSummary) -> dict[str, Any]:
    from ratings.errors import NotFoundError  # of a database here; a service says it in its own words

    try:
        return load(connection.arena.replays.get_replay(match.id).data)
    except NotFoundError as error:  # removed by retention
        raise ClientError(str(error)) from error
