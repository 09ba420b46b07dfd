"""A process that plays a tournament and can be killed at a known point: writer.py DATABASE TOURNAMENT POSITION POINT.

It stops for ever at POINT ("leased", "inside" the transaction, "committed") of the match at POSITION, having printed a
line; with POSITION -1 it plays to the end.
"""

from __future__ import annotations

import sys

from ratings.ledger.leasing import lease
from ratings.ledger.recording import record_results
from ratings.store.database import open_database
from ratings.store.sessions import write
from tests.ratings import book


def stop() -> None:
    print("stopped", flush=True)  # noqa: T201 - the parent waits for it
    sys.stdin.read()


def main(path: str, tournament: str, position: int, point: str, worker: str) -> None:
    database = open_database(path)
    while True:
        with write(database) as session:
            matches = lease(session, tournament_id=tournament, limit=1, worker=worker, deadline_us=book.FOREVER)
        if not matches:
            return
        (match,) = matches
        here = match.position == position
        if here and point == "leased":
            stop()
        with write(database) as session:
            assert record_results(session, [book.report(match)])[0]
            if here and point == "inside":
                stop()
        with write(database) as session:
            assert not record_results(session, [book.report(match)])[0]
        if here and point == "committed":
            stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
