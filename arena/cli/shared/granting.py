"""How many matches this machine plays at once when each bot is granted some of its cores."""

from __future__ import annotations

from arena.cli.shared.connect import ArenaConnection
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.options import worker_count
from arena.hosting.procfs.machine import count_cores
from engine.text import Text


def granted_workers(workers: int, cores: int) -> int:
    """Return the number of workers that `--workers` means where each has so many cores; 0 is as many as there is room.

    Raise MisuseError if this machine has not as many cores.
    """
    if cores == 1:
        return worker_count(workers)
    there = count_cores()
    if cores > there:
        raise MisuseError(
            Text(
                "command.each_bot_get_cores_here",
                "each bot is to get {number} cores, and there are {count} here; use --cores {most} or fewer",
                number=cores,
                count=there,
                most=there,
            )
        )
    if workers * cores > there:
        raise MisuseError(
            Text(
                "command.workers_cores_each_need_here",
                "{number} workers with {cores} cores each need {needed}, and there are {count} here; use "
                "--workers {most} or fewer",
                number=workers,
                cores=cores,
                needed=workers * cores,
                count=there,
                most=there // cores,
            )
        )
    return workers or there // cores


def check_cores(connection: ArenaConnection, cores: int, workers: int) -> None:
    """Raise MisuseError if what is ordered cannot be played here, before it is; a service knows its own machine."""
    if connection.storage is not None:
        granted_workers(workers, cores)
