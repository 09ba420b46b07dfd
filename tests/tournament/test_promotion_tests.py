"""The test of a waiting version against the active one: played like the ladder, unrated, under a name of its own."""

from __future__ import annotations

from arena.service.activities.admissions import PromotionRule, create_promotion_test
from arena.tournament.creation import plan_ladder
from arena.tournament.formats.compare import Compare, Design
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from arena.tournament.stored import format_of
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import LadderPlan
from ratings.read.admissions import WaitingVersion, promotion_tests
from ratings.read.bots import find_version
from ratings.read.ladders import running_ladder
from ratings.read.tournaments import tournament_row
from tests.tournament.book import TWO, Book


def test_each_test_has_a_name_of_its_own_and_is_played_like_the_ladder(book: Book) -> None:
    LadderLedger(book.database).open_ladder(LadderPlan("nim2", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)
    old = find_version(book.database, "bob")
    new = book.add_bot("bob", code="better")
    waiting = WaitingVersion(new, old.bot, old.version)
    running = running_ladder(book.database, "nim2")
    rule = PromotionRule(loss=0.4, pairs=12)
    made = [create_promotion_test(book.database, book.programs, rule, running, waiting) for _ in range(3)]
    assert [one.name for one in made] == ["nim2: bob 2 for 1", "nim2: bob 2 for 1 (2)", "nim2: bob 2 for 1 (3)"]
    row = tournament_row(book.database, made[0].id)
    assert format_of(row.tournament, row.pool) == Compare(2, 12, lower=-0.4, upper=0.0, design=Design.ALONE)
    assert not row.tournament.rated
    assert row.pool.id == running.pool.id
    assert {test.version_id for test in promotion_tests(book.database)} == {new.id}
