"""A match in which the bots of two owners wrote something."""

from __future__ import annotations

from arena.match.worker_report import SeatLogText
from ratings.ledger.service_ledger import ServiceLedger
from tests.app.world import SEATS, add_bots, circle
from tests.ratings import book
from tests.support.owners import RunningServer


def play_logged(server: RunningServer, text: str) -> str:
    """The id of a match of ann/fox and ben/owl, in which each wrote that text and its name.

    It is annulled: its replay tells nothing that the front page could show.
    """
    versions = add_bots(server.database)
    tournament = book.create(server.database, versions[:2], SEATS, blocks=circle(versions)[:1], name="logged")
    matches = book.take(server.database, tournament)
    for match in matches:
        logs = [SeatLogText(seat, f"{text} {one.bot}".encode(), 0) for seat, one in enumerate(match.seats)]
        book.record(server.database, match, ranks=(1, 2), seat_logs=logs)
        ServiceLedger(server.database).annul_match(match.match_id, why="it was not played", actor="test")
    return matches[0].match_id
