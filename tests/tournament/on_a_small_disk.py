"""Plays a tournament on a disk that is full, and then on one with little room, and says each time what came of it.

python -m tests.tournament.on_a_small_disk DISK KB: with so many kilobytes
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from arena.tournament.runner import run_tournament
from ratings.errors import DatabaseFullError
from ratings.ledger.check import check
from tests.support.databases import repeated_migrations
from tests.tournament.book import BOTS, Book, install_nim, open_book
from tests.tournament.scripted_executor import ScriptedExecutor


def fill(disk: Path, left_kb: int) -> None:
    """Have so many kilobytes left on the disk."""
    (disk / "filler").unlink(missing_ok=True)
    found = os.statvfs(disk)
    with (disk / "filler").open("wb", buffering=0) as filler:
        filler.write(bytes(found.f_bavail * found.f_frsize - left_kb * 1024))


async def play(book: Book, tournament_id: str) -> str:
    try:
        async with ScriptedExecutor(slots=1) as executor:
            final = await run_tournament(book.database, tournament_id, executor, book.programs)
    except DatabaseFullError:
        return "full"
    return f"{final.finished} of {final.total}, {check(book.database)}"


def main(disk: Path, left_kb: int) -> None:
    install_nim()
    with repeated_migrations(), open_book(disk / "arena.db") as book:
        for name in BOTS:
            book.add_bot(name)
        tournament = book.plan(blocks=4).id
    for left in (0, left_kb):
        fill(disk, left)
        with open_book(disk / "arena.db") as book:
            sys.stdout.write(asyncio.run(play(book, tournament)) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
