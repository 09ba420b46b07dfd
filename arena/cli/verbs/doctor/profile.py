"""Does what `arena doctor --profile` is asked for: plays, measures, and prints where time went."""

from __future__ import annotations

import sys
from functools import partial

import typer

from arena.cli.shared.errors import CliError
from arena.cli.shared.interrupt import run_interruptibly
from arena.cli.shared.options import get_game, worker_count
from arena.cli.shared.saying import say
from arena.cli.shared.terminal import fold, raw_stream, width_of
from arena.cli.verbs.doctor.measuring import measure, profiled_tournament, seats_of
from arena.cli.verbs.doctor.profile_options import ProfileOptions
from arena.cli.verbs.doctor.profile_report import print_profile, print_profile_json
from arena.profiling.split import UnmeasuredError
from engine import registry
from engine.core import Game
from engine.text import Text


def profile(options: ProfileOptions, *, as_json: bool) -> None:
    """Play for a while and print where time went. Raises CliError, also after Ctrl-C; nothing is left behind."""
    game = get_game(options.game) if options.game else _first_game()
    workers = worker_count(options.workers)
    _announce(game, workers, options.seconds)
    with profiled_tournament(game, options.seconds, workers) as staged:
        work = partial(measure, staged, options.seconds, workers, partial(_show, options.seconds))
        try:
            split = run_interruptibly(
                work,
                Text(
                    "command.nothing_measured_nothing_left_behind", "nothing was measured, and nothing is left behind"
                ),
            )
        except UnmeasuredError as error:
            raise CliError(str(error)) from error
        finally:
            _write_live("")
    if as_json:
        print_profile_json(game, split)
    else:
        print_profile(split)


def _first_game() -> Game:
    """Return the first game that evaluates its positions, as the demo plays; otherwise the first of all."""
    games = [registry.get(name) for name in registry.names()]
    found = next((game for game in games if game.playable), next(iter(games), None))
    if found is None:
        raise CliError(Text("command.no_game_installed_install_arena", "no game is installed; install the arena anew"))
    return found


def _announce(game: Game, workers: int, seconds: float) -> None:
    typer.echo(
        say("cli_doctor.plays", game=game.title, bots=seats_of(game), workers=workers, seconds=f"{seconds:g}"), err=True
    )


def _show(seconds: float, measured_s: float) -> None:
    if sys.stderr.isatty():
        done = f"{min(measured_s, seconds):.1f}"
        text = say("cli_doctor.measured", done=done, seconds=f"{seconds:g}") if measured_s else say("cli_doctor.starts")
        _write_live(text)


def _write_live(text: str) -> None:
    """Show a text in place of the one before, on a terminal; none if it is empty."""
    width = width_of(sys.stderr)
    if width is not None:
        shown = fold(text, max(1, width - 1))[0] if text else ""
        raw_stream(sys.stderr).write(f"\r\x1b[K{shown}")
        sys.stderr.flush()
