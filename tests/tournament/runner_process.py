"""Runs a planned tournament in a process of its own that kills itself at a chosen point, as `kill -9` would.

    python -m tests.tournament.runner_process DATABASE TOURNAMENT_ID POINT COUNT

POINT: `start` (the executor is handed a match), `transaction` (a result is written, not committed), `progress` (it is
committed); it dies there the COUNT-th time, or plays to the end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.tournament.runner import run_tournament
from ratings.ledger import recording
from tests.tournament.book import install_nim, open_book
from tests.tournament.scripted_executor import ScriptedExecutor


def killer(armed: bool, count: int) -> Callable[..., None]:
    """A function that ends this process the `count`-th time it is called."""
    left = count

    def kill(*_: Any) -> None:
        nonlocal left
        left -= 1
        if armed and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return kill


def after(function: Callable[..., Any], then: Callable[..., None]) -> Callable[..., Any]:
    def both(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        then()
        return value

    return both


def main(path: str, tournament_id: str, point: str, count: int) -> None:
    install_nim()
    executor = ScriptedExecutor(seed=count, on_start=killer(point == "start", count))
    recording.record_results = after(recording.record_results, killer(point == "transaction", count))
    with open_book(Path(path)) as book:
        progress = killer(point == "progress", count)
        asyncio.run(run_tournament(book.database, tournament_id, executor, book.programs, on_progress=progress))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
