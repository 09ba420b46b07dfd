"""`arena replay`: matches as they were played, verified here. The other verbs stand in `verbs/replay`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.cells import short_match_id
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import LazyProgress
from engine.translatable import Text

app = typer.Typer(epilog=example("arena replay show 3f9a01c2", "arena replay verify --all"))
VERBS = {"show": "show", "html": "show", "verify": None, "dataset": "dataset"}


@app.command(
    epilog=example(
        "arena replay verify --all", "arena replay verify 3f9a01c2", "arena replay verify --tournament monday"
    )
)
def verify(
    match: Annotated[str | None, typer.Argument(metavar="[MATCH]")] = None,
    every: Annotated[bool, typer.Option("--all")] = False,
    tournament: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Play stored matches again and compare everything."""
    if [match is not None, every, tournament is not None].count(True) != 1:
        raise MisuseError(Text("say what to verify: a match, or --tournament NAME, or --all"))
    matches, removed, broken, shown = 0, 0, [], LazyProgress()
    with connect(db) as connection:
        total = _finished(connection, tournament) if match is None else 1
        replays = connection.arena.replays
        checks = replays.verify_matches(tournament) if match is None else [replays.verify_match(match)]
        for check in checks:
            matches += 1
            shown.update(matches, total)
            removed += check.removed_at_us is not None
            if check.problems:
                broken.append(check)
    shown.end()
    verified = matches - removed - len(broken)
    if as_json:
        facts = [{"match_id": check.match_id, "problems": list(check.problems)} for check in broken]
        print_json({"matches": matches, "verified": verified, "removed": removed, "broken": facts})
    else:
        for check in broken:
            for problem in check.problems:
                typer.echo(
                    say("cli_replay.match_problem", match=short_match_id(check.match_id), problem=translated(problem))
                )
        gone = say("cli_replay.no_longer_kept", count=removed) if removed else ""
        typer.echo(say("cli_replay.verified", count=matches, verified=verified, broken=len(broken), gone=gone))
    if broken:
        raise typer.Exit(errors.FAILED)


def _finished(connection: ArenaConnection, tournament: str | None) -> int:
    tournaments = connection.arena.tournaments
    if tournament is not None:
        return tournaments.get_tournament(tournament).summary.finished
    return sum(one.finished for one in tournaments.list_tournaments(limit=None).items)
