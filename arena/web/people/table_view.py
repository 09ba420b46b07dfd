"""What a browser is told of a table: the moves in words with the board after each, what may be chosen, how it ended.

    view_of(table, party)                   all that is to be told, taken in the event loop
    BrowserUpdates(language).update(view)   what one browser lacks of it, drawn in a thread

A browser is told a position by what changed: `changes` is [slot, part, slot, part, ...] of its picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arena.i18n.catalogue import translate
from arena.v1 import match_pb2
from arena.web.people.game_table import GameTable, Party
from arena.web.people.human_seat import HumanSeat, HumanSeatState, LookAhead, PendingDecision, SeatBoard
from engine.abilities import Move, View
from engine.core import AbilityError, State
from engine.picture import Picture
from engine.record import UNKNOWN_ACTION

MOST_MOVES = 60
"""How many of the last moves are told; all of them stand in the replay."""
MOST_DRAWN = 40
"""How many positions are drawn at once, when a browser lacks more of them."""


@dataclass(frozen=True, slots=True)
class ObservedPly:
    """One ply: what the seat was told of it, and what a watch saw."""

    event: match_pb2.Event | None
    move: Move | None


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as one party may see it, at one moment. Positions are whole: only `BrowserUpdates` shows them."""

    sequence: int
    match: tuple[int, int]
    """Tells apart the attempts at a match."""
    seat: HumanSeat
    seats: tuple[int, ...]
    """Those of the party that are not over."""
    names: tuple[str, ...]
    board: SeatBoard | None
    asked: PendingDecision | None
    start: State | None
    count: int
    """How many plies were played."""
    played: tuple[ObservedPly, ...]
    """The last ones of them."""
    is_private: bool
    """Whether the seats of the party do not all see the same, so that those at one screen must look away."""
    explanations: Mapping[str, str]
    """Those of faults, by their English words."""
    heads: Mapping[str, Any]


def view_of(table: GameTable, party: Party) -> TableView:
    """Return what a party may see now."""
    seat, following = table.turn_of(party), table.following
    board, events, watched = seat.board, (seat.board.moves if seat.board else []), following.moves
    count = len(watched) if following.is_alive else max(len(watched), len(events))
    if board is not None and seat.asked is not None:
        count = max(count, board.asked_ply)
    first = max(count - MOST_MOVES, 0)
    played = [
        ObservedPly(events[ply] if ply < len(events) else None, watched[ply] if ply < len(watched) else None)
        for ply in range(first, count)
    ]
    asked = seat.asked
    return TableView(
        sequence=table.sequence,
        match=(following.attempt, id(board)),
        seat=seat,
        seats=tuple(one.number for one in table.seats_of(party) if not one.is_over),
        names=table.about.names,
        board=board,
        asked=None if asked is None or asked.ply > count else asked,
        start=following.start,
        count=count,
        played=tuple(played),
        is_private=_is_private(table, party),
        explanations=following.explanations,
        heads={
            "stage": seat.stage.value,
            "is_connected": table.is_connected or table.is_over,
            "restarts": seat.restarts,
            "missing": table.missing,
            "match": f"/matches/{table.about.match_id}" if table.about.match_id else "",
            "lost": seat.lost,
            "ended": following.ended,
            "decider": next(
                (one.number for one in table.seats if one.stage is HumanSeatState.ASKED), following.decider
            ),
            "is_done": table.is_over and (following.is_over or not following.is_alive),
        },
    )


def _is_private(table: GameTable, party: Party) -> bool:
    """Return whether two people at one screen see different things of the position now."""
    moves, board = table.following.moves, table.turn_of(party).board
    state = (moves[-1].after if moves and moves[-1] else None) if moves else table.following.start
    if len(party.seats) < 2 or board is None or state is None or not board.game.has_hidden_information:
        return False
    first, *others = (state.observation_json(seat) for seat in party.seats)
    return any(other != first for other in others)


class BrowserUpdates:
    """Remembers what one browser was told. Its method may run in any thread, one call at a time."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._shown_match: tuple[Any, ...] = ()
        self._count = 0
        self._parts: tuple[str, ...] = ()

    def update(self, view: TableView) -> dict[str, Any]:
        """Return what is new as JSON data; `fresh` says that it begins anew, with the position as it is."""
        key = (view.match, view.seat.number if view.is_private else -1, view.board is None)
        is_fresh = key != self._shown_match or view.count < self._count
        if is_fresh:
            self._shown_match, self._parts = key, ()
        since = 0 if is_fresh else self._count
        is_drawn = not is_fresh
        first = view.count - len(view.played)
        document = {
            "sequence": view.sequence,
            "fresh": is_fresh,
            "seat": view.seat.number,
            "person": view.seat.name,
            "people": list(view.seats),
            "names": list(view.names),
            "private": view.is_private,
            "count": view.count,
            "asked": asked_json(view, self._language),
            "moves": [
                {
                    **_ply_json(view, played, ply, self._language),
                    "board": self._position(view, ply + 1) if is_drawn and ply >= view.count - MOST_DRAWN else None,
                }
                for ply, played in enumerate(view.played, first)
                if ply >= since
            ],
            "board": self._position(view, view.count) if is_fresh else None,
            "ending": _ending(view, self._language),
            **view.heads,
        }
        self._count = view.count
        return document

    def _position(self, view: TableView, count: int) -> dict[str, Any] | None:
        state, last = position(view, count)
        if state is None or view.board is None:
            return None
        picture = picture_of(view, state, last, self._language)
        if picture is None:
            return {"text": text_of(view, state, self._language)}
        is_first, parts = not self._parts, picture.parts
        before = [*self._parts, *[""] * (len(parts) - len(self._parts))]
        self._parts = tuple(parts)
        changes = [item for slot, part in enumerate(parts) if part != before[slot] for item in (slot, part)]
        # What is the same in all pictures of a match is sent with the first.
        frame = {"width": picture.width, "height": picture.height, "style": picture.style, "defs": picture.defs}
        return {"changes": changes, "title": picture.title, **({"frame": frame} if is_first else {})}


def position(view: TableView, count: int) -> tuple[State | None, Move | None]:
    """Return the position after so many plies as the seat sees it, and the move that led there, if they are known."""
    board = view.board
    if board is None:
        return None, None
    first = view.count - len(view.played)
    move = view.played[count - 1 - first].move if count > first else None
    if move is not None:
        seen = board.seen_move(move)
        return seen.after, seen
    if board.asked is not None and board.asked_ply == count:
        return board.asked, None
    return (board.seen(view.start), None) if count == 0 and view.start is not None else (None, None)


def picture_of(view: TableView, state: State, last: Move | None, language: str) -> Picture | None:
    """Return a position as the seat sees it; None if the game draws none."""
    if view.board is None:
        return None
    try:
        return view.board.game.shown.picture(state, View(language, view.seat.number, view.names, last))
    except AbilityError:
        return None


def text_of(view: TableView, state: State | None, language: str) -> str:
    """Return a position for those who see no picture; empty if nothing was shown yet."""
    return "" if state is None or view.board is None else view.board.game.shown.text(state, view.seat.number, language)


def look_ahead_json(view: TableView, ahead: LookAhead, language: str) -> dict[str, Any]:
    """Return what would come of the steps that a person means to take; `choices` is null when they are all."""
    board = view.board
    if board is None:
        return {}
    picture = picture_of(view, ahead.state, ahead.last, language)
    shown: dict[str, Any] = {"text": text_of(view, ahead.state, language)}
    if picture is not None:
        changes = [item for numbered in enumerate(picture.parts) for item in numbered]
        shown = {"changes": changes, "title": picture.title}
    return {
        "board": shown,
        "words": list(board.game.shown.describe(ahead.last, language)) if ahead.last is not None else [],
        "choices": choices_json(board, ahead.state, ahead.legal, language) if ahead.legal else None,
    }


def asked_json(view: TableView, language: str) -> dict[str, Any] | None:
    """Return the question that waits."""
    asked, board = view.asked, view.board
    if asked is None or board is None or board.asked is None:
        return None
    return {
        "ply": asked.ply,
        **choices_json(board, board.asked, asked.legal, language),
        "left_s": None if asked.left_us is None else asked.left_us / 1e6,
        "bank_s": None if asked.bank_us is None else asked.bank_us / 1e6,
        "idle_left_s": asked.idle_left_s,
    }


def choices_json(board: SeatBoard, state: State, legal: Sequence[int], language: str) -> dict[str, Any]:
    """Return what may be chosen in a position: each action in words, and the steps that make it up."""
    shown, labels = board.game.shown, board.game.shown.labels(language)
    notations = {action: board.game.actions.format(action) for action in legal}
    actions = [
        {"id": action, "label": shown.choice(state, notation, language), "path": list(shown.path(notation))}
        for action, notation in notations.items()
    ]
    steps = {step for notation in notations.values() for step in shown.path(notation)}
    return {"actions": actions, "labels": {step: labels[step] for step in steps if step in labels}}


def _ply_json(view: TableView, played: ObservedPly, ply: int, language: str) -> dict[str, Any]:
    """Return a ply in whole sentences; where only its notation is known, by its name, with dice and cards."""
    board = view.board
    if played.move is not None and board is not None:
        move = board.seen_move(played.move)
        chance = [[seen.kind, list(seen.values)] for seen in move.chance]
        return {
            "ply": ply,
            "seat": move.seat,
            "words": list(board.game.shown.describe(move, language)),
            "chance": chance,
        }
    if played.event is None or board is None:
        return {"ply": ply, "seat": None, "words": [], "chance": []}
    labels, event = board.game.shown.labels(language), played.event
    chance = [[reveal.kind, list(reveal.values)] for reveal in event.reveals]
    is_known = event.action != UNKNOWN_ACTION
    words = [labels[board.game.actions.format(event.action)]] if is_known else []
    return {"ply": ply, "seat": event.seat, "words": words, "chance": chance}


def _ending(view: TableView, language: str) -> dict[str, Any] | None:
    ending = view.seat.ending
    if ending is None:
        return None
    scoring: list[dict[str, Any]] = []
    last = view.played[-1].move if view.played else None
    if view.board is not None and last is not None and view.heads["ended"]:
        scoring = [asdict(step) for step in view.board.game.shown.scoring(last.after, language)]
    return {
        "ranks": list(ending.ranks),
        "faults": [translate(view.explanations.get(fault, fault), language) for fault in ending.faults],
        "resigned": ending.resigned,
        "scoring": scoring,
    }
