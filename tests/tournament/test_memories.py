"""The check of what planning relies on finds every damage, and nothing where there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from arena.tournament.entering import join
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.memories import memory_problems
from ratings.read.tournaments import remembered
from ratings.store.sessions import write
from tests.tournament.book import TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor
from tests.tournament.test_waves import annul, play


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
