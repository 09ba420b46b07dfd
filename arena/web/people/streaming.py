"""The stream by which a browser is told of its table, until it is over or another browser plays there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from arena.web.people.errors import TakenOverError
from arena.web.people.showing import Teller, sight_of
from arena.web.people.table import Party, Table
from arena.web.people.values import Stage

PATIENCE_S = 20.0
"""How long a browser hears nothing before it is told that the stream still stands."""
GATHER_S = 0.01
"""What changes in so short a time is told together."""
WAY_S = 1.0
"""How long a question is held back for the moves that led to it."""


async def changes(table: Table, party: Party, grip: int, language: str) -> AsyncIterator[dict[str, Any]]:
    """Yield what a browser is told: the table as it is, and from there on what is new."""
    teller, sequence = Teller(language), -1
    while True:
        try:
            party.check_grip(grip)
        except TakenOverError:
            yield {"event": "taken", "data": ""}
            return
        if table.sequence != sequence:
            await _await_way(table, party)
            sight = sight_of(table, party)
            sequence = sight.sequence
            document = await asyncio.to_thread(teller.tell, sight)
            yield {"event": "told", "data": json.dumps(document, ensure_ascii=False)}
            await asyncio.sleep(GATHER_S)
        await table.wait(sequence, PATIENCE_S)


async def _await_way(table: Table, party: Party) -> None:
    """Wait until it is known how the match came to the question that a seat is asked, but not for long."""
    end = asyncio.get_running_loop().time() + WAY_S
    while (left := end - asyncio.get_running_loop().time()) > 0:
        seat = table.turn_of(party)
        asked = seat.stage is Stage.ASKED and seat.board is not None and seat.board.asked_ply
        if not asked or not table.following.is_alive or len(table.following.moves) >= asked:
            return
        await table.wait(table.sequence, left)
