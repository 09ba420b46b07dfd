"""Asks the search sample, as a process of its own, what it thinks of the positions of a match that was lost."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from arena.hosting.manifest import BotDirectoryError
from arena.hosting.sample_bots import sample_directory
from arena.trial.seats import SEARCH

PATIENCE_S = 60.0
_PROGRAM = "values.py"


@dataclass(frozen=True, slots=True)
class ValueDrop:
    """Where a seat's value fell most: between its decision at `ply` and its next one, or the end of the match."""

    ply: int
    before: float
    after: float


async def find_drop(replay: Path, seat: int) -> ValueDrop | None:
    """Return where the value of a stored match fell most for a seat; None if that is not known.

    The sample values nothing in a game that cannot be searched.
    """
    try:
        program = sample_directory(SEARCH) / _PROGRAM
    except BotDirectoryError:
        return None
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", str(program), str(replay), str(seat)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in a terminal is for the command, which ends it
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            said, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return largest_drop(json.loads(said)) if process.returncode == 0 else None


def largest_drop(values: Sequence[tuple[int, float]]) -> ValueDrop | None:
    """Return the largest fall between two positions of `(ply, value)`, the first of equal ones; None if none falls."""
    falls = [ValueDrop(ply, before, after) for (ply, before), (_, after) in pairwise(values) if after < before]
    return max(falls, key=lambda fall: fall.before - fall.after, default=None)
