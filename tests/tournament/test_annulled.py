"""What the organiser annulled counts in no format: neither in its table nor in what is planned from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.match.spec import MatchSpec
from arena.tournament import planner
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.swiss import Swiss
from ratings.ledger.check import check
from ratings.ledger.tournaments import WaveLedger
from tests.tournament.book import BOTS, TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor
from tests.tournament.test_waves import annul, play


@pytest.mark.parametrize(
    ("form", "at_once"),
    [(Swiss(2, 3), 1), (LadderFormat(2, 5), 1), (LadderFormat(3, 4), 20), (Knockout(2, lives=2), 20)],
    ids=str,
)
async def test_a_tournament_goes_on_from_what_counts(
    book: Book, form: Format, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "MOST_WAVES", at_once)
    plan_ready, parts = planner.FormatPlanner.plan_ready, list[bool]()

    def plan_and_tell(self: planner.FormatPlanner, waves: WaveLedger) -> int:
        planned = plan_ready(self, waves)
        parts.append(self.is_behind)
        return planned

    monkeypatch.setattr(planner.FormatPlanner, "plan_ready", plan_and_tell)
    tournament = book.plan_format(form)
    begun: list[MatchSpec] = []

    def annul_in_between(spec: MatchSpec) -> None:
        begun.append(spec)
        if len(begun) == 8:
            annul(book, tournament)

    await play(book, tournament, ScriptedExecutor(on_start=annul_in_between))
    assert len(begun) > 8
    if at_once > 1 or isinstance(form, LadderFormat):  # others may have too few waves over to be behind
        assert any(parts) == (at_once == 1)
    # This compares what the run remembered with what all matches give: it must have forgotten what it knew.
    book.standings(tournament)
    assert check(book.database) == []


async def test_a_comparison_does_not_answer_from_what_was_annulled(book: Book) -> None:
    form = Compare(2, pairs=6)
    tournament = book.plan_format(form, replace(TERMS, rated=False), BOTS[:2])
    await play(book, tournament)
    (before,) = {row.blocks for row in book.standings(tournament)[:1]}
    annul(book, tournament)
    assert max(row.blocks for row in book.standings(tournament)) <= before
