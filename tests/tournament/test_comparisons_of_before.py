"""A comparison that was begun before NEW and OLD sat at the same tables opens, shows and goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Text, cast, select, text

from arena.tournament.formats.catalog import from_settings
from arena.tournament.formats.compare import Compare, Design
from arena.tournament.memories import memory_problems
from arena.tournament.stored import format_of, situation_of
from arena.tournament.table import read_situation
from ratings.read.tournaments import remembered, tournament_row, tournament_waves
from ratings.store import tables
from ratings.store.sessions import write
from tests.tournament.book import TERMS, Book
from tests.tournament.test_waves import play

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
