"""Reads the command of a bot as its author writes it, and starts it as the arena would."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.conform.harness.process import BotProcess, Launcher, start_process
from arena.hosting.bot_environment import bot_environment
from arena.hosting.debian_packages import PACKAGES
from arena.hosting.sandbox.levels import BotProgram, plan_start
from arena.hosting.sandbox.limits import NONE, SandboxLimits
from engine.text import Text


@dataclass(frozen=True, slots=True)
class Command:
    """How a bot is started."""

    argv: Sequence[str]
    """Ready for exec in any directory."""
    directory: str
    """Where its files lie."""
    trees: Sequence[str] | None = None
    """What its runtime needs besides the system; None for what the arena's own Python does."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What its runtime adds to the environment."""


class CommandError(ValueError):
    """What was given cannot be started; the message ends with the remedy."""


def read_command(words: Sequence[str]) -> Command:
    """Return how the program is started that the words name, with its arguments. Raises CommandError."""
    first = Path(words[0])
    here = Path.cwd()
    program = str(first.absolute()) if first.is_file() else shutil.which(words[0])
    if program is None:
        if package := PACKAGES.get(words[0]):
            raise CommandError(
                Text(
                    "hosting.no_program_install_debian_apt",
                    "there is no program {name}; install it, on Debian with `apt install {package}`",
                    name=repr(words[0]),
                    package=package,
                )
            )
        raise CommandError(
            Text(
                "conform.no_program_name_directory_bot",
                "there is no program {name}; name a directory with bot.toml, or write the command of the bot "
                "behind --, such as -- python main.py",
                name=repr(words[0]),
            )
        )
    if not os.access(program, os.X_OK):
        raise CommandError(
            Text(
                "conform.not_executable_write_program_runs",
                "{name} is not executable; write the program that runs it in front of it",
                name=repr(words[0]),
            )
        )
    return Command((program, *(_full_path(word, here) for word in words[1:])), str(here))


def launcher_of(command: Command) -> Launcher:
    """Return what starts the bot in the environment that the arena gives it, each time as a process of its own."""

    async def launch(address: str, token: str, scratch: Path) -> BotProcess:
        environment = bot_environment(command.directory, scratch, address, token)
        program = BotProgram(command.argv, command.directory, environment, scratch, command.trees, command.variables)
        request = plan_start(program, SandboxLimits(NONE))
        return start_process(request.argv, request.environment, scratch)

    return launch


def _full_path(word: str, directory: Path) -> str:
    """Return an argument as it must be written in another working directory."""
    return str(directory / word) if (directory / word).is_file() else word
