"""A tournament of two owners and of the operator, some of whose matches are over, with marks to look for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.replay import dump, load
from arena.match.result import Fault, FaultCause, LeakVerdict
from arena.match.worker_report import LeakCheckResult, SeatLogText
from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_of
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import find_owner
from ratings.statistics.blocks import Block
from ratings.store.database import Database, open_database
from ratings.values.states import Scope
from tests.ratings import book
from tests.support.owners import RunningServer

BOTS = ("ann/fox", "ben/owl", "cat", "dog")
SEED = 42_424_242_424_242
CHANCE_SEED = 3_133_731_337_000
"""Of the first block; both are longer than what a random id holds by chance."""
SECRET = "5ec2e7aa" * 8
SEATS = 2


@dataclass(frozen=True)
class World:
    """An open database, and how it is asked by somebody."""

    database: Database
    programs: StoredPrograms
    tournament: str
    blocks: Sequence[Block]
    over: Collection[int]
    """The positions of the matches that are over."""
    matches: Mapping[int, Any]
    """The leases of all matches, by position."""

    def play_on(self, positions: Collection[int]) -> None:
        """Let further matches be over."""
        for position in sorted(positions):
            finish(self.database, self.matches[position])

    def asked_by(self, viewer: Viewer) -> LocalArena:
        return LocalArena(self.database, self.programs, viewer)

    def owner(self, name: str) -> Viewer:
        return Viewer(Scope.COMPETITOR, find_owner(self.database, name).id, name)

    def open_positions(self) -> set[int]:
        """The matches that share their chance with one that is not over."""
        seeds = [block.chance_seed for block in self.blocks for _ in block.rotations()]
        pending = {seed for position, seed in enumerate(seeds) if position not in self.over}
        return {position for position, seed in enumerate(seeds) if seed in pending}


def mark(position: int) -> str:
    """What stands in all that the play of a match decided."""
    return f"5ec2e7{position:02x}"


@contextmanager
def make_world(
    empty: Path,
    directory: Path,
    over: Collection[int],
    *,
    game: str,
    is_comparison: bool = False,
    is_remote: bool = False,
) -> Iterator[World]:
    """A world, made from an empty database, in which the matches at these positions are over, and the others leased."""
    database = open_database(book.copy_of(empty, directory / "arena.db"))
    try:
        versions = add_bots(database)
        blocks = comparison(versions) if is_comparison else circle(versions)
        entrants = versions[:2] if is_comparison else versions
        tournament = book.create(
            database,
            entrants,
            SEATS,
            blocks=blocks,
            name="rex",
            format="compare" if is_comparison else "round-robin",
            pool=pool_of(game=game, rules_version="1", seats=SEATS, time_control="50ms", remote=is_remote),
            secret=SECRET,
            rated=not is_comparison,  # a version that sits in two seats plays unrated
            settings={"seed": SEED, "opening_plies": 2, "start_limit_us": 1, "margin_us": 1},
        )
        matches = {match.position: match for match in book.take(database, tournament)}
        programs = StoredPrograms(VersionStore(directory / "arena.bots"))
        world = World(database, programs, tournament, blocks, over, matches)
        for position in sorted(matches.keys() & over):
            finish(database, matches[position])
        yield world
    finally:
        database.close()


@contextmanager
def fresh_world(directory: Path, over: Collection[int], *, game: str, is_comparison: bool = False) -> Iterator[World]:
    """The same in a directory with nothing in it."""
    open_database(directory / "empty.db").close()
    with make_world(directory / "empty.db", directory, over, game=game, is_comparison=is_comparison) as made:
        yield made


def add_bots(database: Database) -> list[str]:
    ledger, added = Ledger(database), []
    for whole in BOTS:
        owner, _, name = whole.rpartition("/")
        version, _ = ledger.add_version(
            bot=name,
            owner=owner or None,
            content_hash=f"{name}1",
            manifest={"name": name, "command": ["python"], "games": ["*"], "memory_mb": 100, "deterministic": False},
        )
        added.append(version.id)
    return added


def circle(versions: Sequence[str]) -> list[Block]:
    pairs = [(versions[place], versions[(place + 1) % len(versions)]) for place in range(len(versions))]
    return [Block(index, pair, (1, 2), CHANCE_SEED + index) for index, pair in enumerate(pairs)]


def comparison(versions: Sequence[str]) -> list[Block]:
    new, old = versions[:2]
    return [
        Block(2 * pair + place, order, (1, 2), CHANCE_SEED + pair)
        for pair in range(2)
        for place, order in enumerate([(new, old), (old, old)])
    ]


def finish(database: Database, match: Any) -> None:
    position, text = match.position, mark(match.position)
    proof = [{"stderr": f"{text} proof of {seat.bot}"} for seat in match.seats]
    document = {
        "format": "arena.replay",
        "schema": 2,
        "match_id": match.match_id,
        "entries": [],
        "seats": [{"name": seat.bot} for seat in match.seats],
        "times": "",
        "result": {"faults": [{"seat": seat, "evidence": one} for seat, one in enumerate(proof)]},
        "mark": text,
    }
    book.record(
        database,
        match,
        ranks=(1, 2),
        details={"mark": text},
        plies=70000000 + position,
        decisions=80000000 + position,
        started_at_us=1_765_432_100_000_000 + position,
        duration_us=900_000_000 + position,
        game_digest=text + "a" * 56,
        record_digest=text + "b" * 56,
        replay=dump(document),
        faults=[Fault(seat, FaultCause.TIMEOUT, 3, f"{text} why", one) for seat, one in enumerate(proof)],
        leak_checks=[LeakCheckResult(seat, LeakVerdict.LEAK, 3, f"{text} leak", one) for seat, one in enumerate(proof)],
        seat_logs=[SeatLogText(seat, f"{text} log of {one.bot}".encode(), 0) for seat, one in enumerate(match.seats)],
    )


def marks_of(position: int) -> tuple[str, ...]:
    """Everything that only somebody can know who saw the match at this position."""
    return (
        mark(position),
        str(70000000 + position),
        str(80000000 + position),
        str(1_765_432_100_000_000 + position),
        str(900_000_000 + position),
    )


def text_of(value: Any) -> str:
    """All that stands in a value, walked to its ends, as one text."""
    if is_dataclass(value):
        return " ".join(text_of(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, dict):
        return " ".join(f"{text_of(key)} {text_of(inner)}" for key, inner in value.items())
    if isinstance(value, (tuple, list)):
        return " ".join(map(text_of, value))
    if isinstance(value, bytes):
        return text_of(load(value))
    return str(value.value if isinstance(value, Enum) else value)


def play_logged(server: RunningServer, text: str) -> str:
    """The id of a match of ann/fox and ben/owl, in which each wrote that text and its name.

    It is annulled: its replay tells nothing that the front page could show.
    """
    versions = add_bots(server.database)
    tournament = book.create(server.database, versions[:2], SEATS, blocks=circle(versions)[:1], name="logged")
    matches = book.take(server.database, tournament)
    for match in matches:
        logs = [SeatLogText(seat, f"{text} {one.bot}".encode(), 0) for seat, one in enumerate(match.seats)]
        book.record(server.database, match, ranks=(1, 2), seat_logs=logs)
        ServiceLedger(server.database).annul_match(match.match_id, why="it was not played", actor="test")
    return matches[0].match_id
