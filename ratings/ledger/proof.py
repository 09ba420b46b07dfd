"""The signed log of a tournament, by which a stranger checks it: written with what it tells of, in one transaction.

Every entry is a JSON object, signed as it stands, with `number` (from 0), `previous` (the SHA-256 of the text of the
entry before it, empty for the first), `tournament`, `at_us` and `kind`:

    commitment   before the first match: `format` (1), `public_key`, `secret` (the SHA-256 of the secret), `plays` (the
                 format, its settings and the terms), `pool`, `entrants` ([bot, content hash] in the order of entry),
                 `waves` (those that are planned by then)
    waves        `waves`: those that were planned since, from results that come before this entry
    results      `results` of matches that were recorded together: `match`, `position`, `ranks`, `forfeits` (the
                 earliest first), `rated`, `game` and `record` (the digests)
    closing      `secret`, `table` (the rows, best first), `void` (the positions of the matches that were not played),
                 `annulled` (the indexes of the blocks that do not count); another one follows if that changes

A wave has `index`, `first_block`, `blocks`, `matches` and `digest`, which `wave_digest` gives. The seed that somebody
chose is no part of the settings here: the secret follows from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Connection, bindparam, insert, select
from sqlmodel import Session

from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.models import PoolRecord
from ratings.store.sessions import get_tournament
from ratings.values.pools import RatingMethod
from ratings.values.states import MatchState

FORMAT = 1
COMMITMENT, WAVES, RESULTS, CLOSING = "commitment", "waves", "results", "closing"
SEED = "seed"
_POOL = ("game", "rules_version", "seats", "options", "time_control", "cores", "remote")
_ENCODER = json.JSONEncoder(separators=(",", ":"), sort_keys=True, allow_nan=False)
_p, _m, _s, _b, _v, _e = (
    tables.proof_entry,
    tables.match,
    tables.match_seat,
    tables.block,
    tables.version,
    tables.entrant,
)
_HEAD = (
    select(_p.c.number, _p.c.text)
    .where(_p.c.tournament_id == bindparam("tournament"))
    .order_by(_p.c.number.desc())
    .limit(1)
)
_ADD = insert(_p)
_BEGUN = select(_m.c.id).where(_m.c.tournament_id == bindparam("tournament"), _m.c.attempt > 0).limit(1)
_ENTRANTS = (
    select(tables.bot.c.name, _v.c.content_hash)
    .join(_v, _v.c.id == _e.c.version_id)
    .join(tables.bot, tables.bot.c.id == _v.c.bot_id)
    .where(_e.c.tournament_id == bindparam("tournament"))
    .order_by(_e.c.position)
)
_WAVE = (
    select(tables.wave.c.index, tables.wave.c.first_block, tables.wave.c.blocks)
    .where(tables.wave.c.tournament_id == bindparam("tournament"), tables.wave.c.index >= bindparam("first"))
    .order_by(tables.wave.c.index)
)
_SEATINGS = (
    select(_b.c.index, _m.c.rotation, _v.c.content_hash)
    .join(_m, _m.c.block_id == _b.c.id)
    .join(_s, _s.c.match_id == _m.c.id)
    .join(_v, _v.c.id == _s.c.version_id)
    # Filter on both columns: the index covers the pair.
    .where(_b.c.tournament_id == bindparam("tournament"), _m.c.tournament_id == bindparam("tournament"))
    .where(_b.c.index >= bindparam("first"), _b.c.index < bindparam("end"))
    .order_by(_m.c.position, _s.c.seat)
)
_VOID = (
    select(_m.c.position)
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.state == MatchState.VOID)
    .order_by(_m.c.position)
)
_ANNULLED = (
    select(_b.c.index)
    .join(tables.annulled_block, tables.annulled_block.c.block_id == _b.c.id)
    .where(_b.c.tournament_id == bindparam("tournament"))
    .distinct()
    .order_by(_b.c.index)
)
Seating: TypeAlias = tuple[int, int, Sequence[str]]
"""A match as it is planned: the index of its block, its rotation, the content hash of the version in each seat."""


class Signer(Protocol):
    """The key of an arena."""

    @property
    def public_key(self) -> str:
        """The 32 bytes of the Ed25519 key by which its signatures are checked, in hexadecimal digits."""

    def sign(self, data: bytes) -> str:
        """Return the signature of the bytes, in hexadecimal digits."""


def digest_of(text: str) -> str:
    """Return what the entry after one with this text calls `previous`; of entry 0 it is the tournament's commitment."""
    return hashlib.sha256(text.encode()).hexdigest()


def secret_digest(secret: str) -> str:
    """Return what a commitment says of a secret, which is given in hexadecimal digits."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def wave_digest(seatings: Iterable[Seating]) -> str:
    """Return the SHA-256 of the matches of a wave in schedule order: lines of block, rotation and versions by seat."""
    digest = hashlib.sha256()
    for block, rotation, versions in seatings:
        digest.update(f"{block} {rotation} {' '.join(versions)}\n".encode())
    return digest.hexdigest()


def terms_of(tournament: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a commitment says of how a tournament is played, given the columns of its row."""
    settings = {name: value for name, value in tournament["settings"].items() if name != SEED}
    same = ("format", "rated", "rates_same_owner", "seeded")
    return {**{name: tournament[name] for name in same}, "settings": settings}


def pool_terms(pool: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a commitment says of a pool, given the columns of its row."""
    # A commitment from before there were several rating methods names none.
    named = () if pool["rating_method"] == RatingMethod.TRUESKILL else ("rating_method",)
    return {name: pool[name] for name in (*_POOL, *named)}


def commit(session: Session, tournament_id: str, signer: Signer) -> None:
    """Write the commitment of a tournament of which no match has begun, unless it is written already.

    One that was begun before there was a log stays without: it would prove nothing.
    """
    connection, asked = session.connection(), {"tournament": tournament_id}
    if connection.execute(_HEAD, asked).first() or connection.execute(_BEGUN, asked).first():
        return
    tournament = get_tournament(session, tournament_id)
    pool = session.get_one(PoolRecord, tournament.pool_id)
    _write(
        connection,
        tournament_id,
        signer,
        None,
        {
            "kind": COMMITMENT,
            "format": FORMAT,
            "public_key": signer.public_key,
            "secret": secret_digest(tournament.secret),
            "plays": terms_of(tournament.model_dump()),
            "pool": pool_terms(pool.model_dump()),
            "entrants": [list(row) for row in connection.execute(_ENTRANTS, asked)],
            "waves": _waves(connection, tournament_id, 0),
        },
    )


def add_results(connection: Connection, tournament_id: str, results: Sequence[Any], signer: Signer) -> None:
    """Sign results that were recorded together, if the tournament has a log; they are JSON, as the module says."""
    head = _head(connection, tournament_id)
    if head is not None:
        _write(connection, tournament_id, signer, head, {"kind": RESULTS, "results": results})


def add_waves(connection: Connection, tournament_id: str, first: int, signer: Signer) -> None:
    """Sign the waves from that index on, if the tournament has a log."""
    head = _head(connection, tournament_id)
    if head is not None:
        found = _waves(connection, tournament_id, first)
        _write(connection, tournament_id, signer, head, {"kind": WAVES, "waves": found})


def close(session: Session, tournament_id: str, table: Sequence[Mapping[str, Any]], signer: Signer) -> None:
    """Sign the end of a tournament with its table, if it has a log that does not say so already."""
    connection, asked = session.connection(), {"tournament": tournament_id}
    head = _head(connection, tournament_id)
    if head is None:
        return
    said = {
        "kind": CLOSING,
        "secret": get_tournament(session, tournament_id).secret,
        "table": [dict(row) for row in table],
        "void": list(connection.execute(_VOID, asked).scalars()),
        "annulled": list(connection.execute(_ANNULLED, asked).scalars()),
    }
    before = json.loads(head[1])
    if {name: before.get(name) for name in said} != said:
        _write(connection, tournament_id, signer, head, said)


def check_log(connection: Connection, tournament_id: str) -> None:
    """Check that the log of a tournament can be read. Raises ValueError, KeyError or TypeError if it cannot."""
    log = select(_p.c.number, _p.c.text).where(_p.c.tournament_id == tournament_id)
    for number, text in connection.execute(log):
        said = json.loads(text)
        if number == 0 and not (isinstance(said["public_key"], str) and 0 <= said["at_us"] < 2**53):
            raise ValueError("its log begins with no commitment")


def _head(connection: Connection, tournament_id: str) -> tuple[int, str] | None:
    row = connection.execute(_HEAD, {"tournament": tournament_id}).first()
    return None if row is None else (row.number, row.text)


def _write(
    connection: Connection, tournament_id: str, signer: Signer, head: tuple[int, str] | None, said: Mapping[str, Any]
) -> None:
    number, previous = (0, "") if head is None else (head[0] + 1, digest_of(head[1]))
    about = {"number": number, "previous": previous, "tournament": tournament_id, "at_us": now_us()}
    text = _ENCODER.encode({**said, **about})
    row = {"tournament_id": tournament_id, "number": number, "text": text, "signature": signer.sign(text.encode())}
    connection.execute(_ADD, row)


def _waves(connection: Connection, tournament_id: str, first: int) -> list[dict[str, Any]]:
    waves = connection.execute(_WAVE, {"tournament": tournament_id, "first": first}).all()
    return [_wave(connection, tournament_id, *wave) for wave in waves]


def _wave(connection: Connection, tournament_id: str, index: int, first_block: int, blocks: int) -> dict[str, Any]:
    asked = {"tournament": tournament_id, "first": first_block, "end": first_block + blocks}
    found = connection.execute(_SEATINGS, asked).all()
    seatings = [
        (block, rotation, [version for _, _, version in rows])
        for (block, rotation), rows in groupby(found, key=lambda row: (row[0], row[1]))
    ]
    return {
        "index": index,
        "first_block": first_block,
        "blocks": blocks,
        "matches": len(seatings),
        "digest": wave_digest(seatings),
    }
