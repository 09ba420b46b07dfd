"""`arena bot submit`: hand a bot in at a service, and see what its checks find."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_note_limit, printable
from arena.cli.shared.connect import next_command, open_service, service_name
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.hosting import notes_on_games, print_notes
from arena.cli.shared.interrupt import InterruptedRunError
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import UploadDisplay
from arena.cli.verbs.bot.versions import print_findings
from arena.hosting.manifest import load_manifest
from arena.model.bots import Admission, Submitted
from engine.translatable import Text
from ratings.values.states import AdmissionState

if TYPE_CHECKING:
    from arena.rpc.remote_arena import RemoteArena


app = typer.Typer()


@app.command(
    epilog=example("arena --server club bot submit my-bot", 'arena bot submit my-bot --message "looks one ply deeper"')
)
def submit(
    directory: Annotated[Path, typer.Argument(metavar="DIRECTORY")],
    message: Annotated[str, typer.Option("--message", "-m")] = "",
    predecessor: Annotated[int | None, typer.Option(metavar="N")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait")] = True,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Submit a bot, or a new version of it, to a service."""
    service = service_name(db)
    if service is None:
        add = next_command("bot", "add", str(directory), db=db)
        raise MisuseError(
            Text("a bot is handed in at a service; name one with --server, or `{command}` adds it here", command=add)
        )
    # Whatever is wrong with it is better told before an upload.
    print_notes(notes_on_games(load_manifest(directory).games))
    with open_service(service) as arena:
        with _resumable():
            submitted = _send(arena, directory, message, predecessor)
        what = say("cli_bot.submitted") if submitted.new else say("cli_bot.submitted_before")
        version = say(
            "cli_bot.version_of", bot=submitted.bot, version=submitted.number, hash=submitted.content_hash[:12]
        )
        typer.echo(f"{what} {version}{_outlook(submitted)}", err=True)
        if "/" in submitted.bot:
            usage = arena.account.get_usage(submitted.bot.partition("/")[0])
            typer.echo(format_note_limit(usage), nl=False, err=True)
        _print_waiting(submitted.admission, "")
        log = next_command("bot", "admission", submitted.bot, db=db)
        admission = _watch(arena, submitted, log) if wait else submitted.admission
    if as_json:
        print_json({**asdict(submitted), "admission": None if admission is None else asdict(admission)})
    if admission is not None and admission.state is AdmissionState.REFUSED:
        typer.echo(say("cli_bot.submit_again"), err=True)
        raise CliError(
            Text(
                "{bot} version {number}: {why}",
                bot=submitted.bot,
                number=submitted.number,
                why=admission.summary or "Refused; see above.",
            )
        )


def _send(arena: RemoteArena, directory: Path, message: str, predecessor: int | None) -> Submitted:
    from arena.rpc.upload import submit as hand_in

    display = UploadDisplay()
    try:
        return hand_in(arena, directory, message, display.update, predecessor, display.note_retry)
    finally:
        display.end()


@contextmanager
def _resumable() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedRunError(
            Text("stopped; what has arrived is kept, and the same command goes on there")
        ) from None


def _outlook(submitted: Submitted) -> str:
    if submitted.admission is None:
        return say("cli_bot.needs_no_admission")
    if submitted.new:
        return ""
    is_queued = submitted.admission.state is AdmissionState.QUEUED
    return say("cli_bot.wait_to_be_built") if is_queued else say("cli_bot.checked_now")


def _print_waiting(admission: Admission | None, said: str) -> str:
    """Say what an admission waits for, unless that was said, and return what is said now."""
    why = admission.summary if admission is not None and admission.state is AdmissionState.QUEUED else None
    if why and why != said:
        typer.echo(printable(translated(why)), err=True)
    return why or said


def _watch(arena: RemoteArena, submitted: Submitted, log: str) -> Admission | None:
    last, shown = submitted.admission, 0
    if last is None:
        return None
    said = last.summary or ""
    watched = arena.admissions.watch_admission(last.id)
    try:
        for last in watched:
            said = _print_waiting(last, said)
            shown = print_findings(last, shown)
    except KeyboardInterrupt:
        raise InterruptedRunError(
            Text("no longer watched; the service goes on, `{command}` shows what it found", command=log)
        ) from None
    if last.state is AdmissionState.ADMITTED:
        typer.echo(say("cli_bot.admitted", what=translated(last.summary or submitted.bot)), err=True)
    elif last.state is AdmissionState.WITHDRAWN:
        typer.echo(
            say("cli_bot.withdrawn", why=translated(last.summary or "") or say("cli_bot.newer_version")), err=True
        )
    return last
