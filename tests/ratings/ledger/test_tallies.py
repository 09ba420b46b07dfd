"""The tallies that are kept up are those that all matches give, whatever was played and in whatever order."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from arena.match.leak_verdict import LeakVerdict
from arena.match.report import LeakCheckResult
from ratings.errors import PlanError
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.read.tournaments import WholeBlocks, standings, tournament_row
from ratings.read.waves import tournament_waves
from ratings.statistics.scores import Firsts, match_points
from ratings.store.database import Database, open_database
from ratings.store.sessions import write
from ratings.values.states import MatchState
from tests.ratings import book
from tests.ratings.conftest import Filled

EXAMPLES = settings(max_examples=4)
FIGURES = ("matches", "wins", "shared", "draws", "points", "forfeits", "blocks", "whole", "possible")


def ranks(random: Random, seats: int) -> tuple[int, ...]:
    strength = [random.randrange(3) for _ in range(seats)]
    return tuple(1 + sum(other > mine for other in strength) for mine in strength)


def play_at_random(database: Database, random: Random, tournament: str, bots: list[str]) -> None:
    """Finish matches in random order and batches, lose some for good, withdraw a bot, perhaps cancel it all."""
    ledger, matches = Ledger(database), book.take(database, tournament)
    random.shuffle(matches)
    while matches:
        batch = [matches.pop() for _ in range(min(len(matches), random.randint(1, 4)))]
        lost = [match for match in batch if random.random() < 0.1]
        seats = len(batch[0].seats)
        with write(database) as session:
            for match in lost:
                session.connection().execute(
                    text("UPDATE match SET state = 'void', void_reason = 'lost' WHERE id = :id"), {"id": match.match_id}
                )
        facts = [
            book.report(
                match,
                ranks=ranks(random, seats),
                forfeits=tuple(random.sample(range(seats), random.choice((0, 0, 1, seats)))),
                game_digest=random.choice(("aa", "bb")) * 32,
                leak_checks=[LeakCheckResult(0, random.choice(list(LeakVerdict)), None, "so")]
                if random.random() < 0.3
                else [],
            )
            for match in batch
            if match not in lost
        ]
        ledger.settle(tournament, results=[*facts, *facts])  # a result that comes twice counts once
        if random.random() < 0.05:
            try:
                ledger.withdraw(tournament, random.choice(bots), "left")
            except PlanError:
                continue
        if random.random() < 0.02:
            ledger.cancel(tournament)
            return


def tallied(database: Database, tournament: str) -> list[dict[str, Any]]:
    """What all matches give, entrant by entrant: the plain way."""
    waves = tournament_waves(database, tournament)
    seats = waves.pool.seats
    found = {entrant.version_id: dict.fromkeys(FIGURES, 0) for entrant in waves.entrants}
    for block in (block for wave in waves.waves for block in wave):
        is_whole = all(match.state is MatchState.FINISHED for match in block)
        for version in set(block[0].versions) if is_whole else ():
            found[version]["blocks"] += 1
        for match in (match for match in block if match.state is MatchState.FINISHED):
            points = match_points([rank or 0 for rank in match.ranks])
            for version, rank, gained, did in zip(
                match.versions, match.ranks, points, match.has_forfeited, strict=True
            ):
                own = found[version]
                own["matches"] += 1
                firsts = match.ranks.count(1)
                own["wins" if firsts == 1 else "draws" if firsts == seats else "shared"] += rank == 1
                own["points"] += gained
                own["forfeits"] += did
                own["whole"] += gained if is_whole else 0
                own["possible"] += 2 * (seats - 1) if is_whole else 0
    return [{"version_id": version, **own, "seats": seats} for version, own in found.items()]


@pytest.mark.both_databases
def test_kept_up_tallies_are_those_of_all_matches(filled: Filled, tmp_path: Path) -> None:
    @EXAMPLES
    @given(seed=st.integers(0, 2**32), seats=st.integers(2, 3))
    def they_are(seed: int, seats: int) -> None:
        database = open_database(book.copy_of(filled.with_bots, tmp_path / "copy.db"))
        try:
            compare_tallies(database, list(filled.bots.values()), Random(seed), seats)
        finally:
            database.close()

    they_are()


def compare_tallies(database: Database, entrants: list[str], random: Random, seats: int) -> None:
    tournament = book.create(database, entrants, seats, rated=random.random() < 0.7)
    play_at_random(database, random, tournament, entrants)
    rows = {row.version_id: row for row in standings(database, tournament)}
    for plain in tallied(database, tournament):
        row, met = rows[plain["version_id"]], plain["matches"] * (seats - 1)
        assert (row.matches, row.forfeits) == (plain["matches"], plain["forfeits"])
        assert row.firsts == Firsts(plain["wins"], plain["shared"], plain["draws"])
        assert row.score == (plain["points"] / (2 * met) if met else 0.0)
        assert row.whole == WholeBlocks(plain["blocks"], plain["whole"], plain["possible"])
    assert check_tallies(database) == []
    waves = tournament_waves(database, tournament).waves
    states = Counter(match.state for wave in waves for block in wave for match in block)
    progress = tournament_row(database, tournament).progress
    assert {state: getattr(progress, state.value) for state in MatchState} == {s: states[s] for s in MatchState}


def check_tallies(database: Database) -> list[str]:
    return [problem for problem in check(database) if "tally" in problem or "place" in problem]


@pytest.mark.both_databases
@pytest.mark.usefixtures("all_played")
def test_a_wrong_tally_is_found_and_counted_anew(database: Database, tournament: str) -> None:
    before = book.rows(database, "entrant_tally")
    for sabotage in (
        "UPDATE entrant_tally SET block_points = block_points + 1",
        "DELETE FROM entrant_tally WHERE matches > 0",
    ):
        with write(database) as session:
            session.connection().execute(text(sabotage))
        assert "is not what the facts give" in "".join(check_tallies(database))
        Ledger(database).rebuild()
        assert check_tallies(database) == []
        assert book.rows(database, "entrant_tally") == before


@pytest.mark.both_databases
def test_the_migration_counts_what_an_older_database_holds(database: Database, bots: dict[str, str]) -> None:
    migrations = "ratings.store.migrations.versions"
    tallies, firsts = (importlib.import_module(f"{migrations}.{name}") for name in ("0004_service", "0010_firsts"))
    tournament = book.create(database, bots.values())
    play_at_random(database, Random(4), tournament, list(bots.values()))
    before = book.rows(database, "entrant_tally")
    assert len(before["entrant_tally"]) > 2
    with write(database) as session:
        session.connection().execute(text("DELETE FROM entrant_tally"))
        session.connection().execute(text(tallies.COUNT))
        firsts.fill(session.connection(), "entrant_tally", "tournament_id", firsts.OF_TALLIES)
    assert book.rows(database, "entrant_tally") == before
