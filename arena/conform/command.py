"""Reads what is to be checked: a directory with bot.toml, or a program with its arguments."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from arena.conform.stage.process import BotProcess, Command, Launcher, start_process
from arena.hosting.bot_environment import bot_environment
from arena.hosting.manifest import load_manifest, resolve_command


class CommandError(ValueError):
    """What was given cannot be started; the message ends with the remedy."""


def read_command(words: Sequence[str]) -> Command:
    """Return how the bot is started that the words mean. Raises CommandError, BotDirectoryError."""
    first = Path(words[0])
    if len(words) == 1 and first.is_dir():
        directory = first.absolute()
        return Command(resolve_command(load_manifest(directory), directory), str(directory))
    here = Path.cwd()
    program = str(first.absolute()) if first.is_file() else shutil.which(words[0])
    if program is None:
        raise CommandError(
            f"there is no program {words[0]!r}; name a directory with bot.toml, or write the command of the bot "
            "behind --, such as -- python main.py"
        )
    if not os.access(program, os.X_OK):
        raise CommandError(f"{words[0]!r} is not executable; write the program that runs it in front of it")
    return Command((program, *(_full_path(word, here) for word in words[1:])), str(here))


def launcher_of(command: Command) -> Launcher:
    """Return what starts the bot in the environment that the arena gives it, each time as a process of its own."""

    async def launch(address: str, token: str, scratch: Path) -> BotProcess:
        return start_process(command, bot_environment(command.directory, scratch, address, token), scratch)

    return launch


def _full_path(word: str, directory: Path) -> str:
    """Return an argument as it must be written in another working directory."""
    return str(directory / word) if (directory / word).is_file() else word
