"""How many matches this machine plays at once when each bot is granted some of its cores."""

from __future__ import annotations

from arena.cli.shared.connect import ArenaConnection
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.options import worker_count
from arena.hosting.procfs.machine import count_cores


def granted_workers(workers: int, cores: int) -> int:
    """Return the number of workers that `--workers` means where each has so many cores; 0 is as many as there is room.

    Raise MisuseError if this machine has not as many cores.
    """
    if cores == 1:
        return worker_count(workers)
    there = count_cores()
    if cores > there:
        raise MisuseError(f"each bot is to get {cores} cores, and there are {there} here; use --cores {there} or fewer")
    if workers * cores > there:
        raise MisuseError(
            f"{workers} workers with {cores} cores each need {workers * cores}, and there are {there} here; "
            f"use --workers {there // cores} or fewer"
        )
    return workers or there // cores


def check_cores(connection: ArenaConnection, cores: int, workers: int) -> None:
    """Raise MisuseError if what is ordered cannot be played here, before it is; a service knows its own machine."""
    if connection.storage is not None:
        granted_workers(workers, cores)
