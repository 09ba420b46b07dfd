"""What a browser gets of a table: who plays, the board, what may be chosen, in the visitor's language. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.v1 import match_pb2
from arena.web.people.board import Board
from arena.web.people.seat import Seat
from arena.web.people.table import Table
from engine.abilities import Move, View
from engine.core import AbilityError
from engine.picture import Picture

MOST_MOVES = 60
"""How many of the last moves are told; all of them stand in the replay."""


def table_document(table: Table, language: str) -> dict[str, Any]:
    """Return a table as it stands, as JSON data: for the seat that is asked, or else for the first that plays."""
    seat = table.turn
    picture = picture_of(table, language)
    return {
        "sequence": table.sequence,
        "seat": seat.number,
        "person": seat.name,
        "stage": seat.stage.value,
        "is_connected": table.is_connected or table.is_over,
        "restarts": seat.restarts,
        "people": [one.number for one in table.seats if not one.is_over],
        "asked": _asked(seat, language),
        "moves": _moves(table, language),
        "frame": _frame(picture),
        "title": picture.title if picture else "",
        "parts": list(picture.parts) if picture else [],
        "text": "" if picture else text_of(table, language),
        "ending": _ending(seat),
        "lost": seat.lost,
    }


def _frame(picture: Picture | None) -> dict[str, Any] | None:
    """Return what is the same in all pictures of a match."""
    if picture is None:
        return None
    return {"width": picture.width, "height": picture.height, "style": picture.style, "defs": picture.defs}


def picture_of(table: Table, language: str) -> Picture | None:
    """Return the position as the seat sees it; None if the game draws none, or nothing was shown yet."""
    seat = table.turn
    board = seat.board
    if board is None or board.state is None:
        return None
    view = View(language, seat.number, table.about.names, board.last)
    try:
        return board.game.shown.picture(board.state, view)
    except AbilityError:
        return None


def text_of(table: Table, language: str) -> str:
    """Return the position for those who see no picture; empty if nothing was shown yet."""
    seat = table.turn
    if seat.board is None or seat.board.state is None:
        return ""
    return seat.board.game.shown.text(seat.board.state, seat.number, language)


def _asked(seat: Seat, language: str) -> dict[str, Any] | None:
    asked, board = seat.asked, seat.board
    if asked is None or board is None:
        return None
    labels = board.game.shown.labels(language)
    actions = [_action(board, labels, action) for action in asked.legal]
    steps = {step for action in actions for step in action["path"]}
    return {
        "ply": asked.ply,
        "actions": actions,
        "labels": {step: labels[step] for step in steps if step in labels},
        "left_s": None if asked.left_us is None else asked.left_us / 1e6,
        "bank_s": None if asked.bank_us is None else asked.bank_us / 1e6,
        "idle_left_s": asked.idle_left_s,
    }


def _action(board: Board, labels: Mapping[str, str], action: int) -> dict[str, Any]:
    notation = board.game.actions.format(action)
    return {"id": action, "label": labels[notation], "path": list(board.game.shown.path(notation))}


def _moves(table: Table, language: str) -> list[dict[str, Any]]:
    """Return the last moves in words, the last one last."""
    board = table.turn.board
    if board is None:
        return []
    told = zip(board.moves[-MOST_MOVES:], board.told[-MOST_MOVES:], strict=True)
    return [
        {"ply": event.ply, "seat": event.seat, "words": _words(board, event, move, language)} for event, move in told
    ]


def _words(board: Board, event: match_pb2.Event, move: Move | None, language: str) -> list[str]:
    """Return a move in whole sentences; where only its notation is known, by its name, with dice and cards."""
    shown = board.game.shown
    if move is not None:
        return list(shown.tell(move, language))
    return list(_named(shown.labels(language), board.game.actions.format(event.action), event.reveals))


def _named(labels: Mapping[str, str], notation: str, reveals: Sequence[match_pb2.Reveal]) -> Iterator[str]:
    yield labels[notation]
    for reveal in reveals:
        yield f"{labels.get(reveal.kind, reveal.kind)}: {' '.join(map(str, reveal.values))}"


def _ending(seat: Seat) -> dict[str, Any] | None:
    ending = seat.ending
    if ending is None:
        return None
    return {"ranks": list(ending.ranks), "faults": list(ending.faults), "resigned": ending.resigned}
