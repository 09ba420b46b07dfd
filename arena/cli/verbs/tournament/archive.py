"""`arena tournament export` and `import`: a whole tournament as one file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect, need_here, next_command
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import LazyProgress, StageDisplay
from arena.cli.shared.storage import open_storage
from arena.model.operations import operation_target
from ratings.read.exporting import export_tournament
from ratings.read.tournaments import find_tournament

if TYPE_CHECKING:  # what writes and plays matches again is imported by who imports a tournament
    from arena.app.verification import Verified
    from ratings.ledger.tournament_import import Imported
    from ratings.store.database import Database as OpenDatabase

app = typer.Typer()


@app.command(epilog=example("arena tournament export monday monday.arena"))
def export(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT")],
    target: Annotated[Path, typer.Argument(metavar="FILE")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Write a tournament that is over into one file."""
    from arena.tournament.proof import close_proof

    with connect(need_here(db)) as connection:
        assert connection.storage is not None
        found_id = operation_target(connection.arena.tournaments.get_progress(tournament))
        found = find_tournament(connection.storage.database, found_id)
        close_proof(connection.storage.database, found.id, connection.storage.store.root)
        shown = LazyProgress()
        digest = export_tournament(connection.storage.database, found, target, shown.update)
        shown.end()
    if as_json:
        print_json({"tournament": found.id, "name": found.name, "file": str(target), "digest": digest})
        return
    typer.echo(say("cli_tournament.exported", name=found.name, file=target))
    typer.echo(say("cli_tournament.digest", digest=digest))
    typer.echo(say("cli_tournament.import_reads", file=target))


@app.command("import", epilog=example("arena tournament import monday.arena --db copy.db"))
def import_(
    source: Annotated[Path, typer.Argument(metavar="FILE")],
    name: Annotated[str | None, typer.Option("--name")] = None,
    digest: Annotated[str | None, typer.Option("--digest", metavar="HEX")] = None,
    no_verify: Annotated[bool, typer.Option("--no-verify")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Read an exported tournament into a database."""
    if name is not None:
        from arena.tournament.stored import check_name

        check_name(name)
    with open_storage(db) as storage:
        imported, verified = _import(storage.database, source, name, digest, verifies=not no_verify)
    if as_json:
        told = None if verified is None else {"matches": verified.matches, "without_replay": verified.without_replay}
        print_json({**asdict(imported), "verified": told})
        return
    typer.echo(
        say(
            "cli_tournament.imported",
            name=imported.name,
            count=imported.matches,
            ratings=_ratings(imported.same_ratings),
        )
    )
    typer.echo(_verdict(verified))
    show = next_command("tournament", "show", imported.name, db=db)
    typer.echo(say("cli_tournament.shows_it", command=show))


def _import(
    database: OpenDatabase, source: Path, name: str | None, digest: str | None, *, verifies: bool
) -> tuple[Imported, Verified | None]:
    from arena.app.verification import import_verified
    from arena.tournament.stored import check_stored
    from ratings.ledger.ledger import Ledger

    display = StageDisplay()
    try:
        if not verifies:
            ledger, report = Ledger(database), display.show
            return ledger.import_tournament(source, name=name, digest=digest, report=report, check=check_stored), None
        return import_verified(database, source, name=name, digest=digest, report=display.show)
    finally:
        display.clear()


def _verdict(verified: Verified | None) -> str:
    if verified is None:
        return say("cli_tournament.import_unverified")
    gone = verified.without_replay
    more = say("cli_replay.no_longer_kept", count=gone) if gone else ""
    return say("cli_tournament.import_verified", count=verified.matches, gone=more)


def _ratings(same: bool | None) -> str:
    if same is None:
        return say("cli_tournament.rated_after")
    return say("cli_tournament.rated_same") if same else say("cli_tournament.rated_other")
