"""A small book of record to test with: four bots, a round robin of three seats, results that follow from the plan."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from ratings.ledger.bots import add_version
from ratings.ledger.entry import (
    BlockPlan,
    LeasedMatch,
    MatchFact,
    MatchPlan,
    TournamentPlan,
    create_tournament,
    lease,
    record_host_failure,
    record_result,
)
from ratings.ledger.pools import PoolKey
from ratings.store import tables
from ratings.store.database import Database as Engine
from ratings.store.database import read, write

FOREVER = 2**62
POOL = PoolKey(game="foreign_king", rules_version="1", seats=3, time_control="50ms")


def add_bots(engine: Engine, names: Iterable[str], owner: str | None = None) -> dict[str, str]:
    """Bot name -> id of a first version."""
    with write(engine) as session:
        return {
            name: add_version(session, bot=name, owner=owner, content_hash=f"{name}1", manifest={"name": name})[0].id
            for name in names
        }


def add_successor(engine: Engine, name: str, owner: str | None = None) -> str:
    """The id of a second version of a bot."""
    with write(engine) as session:
        return add_version(session, bot=name, owner=owner, content_hash=f"{name}2", manifest={"name": name})[0].id


def rotations(index: int, circle: list[str]) -> BlockPlan:
    """A block: all cyclic shifts of one circular order."""
    shifts = [tuple(circle[shift:] + circle[:shift]) for shift in range(len(circle))]
    return BlockPlan(index, (1, 2), 1000 + index, [MatchPlan(shift, seats) for shift, seats in enumerate(shifts)])


def singles(versions: Iterable[str], seats: int = 3) -> list[BlockPlan]:
    """The matches of a plan, each in a block of its own: rated as soon as it is over."""
    matches = [match for block in plan(versions, seats).blocks for match in block.matches]
    return [BlockPlan(index, (), index, [MatchPlan(0, match.versions)]) for index, match in enumerate(matches)]


def plan(versions: Iterable[str], seats: int = 3, **changes: Any) -> TournamentPlan:
    """One block for every entrant left out (or one block, if all have a seat)."""
    entrants = list(versions)
    circles = [[*entrants[index:], *entrants[:index]][:seats] for index in range(len(entrants))]
    if len(entrants) == seats:
        circles = circles[:1]
    fields: dict[str, Any] = {
        "name": "test",
        "format": "round-robin",
        "pool": PoolKey(game="foreign_king", rules_version="1", seats=seats, time_control="50ms"),
        "secret": "00ff",
        "seeded": True,
        "settings": {"rounds": 1},
        "entrants": entrants,
        "blocks": [rotations(index, circle) for index, circle in enumerate(circles)],
    }
    return TournamentPlan(**{**fields, **changes})


def create(engine: Engine, versions: Iterable[str], seats: int = 3, **changes: Any) -> str:
    """The id of a tournament."""
    with write(engine) as session:
        return create_tournament(session, plan(versions, seats, **changes)).id


def take(engine: Engine, tournament_id: str, limit: int = 1000, **changes: Any) -> list[LeasedMatch]:
    fields: dict[str, Any] = {"limit": limit, "worker": "w1", "deadline_us": FOREVER}
    with write(engine) as session:
        return lease(session, tournament_id=tournament_id, **{**fields, **changes})


def ranks_for(match: LeasedMatch) -> tuple[int, ...]:
    """Ranks that follow from the plan, as deterministic bots' would; some are draws."""
    strength = [
        sum(map(ord, seat.bot)) * (match.position + 7) % 5 + seat_ // 2 for seat_, seat in enumerate(match.seats)
    ]
    return tuple(1 + sum(other > mine for other in strength) for mine in strength)


def fact(match: LeasedMatch, **changes: Any) -> MatchFact:
    fields: dict[str, Any] = {
        "match_id": match.match_id,
        "attempt": match.attempt,
        "worker": "w1",
        "ranks": ranks_for(match),
        "by_rules": True,
        "rated": True,
        "forfeits": (),
        "faults": (),
        "details": {"scores": [3, 2, 1]},
        "plies": 80,
        "decisions": 60,
        "started_at_us": 1_700_000_000_000_000,
        "duration_us": 250_000,
        "game_digest": "ab" * 32,
        "record_digest": "cd" * 32,
        "replay": b"replay of " + match.match_id.encode(),
    }
    return MatchFact(**{**fields, **changes})


def record(engine: Engine, match: LeasedMatch, **changes: Any) -> bool:
    with write(engine) as session:
        return record_result(session, fact(match, **changes))


def lose(session: Session, tournament_id: str, match: LeasedMatch) -> None:
    """Lose a leased match to its hosts until it is void; no other match may be planned meanwhile."""
    attempt = match.attempt
    while record_host_failure(session, match_id=match.match_id, attempt=attempt, reason="worker died"):
        (again,) = lease(session, tournament_id=tournament_id, limit=1, worker="w1", deadline_us=FOREVER)
        assert again.match_id == match.match_id
        attempt = again.attempt


def play_all(engine: Engine, tournament_id: str) -> int:
    matches = take(engine, tournament_id)
    assert all(record(engine, match) for match in matches)
    return len(matches)


def rows(engine: Engine, *names: str) -> dict[str, list[str]]:
    """Whole tables, by default all about ratings; repr() shows a float to its last digit."""
    wanted = names or ("rating", "rating_change", "rating_order")
    all_tables = tables.rating.metadata.tables
    with read(engine) as session:
        connection = session.connection()
        return {name: sorted(map(repr, connection.execute(select(all_tables[name])))) for name in wanted}


def count(engine: Engine, name: str) -> int:
    return len(rows(engine, name)[name])


def copy_of(path: Path, target: Path) -> Path:
    """A copy of a closed database."""
    target.write_bytes(path.read_bytes())
    return target
