"""The command lines that messages suggest, written so that they work in the shell where they are read."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from shlex import join

from arena.cli.shared.places import place_words


def program() -> str:
    """Return how this command is called: `arena`, or its path if the shell finds another program of that name."""
    called = Path(sys.argv[0])
    if called.name != "arena":
        return "arena"
    found = shutil.which("arena")
    if found is not None and called.exists() and Path(found).samefile(called):
        return "arena"
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def demo_command(db: str) -> str:
    """Return the command line that plays a first tournament into `db`, named always: the demo has its own default."""
    return join([program(), "demo", "--db", db])


def next_command(*words: str, db: str) -> str:
    """Return the command line to type next; it names the database or the service unless that is the default one."""
    before, after = place_words(db)
    return join([program(), *before, *words, *after])
