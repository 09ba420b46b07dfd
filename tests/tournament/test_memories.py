"""The check of what planning relies on finds every damage, and nothing where there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from arena.tournament.entering import join
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.ladder import Ladder
from arena.tournament.memories import memory_problems
from ratings.read.waves import remembered
from ratings.store.sessions import write
from tests.tournament.book import TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor
from tests.tournament.test_annulled import annul
from tests.tournament.test_waves import play


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


@pytest.mark.parametrize("form", [Ladder(2, 8), Ladder(3, 6)], ids=str)
async def test_what_was_remembered_in_play_is_what_the_matches_give(book: Book, form: Format) -> None:
    tournament = await played(book, form)
    assert [one.tournament_id for one in remembered(book.database)] == [tournament]
    assert list(memory_problems(book.database)) == []


async def test_a_comparison_is_checked_too(book: Book) -> None:
    tournament = book.plan_format(Compare(2, pairs=100), replace(TERMS, rated=False), ("ann", "bob"))
    await play(book, tournament)
    assert len(remembered(book.database)) == 1
    assert list(memory_problems(book.database)) == []


async def test_what_was_annulled_is_read_anew_and_so_not_looked_at(book: Book) -> None:
    tournament = book.plan_format(Ladder(2, 6))
    await play(book, tournament)
    annul(book, tournament)
    assert remembered(book.database) == []
    assert list(memory_problems(book.database)) == []


@pytest.mark.parametrize("where", ["points", "met", "skill", "start", "blocks"])
async def test_damage_to_a_memory_is_found(book: Book, where: str) -> None:
    tournament = await played(book, Ladder(2, 8))
    (one,) = remembered(book.database)
    data: dict[str, Any] = json.loads(json.dumps(one.memory.data))
    if where == "points":
        data["tallies"][1][1] += 2
    elif where == "met":
        data["tallies"][0][-1][0][1] += 1
    elif where == "skill":
        data["own"]["skills"][2][1] += 1e-12
    elif where == "start":
        data["own"]["starts"][0][1] += 1
    else:
        data["blocks"] += 1
    damage(book, "UPDATE wave SET memory = :data WHERE memory IS NOT NULL", data=json.dumps(data))
    ((found, problem),) = memory_problems(book.database)
    assert found == tournament
    assert "is not what its matches give" in problem


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE gathering SET blocks = blocks + 1 WHERE members = (SELECT min(members) FROM gathering)",
        "DELETE FROM gathering WHERE members = (SELECT min(members) FROM gathering)",
        "UPDATE gathering SET members = '0,1,9' WHERE members = (SELECT min(members) FROM gathering)",
    ],
)
async def test_damage_to_who_gathered_is_found_and_mended_by_forgetting(book: Book, statement: str) -> None:
    tournament = await played(book, Ladder(3, 6))
    damage(book, statement)
    ((found, problem),) = memory_problems(book.database)
    assert found == tournament
    assert "who gathered" in problem
    book.ledger.forget_memories([tournament])
    assert list(memory_problems(book.database)) == []
