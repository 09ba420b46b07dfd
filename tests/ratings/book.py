"""A small book of record to test with: four bots, a round robin of three seats, results that follow from the plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from arena.match.result import MatchResult
from arena.match.worker_report import MatchReport
from ratings.ledger.leasing import LeasedMatch, LostAttempt, lease, record_lost
from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_of
from ratings.ledger.recording import record_results
from ratings.ledger.tournaments import TournamentPlan
from ratings.read.bots import VersionRow
from ratings.statistics.blocks import Block
from ratings.store import tables
from ratings.store.bot_events import ActiveVersionRecord
from ratings.store.database import Database
from ratings.store.models import BotRecord, VersionRecord
from ratings.store.sessions import read, write
from ratings.values.pools import Pool
from tests.support.specs import GivenWaves

FOREVER = 2**62
POOL = pool_of(game="foreign_king", rules_version="1", seats=3, time_control="50ms")


def pool_like(pool: Pool, **changes: Any) -> Pool:
    """A pool that differs from another in what is given."""
    key = {field.name: getattr(pool, field.name) for field in fields(pool) if field.name != "pool_id"}
    return pool_of(**{**key, **changes})


def add_bots(database: Database, names: Iterable[str], owner: str | None = None) -> dict[str, str]:
    """Bot name -> id of a first version."""
    ledger = Ledger(database)
    return {
        name: ledger.add_version(bot=name, owner=owner, content_hash=f"{name}1", manifest={"name": name})[0].id
        for name in names
    }


def add_successor(database: Database, name: str, owner: str | None = None) -> str:
    """The id of a second version of a bot."""
    added, _ = Ledger(database).add_version(bot=name, owner=owner, content_hash=f"{name}2", manifest={"name": name})
    return added.id


def rotations(index: int, circle: Sequence[str]) -> Block:
    """A block: all cyclic shifts of one circular order."""
    return Block(index, tuple(circle), (1, 2), 1000 + index)


def singles(versions: Iterable[str], seats: int = 3) -> list[Block]:
    """The matches of a round robin, each in a block of its own: rated as soon as it is over."""
    seatings = [seating for block in round_robin(list(versions), seats) for seating in block.rotations()]
    return [Block(index, seating, (), index, is_single=True) for index, seating in enumerate(seatings)]


def round_robin(entrants: Sequence[str], seats: int = 3) -> list[Block]:
    """One block for every entrant left out (or one block, if all have a seat)."""
    circles = [[*entrants[index:], *entrants[:index]][:seats] for index in range(len(entrants))]
    if len(entrants) == seats:
        circles = circles[:1]
    return [rotations(index, circle) for index, circle in enumerate(circles)]


def plan(versions: Iterable[str], seats: int = 3, **changes: Any) -> TournamentPlan:
    fields: dict[str, Any] = {
        "name": "test",
        "format": "round-robin",
        "pool": pool_of(game="foreign_king", rules_version="1", seats=seats, time_control="50ms"),
        "secret": "00ff",
        "seeded": True,
        "settings": {"rounds": 1},
        "entrants": list(versions),
    }
    return TournamentPlan(**{**fields, **changes})


def create(
    database: Database,
    versions: Iterable[str],
    seats: int = 3,
    *,
    blocks: Sequence[Block] | None = None,
    **changes: Any,
) -> str:
    """The id of a tournament, a round robin unless other blocks are given."""
    entrants = list(versions)
    waves = GivenWaves(round_robin(entrants, seats) if blocks is None else blocks)
    return Ledger(database).create_tournament(plan(entrants, seats, **changes), waves).id


def take(database: Database, tournament_id: str, limit: int = 1000, **changes: Any) -> list[LeasedMatch]:
    fields: dict[str, Any] = {"limit": limit, "worker": "w1", "deadline_us": FOREVER}
    with write(database) as session:
        return lease(session, tournament_id=tournament_id, **{**fields, **changes})


def ranks_for(match: LeasedMatch) -> tuple[int, ...]:
    """Ranks that follow from the plan, as deterministic bots' would; some are draws."""
    strength = [
        sum(map(ord, seat.bot)) * (match.position + 7) % 5 + seat_ // 2 for seat_, seat in enumerate(match.seats)
    ]
    return tuple(1 + sum(other > mine for other in strength) for mine in strength)


def report(match: LeasedMatch, **changes: Any) -> MatchReport:
    """What comes back from playing a match; the changes are of the report, or of the result in it."""
    result: dict[str, Any] = {
        "ranks": ranks_for(match),
        "by_rules": True,
        "rated": True,
        "forfeits": (),
        "resigned": (),
        "faults": (),
        "details": {"scores": [3, 2, 1]},
    }
    result |= {name: changes.pop(name) for name in result.keys() & changes.keys()}
    given: dict[str, Any] = {
        "match_id": match.match_id,
        "attempt": match.attempt,
        "result": MatchResult(**result),
        "plies": 80,
        "decisions": 60,
        "started_at_us": 1_700_000_000_000_000,
        "duration_us": 250_000,
        "game_digest": "ab" * 32,
        "record_digest": "cd" * 32,
        "replay": b"replay of " + match.match_id.encode(),
    }
    return MatchReport(**{**given, **changes})


def record(database: Database, match: LeasedMatch, **changes: Any) -> bool:
    with write(database) as session:
        return record_results(session, [report(match, **changes)])[0]


def lose(session: Session, tournament_id: str, match: LeasedMatch) -> None:
    """Lose a leased match to its hosts until it is void; no other match may be planned meanwhile."""
    attempt = match.attempt
    while record_lost(session, LostAttempt(match.match_id, attempt, "worker died")):
        (again,) = lease(session, tournament_id=tournament_id, limit=1, worker="w1", deadline_us=FOREVER)
        assert again.match_id == match.match_id
        attempt = again.attempt


def play_all(database: Database, tournament_id: str) -> int:
    """Play what is planned, recorded at once; how many matches it was."""
    matches = take(database, tournament_id)
    with write(database) as session:
        assert all(record_results(session, [report(match) for match in matches]))
    return len(matches)


def rows(database: Database, *names: str) -> dict[str, list[str]]:
    """Whole tables, by default all about ratings; repr() shows a float to its last digit."""
    wanted = names or ("rating", "rating_change", "rating_order")
    with read(database) as session:
        connection = session.connection()
        return {name: sorted(map(repr, connection.execute(select(tables.metadata.tables[name])))) for name in wanted}


def count(database: Database, name: str) -> int:
    return len(rows(database, name)[name])


def copy_of(path: Path, target: Path) -> Path:
    """A copy of a closed database."""
    target.write_bytes(path.read_bytes())
    return target


def active_versions(database: Database) -> list[VersionRow]:
    """The active version of every bot that has one, by name; bots that are disabled too."""
    query = (
        select_rows(BotRecord, VersionRecord)
        .join(ActiveVersionRecord, col(ActiveVersionRecord.bot_id) == BotRecord.id)
        .join(VersionRecord, col(VersionRecord.id) == ActiveVersionRecord.version_id)
    )
    with read(database) as session:
        return [VersionRow(*row) for row in session.exec(query.order_by(BotRecord.name))]
