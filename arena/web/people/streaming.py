"""The stream by which a browser is told of its table, until it is over or another browser plays there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from arena.web.people.errors import TakenOverError
from arena.web.people.game_table import GameTable, Party
from arena.web.people.table_view import BrowserUpdates, view_of
from arena.web.people.values import HumanSeatState

PATIENCE_S = 20.0
"""How long a browser hears nothing before it is told that the stream still stands."""
GATHER_S = 0.01
"""What changes in so short a time is told together."""
WAY_S = 1.0
"""How long a question is held back for the moves that led to it."""


async def changes(table: GameTable, party: Party, session: int, language: str) -> AsyncIterator[dict[str, Any]]:
    """Yield what a browser is told: the table as it is, and from there on what is new."""
    updates, sequence = BrowserUpdates(language), -1
    while True:
        try:
            party.check_session(session)
        except TakenOverError:
            yield {"event": "taken", "data": ""}
            return
        if table.sequence != sequence:
            await _await_way(table, party)
            view = view_of(table, party)
            sequence = view.sequence
            document = await asyncio.to_thread(updates.update, view)
            yield {"event": "told", "data": json.dumps(document, ensure_ascii=False)}
            await asyncio.sleep(GATHER_S)
        await table.wait(sequence, PATIENCE_S)


async def _await_way(table: GameTable, party: Party) -> None:
    """Wait until it is known how the match came to the question that a seat is asked, but not for long."""
    end = asyncio.get_running_loop().time() + WAY_S
    while (left := end - asyncio.get_running_loop().time()) > 0:
        seat = table.turn_of(party)
        asked = seat.stage is HumanSeatState.ASKED and seat.board is not None and seat.board.asked_ply
        if not asked or not table.following.is_alive or len(table.following.moves) >= asked:
            return
        await table.wait(table.sequence, left)
