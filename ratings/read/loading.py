"""Loads the matches of a pool that count for the official table, as columns.

It is one query with a row for each match, and no objects are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Select, select
from sqlmodel import Session

from ratings.errors import NotFoundError
from ratings.statistics.official.results import Bools, Ints, Results
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.states import Verdict

_PART = 20_000
_m, _t, _o = tables.match, tables.tournament, tables.rating_order


def load_results(source: Source, pool_id: str) -> Results:
    """Return the rated matches of whole blocks: a match that is void, unrated or not over leaves its block out.

    `versions` are ids in ascending order, `digests` the first 64 bits of the game digests. Raises NotFoundError.
    """
    with read(source) as session:
        pool = tables.pool
        seats = session.connection().execute(select(pool.c.seats).where(pool.c.id == pool_id)).scalar_one_or_none()
        if seats is None:
            raise NotFoundError(f"no pool {pool_id}")
        columns = _Columns(seats)
        rows = session.connection().execute(_matches(pool_id, seats), execution_options={"yield_per": _PART})
        for part in rows.partitions():
            columns.add(part)
        return columns.results(_broken_blocks(session, pool_id))


def _matches(pool_id: str, seats: int) -> Select[Any]:
    """Select the block, the digest, and the version and rank of each seat, of every rated match."""
    query = select(_m.c.block_id, _m.c.game_digest).select_from(_o).join(_m, _m.c.id == _o.c.match_id)
    for seat in range(seats):
        sitting = tables.match_seat.alias(f"seat{seat}")
        query = query.join(sitting, (sitting.c.match_id == _m.c.id) & (sitting.c.seat == seat))
        query = query.add_columns(sitting.c.version_id, sitting.c.rank)
    return query.where(_o.c.pool_id == pool_id, _o.c.verdict == Verdict.RATED)


def _broken_blocks(session: Session, pool_id: str) -> set[str]:
    """Return the blocks of which at least one match does not count, or not yet."""
    query = (
        select(_m.c.block_id)
        .join(_t, _t.c.id == _m.c.tournament_id)
        .outerjoin(_o, _o.c.match_id == _m.c.id)
        .where(_t.c.pool_id == pool_id, _t.c.rated, (_o.c.verdict.is_(None)) | (_o.c.verdict != Verdict.RATED))
        .distinct()
    )
    return set(session.connection().execute(query).scalars())


class _Columns:
    """The columns while they are read: ids become numbers in the order in which they come.

    They are sorted at the end, so that the order of the rows does not matter.
    """

    def __init__(self, seats: int) -> None:
        self.versions: dict[str, int] = {}
        self.blocks: dict[str, int] = {}
        self.parts: list[tuple[Ints, ...]] = []
        self.seats = seats

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        block, digest, *sitting = zip(*rows, strict=True)
        self.parts.append(
            (
                _numbers(self.blocks, block),
                np.array([int(text[:16], 16) for text in digest], np.uint64).view(np.int64),
                np.array([_numbers(self.versions, column) for column in sitting[::2]]).T,
                np.array(sitting[1::2], np.int64).T,
            )
        )

    def results(self, broken: set[str]) -> Results:
        none = np.zeros(0, np.int64)
        empty = (none, none, none.reshape(0, self.seats), none.reshape(0, self.seats))
        blocks, digests, seats, ranks = (np.concatenate(column) for column in zip(empty, *self.parts, strict=True))
        versions, place = _sorted(self.versions)
        labels, label = _sorted(self.blocks)
        is_whole: Bools = np.array([block not in broken for block in labels], np.bool_)
        every = Results(versions, place[seats], ranks, label[blocks], digests.view(np.uint64))
        return every.where(is_whole[every.blocks])


def _numbers(known: dict[str, int], ids: Iterable[str]) -> Ints:
    return np.array([known.setdefault(one, len(known)) for one in ids], np.int64)


def _sorted(known: dict[str, int]) -> tuple[tuple[str, ...], Ints]:
    """Return the ids in ascending order, and the place among them of the id that each number stands for."""
    ids = sorted(known)
    place = np.zeros(len(ids), np.int64)
    place[[known[one] for one in ids]] = np.arange(len(ids))
    return tuple(ids), place
