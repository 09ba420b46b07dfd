"""How long others wait to write while the first match of a long ladder is annulled and all ratings are computed anew.

    python -m benchmarks.annulling [--matches 100000]

A second thread writes a notice again and again; what counts is the longest that it had to wait. For comparison, the
same is measured while all is computed in one transaction, as `arena rating rebuild` does it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from sqlmodel import select

from benchmarks.ladders import make
from ratings.errors import DatabaseBusyError
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.store.database import Database
from ratings.store.rating import RatingOrderRecord
from ratings.store.sessions import read

GOAL_S = 2.0
PAUSE_S = 0.01


class _Writer:
    """Somebody else, who wants to write all the while."""

    def __init__(self, database: Database) -> None:
        self._ledger = ServiceLedger(database)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self.waits: list[float] = []

    def _write(self) -> None:
        while not self._stopping.wait(PAUSE_S):
            begun = time.perf_counter()
            with suppress(DatabaseBusyError):  # it gave up: that was its longest wait
                self._ledger.add_notice(None, "benchmark", "somebody wrote")
            self.waits.append(time.perf_counter() - begun)

    def beside(self, work: Callable[[], object]) -> tuple[float, float]:
        """Return how long some work took, and the longest wait meanwhile, in seconds."""
        self.waits.clear()
        self._stopping.clear()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()
        begun = time.perf_counter()
        work()
        took = time.perf_counter() - begun
        self._stopping.set()
        self._thread.join()
        return took, max(self.waits, default=took)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if somebody had to wait too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        database = make(Path(f"{folder}/arena.db"), options.matches, is_rated=True)
        with read(database) as session:
            first = session.exec(select(RatingOrderRecord).where(RatingOrderRecord.rating_seq == 1)).one()
        writer, service = _Writer(database), ServiceLedger(database)
        took, wait = writer.beside(lambda: service.annul_match(first.match_id, why="a benchmark", actor="operator"))
        print(f"annulled the first of {options.matches:,} matches in {took:.1f} s; others waited {wait:.2f} s at most")
        took, whole = writer.beside(lambda: Ledger(database).rebuild(first.pool_id))
        print(f"all in one transaction: {took:.1f} s; others waited {whole:.2f} s at most")
        database.close()
    return 0 if wait <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
