from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ratings.errors import BotError, PlanError
from ratings.ledger.bots import set_disabled
from ratings.ledger.entry import BlockPlan, MatchPlan, Progress, TournamentPlan, create_tournament, progress
from ratings.store.database import Database as Engine
from ratings.store.database import read, write
from tests.ratings import book


def refused(engine: Engine, plan: TournamentPlan) -> str:
    with pytest.raises((PlanError, BotError)) as caught, write(engine) as session:
        create_tournament(session, plan)
    assert book.count(engine, "tournament") == book.count(engine, "match") == 0
    return str(caught.value)


def test_a_plan_is_written_down_whole(engine: Engine, bots: dict[str, str]) -> None:
    tournament = book.create(engine, bots.values())
    with read(engine) as session:
        assert progress(session, tournament) == Progress(planned=12, leased=0, finished=0, void=0)
    assert [book.count(engine, name) for name in ("entrant", "block", "match_seat")] == [4, 4, 36]


def test_matches_come_back_as_they_were_planned(engine: Engine, bots: dict[str, str]) -> None:
    plan = book.plan(bots.values())
    tournament = book.create(engine, bots.values())
    leased = book.take(engine, tournament)
    planned = [(block, match) for block in plan.blocks for match in block.matches]
    assert [match.position for match in leased] == list(range(12))
    for match, (block, planned_match) in zip(leased, planned, strict=True):
        assert (match.block_index, match.opening, match.chance_seed) == (block.index, block.opening, block.chance_seed)
        assert match.rotation == planned_match.rotation
        assert tuple(seat.version_id for seat in match.seats) == planned_match.versions
        assert [seat.content_hash for seat in match.seats] == [f"{seat.bot}1" for seat in match.seats]


def test_the_largest_seed_survives(engine: Engine, bots: dict[str, str]) -> None:
    three = list(bots.values())[:3]
    block = replace(book.rotations(0, three), chance_seed=2**53 - 1)
    assert book.take(engine, book.create(engine, three, blocks=[block]))[0].chance_seed == 2**53 - 1


@pytest.mark.parametrize(
    ("matches", "message"),
    [
        ([], "no matches"),
        ([("ada", "ada", "bob")], "one version sits in two seats"),
        ([("ada", "bob")], "2 versions for 3 seats"),
        ([("ada", "bob", "dan")], "a version plays that is not entered"),
    ],
)
def test_matches_that_cannot_be_are_refused(
    engine: Engine, bots: dict[str, str], matches: list[tuple[str, ...]], message: str
) -> None:
    entrants = [bots[name] for name in ("ada", "bob", "cyd")]
    block = BlockPlan(
        0, (), 1, [MatchPlan(index, tuple(bots[n] for n in seats)) for index, seats in enumerate(matches)]
    )
    assert message in refused(engine, book.plan(entrants, blocks=[block]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"index": 0}, "two blocks have the same index"),
        ({"chance_seed": 2**53}, "below 2^53"),
        ({"matches": "twice"}, "two matches have the same rotation"),
    ],
)
def test_blocks_that_cannot_be_are_refused(
    engine: Engine, bots: dict[str, str], change: dict[str, Any], message: str
) -> None:
    entrants = list(bots.values())[:3]
    good = book.rotations(0, entrants)
    if "matches" in change:
        change = {"matches": [*good.matches, good.matches[0]]}
    bad = replace(book.rotations(1, entrants), **change)
    assert message in refused(engine, book.plan(entrants, blocks=[good, bad]))


def test_an_entrant_that_is_entered_twice_or_unknown_is_refused(engine: Engine, bots: dict[str, str]) -> None:
    three = list(bots.values())[:3]
    assert "entered twice" in refused(engine, book.plan(three, entrants=[*three, three[0]]))
    assert "no version x" in refused(engine, book.plan([*three, "x"]))


def test_a_disabled_bot_is_refused_by_name(engine: Engine, bots: dict[str, str]) -> None:
    with write(engine) as session:
        set_disabled(session, bot="bob", disabled=True)
    assert "'bob' is disabled" in refused(engine, book.plan(bots.values()))
