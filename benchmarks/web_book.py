"""The database on which pages are measured: 10,000 bots, 1,000,000 matches, and tournaments that were really played.

    python -m benchmarks.web_book FILE

Bots play small tournaments of every form first, so that there are replays of both games. Then rows are written as a
large ladder, which still runs, a long round robin and a long comparison leave them behind; their matches were never
played, and have no replays. It takes some minutes, most of them to rate the matches.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from math import exp
from pathlib import Path
from random import Random
from typing import Any, Final

from arena.tournament.formats.compare import Compare
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.ladder_memory import LadderMemory
from arena.tournament.formats.past import Past, Tally
from arena.tournament.formats.remembering import to_json
from arena.tournament.formats.tally import tally
from arena.tournament.stored import format_of, situation_of
from benchmarks.web_invented import (
    BEGAN_MS,
    BOTS,
    LONG_MATCHES,
    MATCHES,
    Block,
    Large,
    People,
    id_of,
    ladder,
    long_round_robin,
    of,
    question,
)
from benchmarks.web_played import play
from ratings.ledger import tallies
from ratings.ledger.rating import pool_for, pool_of
from ratings.ledger.rebuild import rebuild
from ratings.ledger.tournaments import WaveLedger
from ratings.read.tournaments import tournament_row, tournament_waves
from ratings.statistics.skill import Skill
from ratings.store.database import Database, open_database
from ratings.store.sessions import write
from ratings.store.waves import WaveMemory

_POOL: Final = pool_of("foreign_king", "1", 2, {}, "100ms")
_SETTINGS: Final = {"seed": None, "opening_plies": 4, "start_limit_us": 10_000_000, "margin_us": 50_000}
_FAULTY: Final = 200
"""One match of so many has a fault."""


def make(path: Path, bots: int = BOTS, matches: int = MATCHES) -> None:
    """Write the database into a new file, with the store of its bots beside it."""
    play(path)
    database = open_database(path)
    try:
        with write(database) as session:
            pool = pool_for(session, _POOL).id
        people = People(bots)
        big = [ladder(people, matches - LONG_MATCHES), long_round_robin(people), question()]
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA synchronous = OFF")
            _write_people(connection, people)
            for one in big:
                _write(connection, one, pool)
            _write_order(connection, big[:2], pool)
        _count(database, pool, people, *big[::2])
    finally:
        database.close()


def _insert(connection: sqlite3.Connection, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" * len(columns.split(",")))
    connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def _write_people(connection: sqlite3.Connection, people: People) -> None:
    began = BEGAN_MS * 1000
    owners, versions = range(people.bots // 5), list(people.all_versions())
    manifest = json.dumps({"schema": 1, "name": "bot", "command": ["python", "main.py"], "games": ["*"]})
    _insert(connection, "owner", "id, name, created_at_us", ((id_of("d", n), f"owner{n}", began) for n in owners))
    _insert(
        connection,
        "bot",
        "id, name, owner_id, created_at_us",
        ((id_of("c", n), _name(n), id_of("d", n % len(owners)), began + n) for n in range(people.bots)),
    )
    _insert(
        connection,
        "version",
        "id, bot_id, number, content_hash, manifest, created_at_us, message",
        (
            (id_, id_of("c", bot), number, f"{hash(id_) % 16**64:064x}", manifest, began + bot, f"better by {number}")
            for bot, number, id_ in versions
        ),
    )
    _insert(
        connection,
        "active_version",
        "bot_id, version_id",
        ((id_of("c", bot), id_) for bot, number, id_ in versions if number == people.versions[bot]),
    )
    _insert(
        connection,
        "bot_event",
        "bot_id, number, kind, version_id, at_us, actor, message",
        (
            (id_of("c", bot), 2 * number + place, kind, id_, began + bot, "arena", "")
            for bot, number, id_ in versions
            for place, kind in enumerate(("submitted", "admitted"))
        ),
    )
    _insert(
        connection,
        "admission",
        "id, version_id, state, requested_at_us, started_at_us, ended_at_us, checks, summary",
        (
            (id_of("a", bot * 4 + number), id_, "admitted", began, began, began + 9_000_000, "[]", "all is well")
            for bot, number, id_ in versions
        ),
    )


def _name(bot: int) -> str:
    return f"owner{bot % 2000}/bot{bot}"


def _write(connection: sqlite3.Connection, one: Large, pool: str) -> None:
    began = BEGAN_MS * 1000
    _insert(
        connection,
        "tournament",
        "id, name, format, pool_id, secret, seeded, settings, rated, rates_same_owner, created_at_us, rated_through, "
        "more_waves",
        [
            (
                *(one.id, one.name, one.format, pool, "00" * 32, 0, json.dumps({**one.settings, **_SETTINGS})),
                *(one.is_rated, 0, began, one.over, one.open_waves > 0),
            )
        ],
    )
    _insert(
        connection,
        "entrant",
        "tournament_id, position, version_id, joined_wave, withdrawn_wave",
        ((one.id, place, *entrant) for place, entrant in enumerate(one.entrants)),
    )
    starts = [0]
    for wave in one.waves:
        starts.append(starts[-1] + len(wave))
    _insert(
        connection,
        "wave",
        'tournament_id, "index", first_block, blocks, planned_at_us',
        ((one.id, n, starts[n], len(wave), began) for n, wave in enumerate(one.waves)),
    )
    blocks = [block for wave in one.waves for block in wave]
    _insert(
        connection,
        "block",
        'id, tournament_id, "index", opening, chance_seed',
        ((of(one, "k", n), one.id, n, "[0, 0, 0, 0]", block.seed) for n, block in enumerate(blocks)),
    )
    _write_matches(connection, one, blocks)


def _write_matches(connection: sqlite3.Connection, one: Large, blocks: Sequence[Block]) -> None:
    random, places = Random(one.number), range(2 * len(blocks))
    _insert(
        connection,
        "match",
        "id, tournament_id, block_id, rotation, position, state, attempt, by_rules, rated, details, plies, decisions, "
        "started_at_us, duration_us, game_digest, record_digest, sandbox",
        (
            (of(one, "m", n), one.id, of(one, "k", n // 2), n % 2, n, *(_over(random, n) if n < one.over else _OPEN))
            for n in places
        ),
    )
    _insert(connection, "match_seat", "match_id, seat, version_id, rank, resigned", _seats(one, blocks, random))
    _insert(
        connection,
        "fault",
        "match_id, number, seat, cause, ply, explanation, evidence",
        (
            (of(one, "m", n), 0, n // _FAULTY % 2, cause, 40, "the answer came after 100 ms", "{}")
            for n in range(0, one.over, _FAULTY)
            for cause in [("TIMEOUT", "ILLEGAL_ACTION", "DISCONNECTED")[n // _FAULTY % 3]]
        ),
    )


def _over(random: Random, number: int) -> tuple[Any, ...]:
    plies = 60 + int(random.expovariate(1 / 40))
    details = json.dumps({"end": ["marker"], "rounds": plies // 8, "scores": [plies % 31, plies % 29]})
    began = BEGAN_MS * 1000 + number * 2_000_000
    return ("finished", 1, 1, 1, details, plies, plies - 10, began, 900_000, f"{number:064x}", f"{number:064x}", "none")


_OPEN: Final = ("planned", 0, *(None,) * 10)


def _seats(one: Large, blocks: Sequence[Block], random: Random) -> Iterator[tuple[Any, ...]]:
    place = 0
    for block in blocks:
        wins = 1 / (1 + exp(-block.edge))
        for pair, chance in (((block.first, block.second), wins), ((block.second, block.first), 1 - wins)):
            ranks = (1, 1) if random.random() < 0.02 else (1, 2) if random.random() < chance else (2, 1)
            is_over = place < one.over
            for seat in (0, 1):
                yield (
                    *(of(one, "m", place), seat, pair[seat]),
                    *((ranks[seat], 0) if is_over else (None, None)),
                )
            place += 1


def _write_order(connection: sqlite3.Connection, rated: Sequence[Large], pool: str) -> None:
    ids = (of(one, "m", n) for one in rated for n in range(one.over))
    _insert(
        connection,
        "rating_order",
        "pool_id, rating_seq, match_id, verdict",
        ((pool, place, id_, "rated") for place, id_ in enumerate(ids, start=1)),
    )


def _count(database: Database, pool: str, people: People, ladder: Large, question: Large) -> None:
    """Have the book rate the matches, count how entrants fared, and remember what ladder and comparison do."""
    with write(database) as session:
        rebuild(session, pool)
        tallies.rebuild(session.connection(), tallies.of_pool(pool))
        memory = _memory(people, ladder)
        WaveLedger(session, ladder.id).remember(memory, None)
    remember_comparison(database, question.id)


def remember_comparison(database: Database, tournament_id: str) -> None:
    """Write what a comparison remembers of all its waves, which are over."""
    row = tournament_row(database, tournament_id)
    form, played = format_of(row.tournament, row.pool), tournament_waves(database, tournament_id)
    assert isinstance(form, Compare)
    situation = situation_of(played)
    count = len(situation.waves)
    past = Past(count, len(situation.blocks), tally(situation), form.remember(situation))
    memory = to_json(form, past, [version.version_id for version in played.entrants])
    with write(database) as session:
        WaveLedger(session, tournament_id).remember(WaveMemory(count - 1, memory), None)


def _memory(people: People, ladder: Large) -> WaveMemory:
    """Return about what a ladder remembers of all its waves but the last two; nothing is planned with it."""
    random, waves = Random(3), len(ladder.waves) - 2
    tallies_, skills = {}, {}
    for _, _, version in people.all_versions():
        tally = Tally(points=waves, possible=2 * waves, whole=waves // 2, planned=waves // 2)
        for other in random.sample(range(people.bots), waves // 2):
            tally.met[id_of("e", 4 * other)] = 1
        tallies_[version], skills[version] = tally, Skill(25 + random.gauss(0, 5), 0.9)
    blocks = sum(map(len, ladder.waves[:waves]))
    own = LadderMemory(skills, dict.fromkeys(skills, 0))
    past = Past(waves=waves, blocks=blocks, tallies=tallies_, own=own)
    return WaveMemory(waves - 1, to_json(LadderFormat(2, 0), past, list(tallies_)))


def main(arguments: Sequence[str]) -> int:
    """Write the database."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    start = time.perf_counter()
    path = Path(arguments[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    print(f"{path} written in {time.perf_counter() - start:.0f} s, {path.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
