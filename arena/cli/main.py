"""The command `arena`. Entry point: `main`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from arena.cli import errors, game, perft
from arena.cli.options import example

app = typer.Typer(
    name="arena",
    help="Tournaments between game-playing programs.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"kingmaker-arena {version('kingmaker-arena')}")
        raise typer.Exit


def _print_help(context: typer.Context) -> None:
    """A noun without a verb shows its help, and counts as misuse."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(errors.MISUSE)


@app.callback(invoke_without_command=True, epilog=example("arena demo", "arena leaderboard --db demo.db"))
def arena(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """Tournaments between game-playing programs: bots over gRPC, a trusted referee, TrueSkill ratings."""
    del version
    _print_help(context)


def _add_noun(name: str, noun: typer.Typer) -> None:
    noun.callback(invoke_without_command=True)(_print_help)
    app.add_typer(noun, name=name)


_add_noun("game", game.app)
app.add_typer(perft.app)


def run(arguments: Sequence[str]) -> int:
    """Do what a command line (without the program's name) says; the exit code."""
    try:
        code = app(args=list(arguments), prog_name="arena", standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else errors.FAILED
    except BaseException as error:
        return errors.report(error)
    return code if isinstance(code, int) else 0


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
