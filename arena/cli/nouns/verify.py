"""`arena verify`: checks a tournament that somebody else played, from its file alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared import errors
from arena.cli.shared.cells import format_instant
from arena.cli.shared.errors import CliError
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import StageDisplay
from engine.translatable import Text

if TYPE_CHECKING:
    from arena.model.proofs import ProofCheck, ProofReport

app = typer.Typer()
_SCHEMES = ("http://", "https://")
_PATIENCE_S = 60
_PIECE = 1 << 20


@app.command(
    epilog=example(
        "arena verify monday.arena",
        "arena verify https://arena.example.org/tournaments/monday/tournament.arena --commitment HEX",
    )
)
def verify(
    source: Annotated[str, typer.Argument(metavar="FILE|URL")],
    commitment: Annotated[str | None, typer.Option("--commitment", metavar="HEX")] = None,
    as_json: AsJson = False,
) -> None:
    """Check a tournament by its signed log, without a database."""
    from arena.app.proof_checks import check_proof  # plays matches, which no help needs

    display = StageDisplay()
    try:
        with _file(source) as path:
            report = check_proof(path, commitment=commitment, report=display.show)
    finally:
        display.clear()
    if as_json:
        print_json({"holds": report.holds, **asdict(report)})
    else:
        _print(report)
    if not report.holds:
        raise typer.Exit(errors.FAILED)


def _print(report: ProofReport) -> None:
    if report.commitment:
        at = format_instant(report.committed_at_us)
        typer.echo(say("cli_verify.committed", name=report.name, commitment=report.commitment, at=at))
        typer.echo(say("cli_verify.signed", key=report.public_key))
    for check in report.checks:
        for line in _lines(check):
            typer.echo(line)
    if report.replayed.without:
        typer.echo(say("cli_verify.without_replay", count=report.replayed.without))
    if report.replayed.withheld:
        typer.echo(say("cli_verify.withheld", count=report.replayed.withheld))
    typer.echo(say("cli_verify.holds" if report.holds else "cli_verify.fails", name=report.name))


def _lines(check: ProofCheck) -> Iterator[str]:
    what = say(f"cli_verify.part_{check.part}", count=check.count)
    if not check.is_made:
        yield say("cli_verify.not_checked", part=what)
    elif check.holds:
        yield say("cli_verify.ok", part=what)
    for problem in check.problems:
        yield say("cli_verify.failed", part=what, problem=translated(problem))


@contextmanager
def _file(source: str) -> Iterator[Path]:
    """Give the path of a file, or of what is fetched from an address. Raises CliError if it cannot be fetched."""
    if not source.startswith(_SCHEMES):
        yield Path(source)
        return
    from urllib.error import URLError
    from urllib.request import urlopen

    with tempfile.TemporaryDirectory(prefix="arena-verify-") as directory:
        path = Path(directory) / "tournament.arena"
        try:
            with urlopen(source, timeout=_PATIENCE_S) as answer, path.open("wb") as file:
                while piece := answer.read(_PIECE):
                    file.write(piece)
        except (URLError, OSError, ValueError) as error:
            why = getattr(error, "reason", error)
            raise CliError(
                Text("{url} cannot be fetched: {why}; check the address", url=source, why=str(why))
            ) from error
        yield path
