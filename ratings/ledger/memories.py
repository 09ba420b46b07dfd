"""Writes what a format remembers of waves that are over, and in how many of their blocks the same entrants sat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from sqlalchemy import Connection, bindparam, delete, insert, null, select, update

from ratings.store import tables
from ratings.store.waves import WaveMemory

Gathered: TypeAlias = tuple[int, ...]
"""The entrants of a block: their places in the order of entry, ascending, each once."""

_w, _g = tables.wave, tables.gathering
_THIS = (_w.c.tournament_id == bindparam("tournament"), _w.c.index == bindparam("the_index"))
_REMEMBER = update(_w).where(*_THIS).values(memory=bindparam("data"))
_FORGET = update(_w).where(*_THIS).values(memory=null())
_GATHERED = select(_g.c.blocks).where(
    _g.c.tournament_id == bindparam("tournament"), _g.c.members == bindparam("members")
)
_GATHER_AGAIN = (
    update(_g)
    .where(_g.c.tournament_id == bindparam("tournament"), _g.c.members == bindparam("the_members"))
    .values(blocks=_g.c.blocks + bindparam("more"))
)


def remember(connection: Connection, tournament_id: str, memory: WaveMemory, instead_of: int | None) -> None:
    """Write a memory at its wave, and take away the one that it replaces: only the newest is ever read."""
    connection.execute(_REMEMBER, {"tournament": tournament_id, "the_index": memory.index, "data": dict(memory.data)})
    if instead_of is not None:
        connection.execute(_FORGET, {"tournament": tournament_id, "the_index": instead_of})


def gather(connection: Connection, tournament_id: str, groups: Sequence[Gathered]) -> None:
    """Count one block more for each of the groups."""
    for group, more in Counter(groups).items():
        ask = {"tournament": tournament_id, "the_members": _members(group), "more": more}
        if connection.execute(_GATHER_AGAIN, ask).rowcount == 0:
            row = {"tournament_id": tournament_id, "members": _members(group), "blocks": more}
            connection.execute(insert(_g), row)


def gathered(connection: Connection, tournament_id: str, group: Gathered) -> int:
    """Return how many blocks were counted for a group."""
    ask = {"tournament": tournament_id, "members": _members(group)}
    return connection.execute(_GATHERED, ask).scalar_one_or_none() or 0


def forget(connection: Connection, tournament_id: str) -> None:
    """Take away all memories of a tournament, and who gathered."""
    remembered = _w.c.memory.is_not(None)
    connection.execute(update(_w).where(_w.c.tournament_id == tournament_id, remembered).values(memory=null()))
    connection.execute(delete(_g).where(_g.c.tournament_id == tournament_id))


def _members(group: Gathered) -> str:
    return ",".join(map(str, group))
