"""The end of a season: closed to new versions, with a final as long as was announced, by default, or none."""

from __future__ import annotations

import pytest

from arena.tournament import seasons
from arena.tournament.creation import plan_ladder
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from ratings.errors import LadderError
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import LadderPlan
from ratings.read.ladders import running_ladder
from ratings.read.tournaments import tournament_row
from ratings.store.identifiers import now_us
from tests.tournament.book import BOTS, TWO, Book

DAY_US = 86_400_000_000


@pytest.fixture
def spring(book: Book) -> str:
    LadderLedger(book.database).open_ladder(LadderPlan("spring", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)
    return "spring"


def length_of_final(book: Book, final_id: str) -> float:
    """In how many blocks each bot plays: a block is two matches of two bots."""
    return tournament_row(book.database, final_id).progress.planned / 2 * 2 / len(BOTS)


@pytest.mark.parametrize(
    ("announced", "told", "length"), [(None, None, seasons.DEFAULT_FINAL_BLOCKS), (4, None, 4), (4, 6, 6)]
)
def test_a_final_is_as_long_as_was_said_last(
    book: Book, spring: str, announced: int | None, told: int | None, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if announced is not None:
        seasons.announce_freeze(book.database, spring, tomorrow := now_us() + DAY_US, announced)
        monkeypatch.setattr("ratings.ledger.ladder_ledger.now_us", lambda: tomorrow)
    final = seasons.freeze_season(book.database, spring, told)
    assert final is not None
    assert final.name == "spring-1-final"
    assert running_ladder(book.database, spring).season.final_tournament_id == final.id
    assert length_of_final(book, final.id) == length
    with pytest.raises(LadderError, match="has its final already"):
        seasons.freeze_season(book.database, spring, told)


def test_a_setting_that_is_no_length_is_the_usual_one(book: Book, spring: str) -> None:
    running = running_ladder(book.database, spring)
    for setting, blocks in (("many", 12), (-1, 12), (None, 12), (2.5, 12), (0, 0), (1, 1)):
        running.ladder.settings = {seasons.FINAL_BLOCKS: setting}
        assert seasons.final_blocks_of(running) == blocks


def test_a_season_that_was_frozen_without_a_final_gets_the_one_it_lacks(book: Book, spring: str) -> None:
    assert seasons.freeze_season(book.database, spring, 0) is None
    running = running_ladder(book.database, spring)
    frozen = running.season.frozen_at_us
    assert (frozen is None, running.season.final_tournament_id) == (False, None)
    final = seasons.freeze_season(book.database, spring, 3)
    assert final is not None
    assert running_ladder(book.database, spring).season.frozen_at_us == frozen


def test_a_final_is_for_as_many_as_fill_a_table(book: Book, spring: str) -> None:
    for name in BOTS[1:]:
        book.ledger.set_disabled(name, disabled=True)
    assert seasons.freeze_season(book.database, spring, 3) is None


def test_the_next_season_is_called_by_its_number_unless_it_has_a_name(book: Book, spring: str) -> None:
    first = running_ladder(book.database, spring).tournament
    LadderLedger(book.database).close_season(spring, table=[])
    plan = seasons.season_plan(book.database, spring, None)
    assert plan.name == "season 2"
    opened = seasons.open_season(book.database, spring, "autumn")
    assert (opened.season.number, opened.season.name) == (2, "autumn")
    assert len({first.secret, plan.secret, opened.tournament.secret}) == 3


def test_a_ladder_of_remote_bots_has_a_pool_of_its_own() -> None:
    hosted, remote = (plan_ladder(TWO, LadderFormat(2, 0), remote=one).pool for one in (False, True))
    assert remote.remote
    assert remote.pool_id != hosted.pool_id
