"""Loads the matches of a pool that count for the official table, as columns of numbers.

It reads a row for each match, and of a row it keeps some bytes; no objects are made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sqlalchemy import Select, cast, func, select, text, union
from sqlalchemy import Text as LongText
from sqlmodel import Session

from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.statistics.results import Bools, Ints, Results, distinct
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.values.states import RatingVerdict

_PART = 500
"""So many rows stay in the cache of a processor, and are too few for Python to look for garbage among them (700)."""
_MOST_NAMES = 500
_MOST_MATCHES = 2**32
"""So many numbers of `Results.order` are kept for each tournament."""
_MATCHES_AT_ONCE = 20_000
Small: TypeAlias = npt.NDArray[np.int32]
Bytes: TypeAlias = npt.NDArray[np.uint8]
_IS_NOT_RATED = text(f"verdict <> '{RatingVerdict.RATED}'")
"""In the words of the index of these matches: of a parameter no database knows that the index is for it."""
_m, _t, _o, _b, _v = tables.match, tables.tournament, tables.rating_order, tables.block, tables.version
_e, _w = tables.entrant, tables.wave


def load_results(source: Source, pool_id: str) -> Results:
    """Return the rated matches of whole blocks: a match that is void, unrated or not over leaves its block out.

    `versions` are ids in ascending order; `plans` are equal where opening, seed and rotation are, and everybody says
    that it is deterministic. `order` is that of the tournaments' creation, and of each one's schedule. A draw is a
    tournament, or the part of it in which the same versions took part. Raises NotFoundError.
    """
    with read(source) as session:
        pool = tables.pool
        seats = session.connection().execute(select(pool.c.seats).where(pool.c.id == pool_id)).scalar_one_or_none()
        if seats is None:
            raise NotFoundError(Text("no pool {pool}", pool=pool_id))
        tournaments = select(_t.c.id).where(_t.c.pool_id == pool_id).order_by(_t.c.created_at_us, _t.c.id)
        ids = session.connection().execute(tournaments).scalars().all()
        firsts = {id_: number * _MOST_MATCHES for number, id_ in enumerate(ids)}
        columns = _Columns(seats, firsts)
        query = select(_m.c.block_id, _m.c.rotation, _m.c.tournament_id, _m.c.position)
        query = query.join(_t, _t.c.id == _m.c.tournament_id)
        for seat in range(seats):
            sitting = tables.match_seat.alias(f"seat{seat}")
            query = query.join(sitting, (sitting.c.match_id == _m.c.id) & (sitting.c.seat == seat))
            query = query.add_columns(sitting.c.version_id, sitting.c.rank)
        for part in _parts(session, query.where(_t.c.pool_id == pool_id, _t.c.rated, sitting.c.rank.is_not(None))):
            columns.add(part)
        # Live rating has passed the first matches of each tournament, and said of each whether it counts.
        rest = select(_m.c.block_id).join(_t, _t.c.id == _m.c.tournament_id)
        rest = rest.where(_t.c.pool_id == pool_id, _t.c.rated, _m.c.position >= _t.c.rated_through)
        parts = chain(_parts(session, not_rated(pool_id)), _parts(session, rest))
        broken = [np.zeros(0, np.int64), *(_labels(block for (block,) in part) for part in parts)]
        found, rotations = columns.whole(distinct(np.concatenate(broken)))
        _mark_repeats(session, pool_id, found, rotations)
        return replace(found, draws=_draws(found, _starts_of_draws(session, pool_id, firsts)))


def _draws(found: Results, starts: Ints) -> Small:
    """Return the number of each match's draw."""
    assert found.order is not None
    draws: Small = np.empty(len(found.order), np.int32)
    for start in range(0, len(draws), _MATCHES_AT_ONCE):
        part = slice(start, start + _MATCHES_AT_ONCE)
        draws[part] = np.searchsorted(starts, found.order[part], side="right")
    return draws


def _starts_of_draws(session: Session, pool_id: str, firsts: Mapping[str, int]) -> Ints:
    """Return the least `Results.order` of each draw, ascending: where a tournament begins, or its field changed."""
    changes = union(
        *(
            select(_e.c.tournament_id, wave.label("wave"))
            .join(_t, _t.c.id == _e.c.tournament_id)
            # Wave 0 is where the tournament begins.
            .where(_t.c.pool_id == pool_id, wave > 0)
            for wave in (_e.c.joined_wave, _e.c.withdrawn_wave)
        )
    ).subquery()
    starts = (
        select(_w.c.tournament_id, func.min(_m.c.position))
        .join(changes, (changes.c.tournament_id == _w.c.tournament_id) & (changes.c.wave == _w.c.index))
        .join(_b, (_b.c.tournament_id == _w.c.tournament_id) & (_b.c.index == _w.c.first_block))
        .join(_m, (_m.c.tournament_id == _b.c.tournament_id) & (_m.c.block_id == _b.c.id))
        .group_by(_w.c.tournament_id, _w.c.index)
    )
    found = [*firsts.values(), *(firsts[id_] + position for id_, position in session.connection().execute(starts))]
    return np.array(sorted(found), np.int64)


def not_rated(pool_id: str) -> Select[Any]:
    """Select the blocks of the matches that live rating has passed without rating them."""
    query = select(_m.c.block_id).join(_o, _o.c.match_id == _m.c.id)
    return query.where(_o.c.pool_id == pool_id, _IS_NOT_RATED)


def _parts(session: Session, query: Select[Any]) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield the rows of a query as the driver has them, some at a time: a million of SQLAlchemy's cost a second more.

    So columns must be of types that need no conversion. A server is asked for the rows part by part, since its driver
    would take all of them into memory first.
    """
    connection = session.connection()
    if connection.dialect.supports_server_side_cursors:
        yield from connection.execute(query, execution_options={"yield_per": _PART}).partitions()
        return
    cursor = connection.execute(query).cursor
    assert cursor is not None, "a query without rows"
    while rows := cursor.fetchmany(_PART):
        yield rows


def _labels(blocks: Iterable[str]) -> Ints:
    """Return the numbers by which blocks are told from one another: 64 bits of hash, where ids would fill the memory.

    That two of a million blocks share one happens once in 37 million times.
    """
    return np.fromiter(map(hash, blocks), np.int64)


def _mark_repeats(session: Session, pool_id: str, found: Results, rotations: Bytes) -> None:
    """Give equal plans to matches of equal seeds, openings and rotations whose bots all say they are deterministic."""
    steady = set[str]()
    for start in range(0, len(found.versions), _MOST_NAMES):
        query = select(_v.c.id, _v.c.manifest).where(_v.c.id.in_(found.versions[start : start + _MOST_NAMES]))
        rows = session.connection().execute(query)
        steady |= {version for version, manifest in rows if manifest.get("deterministic", False)}
    is_steady: Bools = np.array([version in steady for version in found.versions], np.bool_)
    if not is_steady.any():
        return
    # The blocks whose chance seed others have too. Usually there are none: two secrets never give the same seed.
    blocks = select(_b.c.chance_seed).join(_t, _t.c.id == _b.c.tournament_id)
    blocks = blocks.where(_t.c.pool_id == pool_id, _t.c.rated)
    seeds = [np.fromiter(chain.from_iterable(part), np.int64) for part in _parts(session, blocks)]
    each, times = np.unique(np.concatenate([np.zeros(0, np.int64), *seeds]), return_counts=True)
    shared = frozenset(each[times > 1].tolist())
    known: dict[tuple[int, str], int] = {}
    known_draws: list[tuple[int, int]] = []
    if shared:
        # What a file of openings says beyond actions, by tournament: the positions in which they begin.
        rows = session.connection().execute(select(_t.c.id, _t.c.settings).where(_t.c.pool_id == pool_id, _t.c.rated))
        starts = {id_: json.dumps(settings.get("starts"), sort_keys=True) for id_, settings in rows}
        for part in _parts(session, blocks.add_columns(_b.c.id, cast(_b.c.opening, LongText), _t.c.id)):
            its = ((hash(id_), (seed, opening + starts[t])) for seed, id_, opening, t in part if seed in shared)
            known_draws += ((label, known.setdefault(draw, len(known))) for label, draw in its)
    labels, draws = np.array(sorted(known_draws), np.int64).reshape(-1, 2).T
    repeating = np.flatnonzero(is_steady[found.seats].all(axis=1) & np.isin(found.blocks, labels))
    draw = draws[np.searchsorted(labels, found.blocks[repeating])]
    found.plans[repeating] = draw * found.seats.shape[1] + rotations[repeating]


class _Columns:
    """The columns while they are read: versions become numbers in the order in which they come.

    What is small is kept in single bytes until its column is whole, and no two columns are made whole at once.
    """

    def __init__(self, seats: int, firsts: Mapping[str, int]) -> None:
        self._versions, self._firsts = _Numbers(), firsts
        none: Small = np.zeros((0, seats), np.int32)
        self._blocks, self._rotations = [np.zeros(0, np.int64)], [np.zeros(0, np.uint8)]
        self._order = [np.zeros(0, np.int64)]
        self._seats, self._ranks = [none], [none.astype(np.uint8)]

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take in rows of block, rotation, tournament, position, and version and rank of each seat."""
        block, rotation, tournament, position, *sitting = zip(*rows, strict=True)
        self._order.append(np.fromiter(map(self._firsts.__getitem__, tournament), np.int64) + np.array(position))
        versions = [np.fromiter(map(self._versions.__getitem__, column), np.int32) for column in sitting[::2]]
        self._blocks.append(_labels(block))
        self._rotations.append(np.array(rotation, np.uint8))
        self._seats.append(np.array(versions).T)
        self._ranks.append(np.array(sitting[1::2], np.uint8).T)

    def whole(self, broken: Ints) -> tuple[Results, Bytes]:
        """Return all that were added but the matches of broken blocks, none of them a repeat, and their rotations.

        The versions are sorted by their ids.
        """
        blocks = _joined(self._blocks)
        is_whole = ~np.isin(blocks, broken)
        blocks = blocks[is_whole]
        order = _joined(self._order)[is_whole]
        versions = sorted(self._versions)
        numbers: Small = np.zeros(len(versions), np.int32)
        numbers[[self._versions[version] for version in versions]] = np.arange(len(versions))
        seats: Small = numbers[_joined(self._seats)[is_whole]]
        ranks = _joined(self._ranks)[is_whole]
        found = Results(tuple(versions), seats, ranks, blocks, -1 - np.arange(len(seats)), order)
        return found, _joined(self._rotations)[is_whole]


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return the parts as one column, and forget them."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole


class _Numbers(dict[str, int]):
    """A number for each text, counted from 0 in the order in which they are asked for."""

    def __missing__(self, text: str) -> int:
        return self.setdefault(text, len(self))
