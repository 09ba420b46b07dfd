"""What is read of a tournament: checks of memories, answers that stay, and comparisons begun in an older form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Text, cast, select, text

from arena.app.tournaments import make_table
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.model.tournaments import BestKnown
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.catalog import from_settings
from arena.tournament.formats.compare import Compare, Design
from arena.tournament.formats.format import Format
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.swiss import Swiss
from arena.tournament.registration import join
from arena.tournament.stored import format_of, memory_problems, read_situation, situation_of
from ratings.ledger.check import check
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.tournament_report import tournament_report
from ratings.read.tournaments import remembered, tournament_row, tournament_waves
from ratings.store import tables
from ratings.store.models import TournamentRecord
from ratings.store.sessions import write
from tests.tournament.book import BOTS, TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor, report_of
from tests.tournament.test_planner import annul, play

TURNED = text("UPDATE match_seat SET rank = 3 - rank WHERE match_id = :it")
FORM = Adaptive(2, "winner known at 80%", 200)
BEFORE = {"pairs": 60, "lower": 0.0, "upper": 0.03, "alpha": 0.05, "beta": 0.05}
"""The settings of such a comparison, and what it remembered of its test, as they were written."""
OWN_BEFORE = {
    "answered_after": None,
    "identical": 4,
    "identical_games": 9,
    "games": 24,
    "answer": None,
    "differences": [[0, 1, 5], [1, 2, 1]],
}


def damage(book: Book, statement: str, **values: Any) -> None:
    with write(book.database) as session:
        assert session.connection().execute(text(statement), values).rowcount


async def played(book: Book, form: Format) -> str:
    """A tournament that was played to its end, in the middle of which somebody joined; its id."""
    tournament = book.plan_format(form)
    begun = 0

    def let_somebody_join(_: object) -> None:
        nonlocal begun
        begun += 1
        if begun == 9:
            book.add_bot("eve")
            join(book.database, book.programs, tournament, "eve")

    await play(book, tournament, ScriptedExecutor(on_start=let_somebody_join))
    return tournament.id


@pytest.mark.parametrize("form", [LadderFormat(2, 6), LadderFormat(3, 5)], ids=str)
async def test_what_was_remembered_in_play_is_what_the_matches_give(book: Book, form: Format) -> None:
    tournament = await played(book, form)
    assert [one.tournament_id for one in remembered(book.database)] == [tournament]
    assert list(memory_problems(book.database)) == []


async def test_a_comparison_is_checked_too(book: Book) -> None:
    tournament = book.plan_format(Compare(2, pairs=20), replace(TERMS, rated=False), ("ann", "bob"))
    await play(book, tournament)
    assert len(remembered(book.database)) == 1
    assert list(memory_problems(book.database)) == []


@pytest.mark.both_databases
async def test_what_was_annulled_is_read_anew_and_so_not_looked_at(book: Book) -> None:
    tournament = book.plan_format(LadderFormat(2, 4))
    await play(book, tournament)
    annul(book, tournament)
    assert remembered(book.database) == []
    assert list(memory_problems(book.database)) == []


def damages(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was remembered with a fault in each of its parts."""
    for where in ("points", "met", "skill", "start", "blocks"):
        damaged = json.loads(json.dumps(data))
        if where == "points":
            damaged["tallies"][1][1] += 2
        elif where == "met":
            damaged["tallies"][0][-1][0][1] += 1
        elif where == "skill":
            damaged["own"]["skills"][2][1] += 1e-12
        elif where == "start":
            damaged["own"]["starts"][0][1] += 1
        else:
            damaged["blocks"] += 1
        yield where, damaged


async def test_damage_to_a_memory_is_found(book: Book) -> None:
    tournament = await played(book, LadderFormat(2, 6))
    (one,) = remembered(book.database)
    found = {}
    for where, data in damages(dict(one.memory.data)):
        damage(book, "UPDATE wave SET memory = :data WHERE memory IS NOT NULL", data=json.dumps(data))
        found[where] = [(name, "is not what its matches give" in said) for name, said in memory_problems(book.database)]
    assert found == {where: [(tournament, True)] for where in ("points", "met", "skill", "start", "blocks")}


async def test_damage_to_who_gathered_is_found_and_mended_by_forgetting(book: Book) -> None:
    tournament = await played(book, LadderFormat(3, 5))
    first = "WHERE members = (SELECT min(members) FROM gathering)"
    with write(book.database) as session:
        session.connection().execute(text("CREATE TABLE kept AS SELECT * FROM gathering"))
    for statement in (
        f"UPDATE gathering SET blocks = blocks + 1 {first}",
        f"DELETE FROM gathering {first}",
        f"UPDATE gathering SET members = '0,1,9' {first}",
    ):
        damage(book, statement)
        ((found, problem),) = memory_problems(book.database)
        assert found == tournament
        assert "who gathered" in problem, statement
        damage(book, "DELETE FROM gathering")
        damage(book, "INSERT INTO gathering SELECT * FROM kept")
        assert list(memory_problems(book.database)) == []
    damage(book, f"DELETE FROM gathering {first}")
    book.ledger.forget_memories([tournament])
    assert list(memory_problems(book.database)) == []


class Orderly(ScriptedExecutor):
    """The version that comes first among `strength` wins."""

    def __init__(self, strength: list[str]) -> None:
        super().__init__()
        self._strength = strength

    async def run(self, spec: MatchSpec) -> MatchReport:
        await super().run(spec)
        places = [self._strength.index(seat.version) for seat in spec.seats]
        ranks = tuple(1 + sum(other < own for other in places) for own in places)
        report = report_of(spec)
        return replace(report, result=replace(report.result, ranks=ranks, forfeits=(), faults=(), by_rules=True))


def matches_of_last_wave(book: Book, tournament: TournamentRecord) -> list[str]:
    waves = tournament_waves(book.database, tournament.id).waves
    rows = list_matches(book.database, MatchFilter(tournament.id), limit=None, newest_first=False).items
    return [row.match.id for row in rows][-2 * len(waves[-1]) :]


def found(book: Book, tournament: TournamentRecord) -> BestKnown:
    best = make_table(book.database, tournament_report(book.database, tournament.id)).best
    assert best is not None
    return best


@pytest.fixture
async def answered(book: Book) -> tuple[TournamentRecord, BestKnown]:
    """A tournament that knew its answer, and whose last wave then said the contrary."""
    tournament = book.plan_format(FORM)
    hashes = {row.bot: row.content_hash for row in tournament_report(book.database, tournament.id).entrants}
    await play(book, tournament, Orderly([hashes[bot] for bot in BOTS]))
    best = found(book, tournament)
    assert (best.is_known, best.leader_names) == (True, (BOTS[0],))
    with write(book.database) as session:
        for match in matches_of_last_wave(book, tournament):
            session.connection().execute(TURNED, {"it": match})
    return tournament, best


@pytest.mark.both_databases
async def test_what_the_last_wave_brings_does_not_change_it_and_where_it_was_not_recorded_it_is_found_again(
    book: Book, answered: tuple[TournamentRecord, BestKnown]
) -> None:
    tournament, best = answered
    assert not FORM.answer(book.situation(tournament)).is_known, "the test would show nothing"
    assert found(book, tournament) == best
    with write(book.database) as session:
        session.connection().execute(text("UPDATE tournament SET answer = NULL"))
    again = found(book, tournament)
    assert (again.is_known, again.leaders) == (True, best.leaders)


async def test_an_answer_that_rests_on_annulled_matches_is_not_kept(
    book: Book, answered: tuple[TournamentRecord, BestKnown]
) -> None:
    tournament, best = answered
    first = list_matches(book.database, MatchFilter(tournament.id), limit=1, newest_first=False).items[0]
    ServiceLedger(book.database).annul_match(first.match.id, why="the machine was out of memory", actor="operator")
    assert tournament_report(book.database, tournament.id).answer is None
    assert found(book, tournament).confidence != best.confidence


@pytest.mark.parametrize("form", [Adaptive(2, "winner known at 99.9%", 8), Swiss(2, 2)], ids=["limit", "another"])
async def test_nothing_is_recorded_where_nothing_is_known(book: Book, form: Adaptive | Swiss) -> None:
    tournament = book.plan_format(form)
    await play(book, tournament)
    assert tournament_report(book.database, tournament.id).answer is None
    assert check(book.database) == []


def make_it_old(book: Book, tournament: str) -> None:
    """Write settings and memory of a comparison as they were written before."""
    with write(book.database) as session:
        connection = session.connection()
        of_it = tables.tournament.c.id == tournament
        (settings,) = connection.execute(select(tables.tournament.c.settings).where(of_it))
        kept: dict[str, Any] = {**settings[0], **BEFORE}
        del kept["design"]
        connection.execute(
            text("UPDATE tournament SET settings = :it, more_waves = true WHERE id = :id"),
            {"it": json.dumps(kept), "id": tournament},
        )
        wave = tables.wave.c
        (memory,) = connection.execute(select(wave.memory).where(cast(wave.memory, Text).is_not(None)))
        old = {**memory[0], "version": 1, "own": OWN_BEFORE}
        assert connection.execute(
            text("UPDATE wave SET memory = :it WHERE memory IS NOT NULL"), {"it": json.dumps(old)}
        ).rowcount


@pytest.fixture
async def tournament(book: Book) -> str:
    """A comparison that was played until half of its steps were planned."""
    made = book.plan_format(Compare(2, pairs=20), replace(TERMS, rated=False), ("ann", "bob"))
    await play(book, made)
    make_it_old(book, made.id)
    return made.id


@pytest.mark.both_databases
async def test_it_is_shown_as_its_matches_tell_and_goes_on_to_its_end(book: Book, tournament: str) -> None:
    row = tournament_row(book.database, tournament)
    form = format_of(row.tournament, row.pool)
    assert form == Compare(2, pairs=60, lower=0.0, upper=0.015, design=Design.APART)
    found = form.comparison(read_situation(book.database, tournament))
    assert found == form.comparison(situation_of(tournament_waves(book.database, tournament)))
    assert found.steps == 20
    assert found.answer is None
    assert list(memory_problems(book.database)) == []
    await play(book, row.tournament)
    found = form.comparison(read_situation(book.database, tournament))
    assert found.steps > 20
    assert found.answer is not None
    (one,) = remembered(book.database)
    assert one.memory.data["version"] == Compare.memory_version
    assert list(memory_problems(book.database)) == []


def test_gains_of_before_were_differences_of_rank() -> None:
    found = from_settings("compare", 3, BEFORE)
    assert found == Compare(3, 60, 0.0, 0.015, design=Design.APART)
    now = from_settings("compare", 3, {**BEFORE, "design": "apart"})
    assert now == Compare(3, 60, 0.0, 0.03, design=Design.APART)
