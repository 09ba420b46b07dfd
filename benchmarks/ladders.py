"""Writes long tournaments into databases without playing them: 30 bots, two seats, as many matches as wanted.

The rows are those that a ladder of the arena leaves behind: waves of 15 blocks, all over but the last; what the format
remembers is made up, for what a plan costs does not depend on it. Replays are left out, since nothing measured reads
them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.ladder_memory import LadderMemory
from arena.tournament.formats.past import Past, Tally
from arena.tournament.formats.remembering import to_json
from ratings.ledger import tallies
from ratings.ledger.rating import pool_for, pool_of
from ratings.ledger.rebuild import rebuild
from ratings.ledger.tournaments import WaveLedger
from ratings.statistics.skill import Skill
from ratings.store.database import Database, open_database
from ratings.store.models import TournamentRecord
from ratings.store.sessions import write
from ratings.store.waves import WaveMemory

BOTS = 30
BLOCKS_A_WAVE = BOTS // 2
MATCHES_A_WAVE = 2 * BLOCKS_A_WAVE
TOURNAMENT = "01990000-0000-7000-8000-000000000000"
VERSIONS = [f"v{number:02}" for number in range(BOTS)]
_POOL = pool_of("foreign_king", "1", 2, {}, "100ms")
POOL = _POOL.pool_id
_SETTINGS = {"seed": 1, "opening_plies": 4, "start_limit_us": 60_000_000, "margin_us": 0}
_RANKS = ((1, 2), (2, 1), (1, 1))


def make(path: Path, matches: int, *, format_name: str = "ladder", is_rated: bool = False) -> Database:
    """Return a new database with such a tournament; with ratings if asked, which takes as long as rating it live."""
    database = open_database(path)
    waves = matches // MATCHES_A_WAVE
    pool = _write_frame(database, format_name, waves)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        _write_people(connection)
        _write_matches(connection, waves, pool)
    with write(database) as session:
        if is_rated:
            rebuild(session, pool)
        else:
            tallies.rebuild(session.connection(), tallies.of_pool(pool))
        if format_name == "ladder":
            WaveLedger(session, TOURNAMENT).remember(_memory(waves), None)
    return database


def _write_frame(database: Database, format_name: str, waves: int) -> str:
    settings = {"waves": 0, "retire_after": 3} if format_name == "ladder" else {"blocks": waves}
    with write(database) as session:
        pool = pool_for(session, _POOL).id
        over = (waves - 1) * MATCHES_A_WAVE
        session.add(
            TournamentRecord(
                id=TOURNAMENT,
                name="long",
                format=format_name,
                pool_id=pool,
                secret="00" * 32,
                seeded=True,
                settings={**settings, **_SETTINGS},
                rated=True,
                created_at_us=0,
                rated_through=over,
                more_waves=format_name == "ladder",
            )
        )
    return pool


def _insert(connection: sqlite3.Connection, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" * len(columns.split(",")))
    connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def _write_people(connection: sqlite3.Connection) -> None:
    numbers = range(BOTS)
    _insert(connection, "bot", "id, name, created_at_us", ((f"b{n:02}", f"bot{n}", 0) for n in numbers))
    _insert(
        connection,
        "version",
        "id, bot_id, number, content_hash, manifest, created_at_us",
        ((VERSIONS[n], f"b{n:02}", 1, f"{n:064x}", '{"games": ["*"]}', 0) for n in numbers),
    )
    _insert(
        connection,
        "entrant",
        "tournament_id, position, version_id",
        ((TOURNAMENT, n, version) for n, version in enumerate(VERSIONS)),
    )


def _write_matches(connection: sqlite3.Connection, waves: int, pool: str) -> None:
    """Write the waves, of which the last is still to be played."""
    over = (waves - 1) * MATCHES_A_WAVE
    places = range(waves * MATCHES_A_WAVE)
    _insert(
        connection,
        "wave",
        'tournament_id, "index", first_block, blocks, planned_at_us',
        ((TOURNAMENT, n, n * BLOCKS_A_WAVE, BLOCKS_A_WAVE, 0) for n in range(waves)),
    )
    _insert(
        connection,
        "block",
        'id, tournament_id, "index", opening, chance_seed',
        ((_id("k", n), TOURNAMENT, n, "[0, 0]", n) for n in range(waves * BLOCKS_A_WAVE)),
    )
    _insert(
        connection,
        "match",
        "id, tournament_id, block_id, rotation, position, state, attempt, by_rules, rated, plies, decisions, "
        "started_at_us, duration_us, game_digest, record_digest",
        (
            (
                _id("m", place),
                TOURNAMENT,
                _id("k", place // 2),
                place % 2,
                place,
                *(("finished", 1, 1, 1, 80, 60, 0, 50_000, "a" * 64, "b" * 64) if place < over else _PLANNED),
            )
            for place in places
        ),
    )
    _insert(connection, "match_seat", "match_id, seat, version_id, rank, resigned", _seats(places, over))
    _insert(
        connection,
        "rating_order",
        "pool_id, rating_seq, match_id, verdict",
        ((pool, place + 1, _id("m", place), "rated") for place in range(over)),
    )


_PLANNED = ("planned", 0, None, None, None, None, None, None, None, None)


def _seats(places: range, over: int) -> Iterator[tuple[Any, ...]]:
    """Yield the seats of all matches: in each wave everybody plays once, with whom is drawn."""
    random, order = Random(1), list(VERSIONS)
    for place in places:
        block, rotation = divmod(place, 2)
        if place % MATCHES_A_WAVE == 0:
            random.shuffle(order)
        start = 2 * (block % BLOCKS_A_WAVE)
        pair = order[start : start + 2]
        ranks = random.choice(_RANKS) if place < over else (None, None)
        for seat in (0, 1):
            yield _id("m", place), seat, pair[(seat + rotation) % 2], ranks[seat], 0 if place < over else None


def _id(kind: str, number: int) -> str:
    """Return an id as long as those of the arena, ascending like them."""
    return f"01990000-0000-7000-8{ord(kind):03x}-{number:012x}"


def _memory(waves: int) -> WaveMemory:
    """Return what a ladder would remember of all waves but the last two."""
    random = Random(2)
    count = waves - 2
    each = Tally(points=2 * count, possible=4 * count, whole=count, planned=count)
    for version in VERSIONS:
        each.met[version] = count // (BOTS - 1) + 1
    skills = {version: Skill(25 + 5 * random.random(), 0.8 + random.random() / 10) for version in VERSIONS}
    past = Past(
        waves=count,
        blocks=count * BLOCKS_A_WAVE,
        tallies=dict.fromkeys(VERSIONS, each),
        own=LadderMemory(skills, dict.fromkeys(VERSIONS, 0)),
    )
    return WaveMemory(count - 1, to_json(LadderFormat(2, 0), past, VERSIONS))
