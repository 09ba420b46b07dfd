"""Loads the matches of a pool that count for the official table, as columns.

It is one query with a row for each match, and no objects are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Select, Text, select, type_coerce
from sqlmodel import Session

from ratings.errors import NotFoundError
from ratings.statistics.official.results import Bools, Ints, Results
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.states import Verdict

_PART = 20_000
_MOST_NAMES = 500
_m, _t, _o, _b, _v = tables.match, tables.tournament, tables.rating_order, tables.block, tables.version


def load_results(source: Source, pool_id: str) -> Results:
    """Return the rated matches of whole blocks: a match that is void, unrated or not over leaves its block out.

    `versions` are ids in ascending order; `plans` are equal where opening, seed and rotation are, and everybody is
    deterministic. Raises NotFoundError.
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
        steady = _deterministic(session, list(columns.versions))
        return columns.results(_broken_blocks(session, pool_id), steady, _draws(session, pool_id) if steady else {})


def _matches(pool_id: str, seats: int) -> Select[Any]:
    """Select the block, the rotation, and the version and rank of each seat, of every rated match."""
    query = select(_m.c.block_id, _m.c.rotation).select_from(_o).join(_m, _m.c.id == _o.c.match_id)
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


def _deterministic(session: Session, versions: Sequence[str]) -> set[str]:
    """Return those of some versions that say of themselves that they are deterministic."""
    found = set[str]()
    for start in range(0, len(versions), _MOST_NAMES):
        query = select(_v.c.id, _v.c.manifest).where(_v.c.id.in_(versions[start : start + _MOST_NAMES]))
        rows = session.connection().execute(query)
        found |= {version for version, manifest in rows if manifest.get("deterministic", False)}
    return found


def _draws(session: Session, pool_id: str) -> dict[str, tuple[int, str]]:
    """Return the chance seed and the opening of each block; blocks of two secrets never share a seed."""
    query = (
        select(_b.c.id, _b.c.chance_seed, type_coerce(_b.c.opening, Text))
        .join(_t, _t.c.id == _b.c.tournament_id)
        .where(_t.c.pool_id == pool_id, _t.c.rated)
    )
    return {block: (seed, opening) for block, seed, opening in session.connection().execute(query)}


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
        block, rotation, *sitting = zip(*rows, strict=True)
        self.parts.append(
            (
                _numbers(self.blocks, block),
                np.array(rotation, np.int64),
                np.array([_numbers(self.versions, column) for column in sitting[::2]]).T,
                np.array(sitting[1::2], np.int64).T,
            )
        )

    def results(self, broken: set[str], steady: set[str], draws: Mapping[str, tuple[int, str]]) -> Results:
        none = np.zeros(0, np.int64)
        empty = (none, none, none.reshape(0, self.seats), none.reshape(0, self.seats))
        blocks, rotations, seats, ranks = (np.concatenate(column) for column in zip(empty, *self.parts, strict=True))
        versions, place = _sorted(self.versions)
        labels, label = _sorted(self.blocks)
        is_whole: Bools = np.array([block not in broken for block in labels], np.bool_)
        is_steady: Bools = np.array([version in steady for version in self.versions], np.bool_)
        plans = self._plans(blocks, rotations, draws)
        alone = ~is_steady[seats].all(axis=1) if len(seats) else np.zeros(0, np.bool_)
        plans[alone] = -1 - np.flatnonzero(alone)  # no other's: who plays otherwise each time repeats nothing
        every = Results(versions, place[seats], ranks, label[blocks], plans)
        return every.where(is_whole[every.blocks])

    def _plans(self, blocks: Ints, rotations: Ints, draws: Mapping[str, tuple[int, str]]) -> Ints:
        """Return a number for each match, equal for equal seeds, openings and rotations."""
        known: dict[tuple[int, str], int] = {}
        of_block = [known.setdefault(draws[block], len(known)) for block in self.blocks] if draws else []
        return np.array(of_block, np.int64)[blocks] * self.seats + rotations if of_block else rotations * 0


def _numbers(known: dict[str, int], ids: Iterable[str]) -> Ints:
    return np.array([known.setdefault(one, len(known)) for one in ids], np.int64)


def _sorted(known: dict[str, int]) -> tuple[tuple[str, ...], Ints]:
    """Return the ids in ascending order, and the place among them of the id that each number stands for."""
    ids = sorted(known)
    place = np.zeros(len(ids), np.int64)
    place[[known[one] for one in ids]] = np.arange(len(ids))
    return tuple(ids), place
