"""Plays chess with any UCI engine: `python -m bots.uci --engine stockfish --option Hash=64 --nodes 10000`."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import NoReturn

from bots.kit import run
from bots.uci.bot import UciBot
from bots.uci.engine import Engine, EngineProcess, UciError

_EXAMPLE = """example, in bot.toml:
  command = ["python", "-m", "bots.uci", "--engine", "stockfish", "--option", "Hash=64", "--nodes", "10000"]
"""


_GAMES = "/usr/games"  # where Debian installs engines; not everybody's PATH leads there
_BOT_DIR = "{bot_dir}"  # stands for the directory of the bot's files, wherever that is


def _option(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not (name and separator) or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r}: an option is NAME=VALUE, such as Hash=64")
    return name, value


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from 1")
    return int(text)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what the command says; ends the process with 2 and one line if it is not sound."""
    parser = argparse.ArgumentParser(
        prog="python -m bots.uci",
        description="Plays chess (openspiel_chess) with a UCI engine, by the clock of the match or a fixed limit.",
        epilog=f"{_EXAMPLE}{_BOT_DIR} is the directory of bot.toml: --option WeightsFile={_BOT_DIR}/default.nn\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--engine", required=True, metavar="PROGRAM", help="the engine: a name on PATH or in /usr/games, or a path"
    )
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="arguments for the engine, after --")
    parser.add_argument(
        "--option",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a UCI option; may be repeated",
    )
    limit = parser.add_mutually_exclusive_group()
    for kind, unit in (("nodes", "positions"), ("depth", "plies"), ("movetime", "milliseconds")):
        limit.add_argument(f"--{kind}", type=_positive, metavar="N", help=f"search N {unit} per move")
    return parser.parse_args(arguments)


def _link_files(directory: Path) -> None:
    """Put a link to each of the bot's files into the working directory, so that the engine finds them there.

    It is not started among the files themselves: a log that it writes would change the version.
    """
    for file in directory.iterdir():
        with contextlib.suppress(OSError):
            Path(file.name).symlink_to(file)


def _end(process: EngineProcess, number: int, frame: FrameType | None) -> NoReturn:
    """Tell what the engine has not answered, and end: the arena sends a bot this signal when its time is up."""
    del frame
    if silence := process.silence():
        sys.stderr.write(f"{silence}\n")
        sys.stderr.flush()
    process.kill()
    os._exit(128 + number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play until the arena closes the stream; 1 if the engine fails, which is told in one line."""
    options = read_arguments(arguments)
    directory = Path(os.environ.get("ARENA_BOT_DIR", "")).absolute()
    _link_files(directory)
    program, *words = (word.replace(_BOT_DIR, str(directory)) for word in (options.engine, *options.arguments))
    wanted = {name: value.replace(_BOT_DIR, str(directory)) for name, value in options.option}
    try:
        engine = shutil.which(program) or shutil.which(program, path=_GAMES) or program
        process = EngineProcess([engine, *words])
        signal.signal(signal.SIGTERM, partial(_end, process))
        try:
            limits = {kind: getattr(options, kind) for kind in ("nodes", "depth", "movetime")}
            go = next((f"go {kind} {value}" for kind, value in limits.items() if value), "")
            run(UciBot(Engine(process, wanted), go))
        finally:
            process.stop()
    except UciError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
