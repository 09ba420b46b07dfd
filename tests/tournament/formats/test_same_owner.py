"""Bots of one owner never meet where they are kept apart, in any format, whatever happens."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.final import Final
from arena.tournament.formats.format import Entrant, Format, ScheduleError
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import Swiss
from arena.tournament.formats.table_grouping import (
    are_apart,
    check_all_apart,
    check_apart,
    crowded,
    free_for,
    most_tables,
    owners_of,
    sitting_out,
)
from tests.tournament.formats.simulation import Chances, Played, play

EXAMPLES = settings(max_examples=15)


def owned(*sizes: int, free: int = 0) -> list[Entrant]:
    """Bots of owners with so many each, and some without an owner, in turns."""
    bots = [
        Entrant(f"{owner}{number}", owner=f"owner {owner}")
        for owner, size in enumerate(sizes)
        for number in range(size)
    ]
    return Random(5).sample([*bots, *(Entrant(f"free{number}") for number in range(free))], sum(sizes) + free)


@st.composite
def formats(draw: st.DrawFn) -> Format:
    seats = draw(st.integers(2, 5))
    lives = draw(st.integers(1, 2)) if seats == 2 else 1
    kinds: list[Format] = [
        RoundRobin(seats, draw(st.integers(1, 2))),
        Sample(seats, draw(st.integers(1, 6))),
        Swiss(seats, draw(st.integers(1, 6)), draw(st.integers(1, 2))),
        Knockout(seats, lives, draw(st.integers(1, 3)), draw(st.booleans())),
        LadderFormat(seats, draw(st.integers(1, 8))),
        Adaptive(seats, "winner known at 90%", draw(st.integers(14, 40))),
        Final(seats, draw(st.integers(1, 12))),
    ]
    return draw(st.sampled_from(kinds))


@st.composite
def fields(draw: st.DrawFn, seats: int) -> list[Entrant]:
    """So many bots that a table can be filled, of owners with one to four each."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    free = draw(st.integers(max(0, seats - len(sizes)), max(0, seats - len(sizes)) + 3))
    return owned(*sizes, free=free)


@st.composite
def tournaments(draw: st.DrawFn) -> Played:
    form = draw(formats())
    entrants = draw(fields(form.seats))
    chances = Chances(
        void=draw(st.sampled_from([0.0, 0.3])), withdrawal=draw(st.sampled_from([0.0, 0.3])), ties=draw(st.booleans())
    )
    return play(form, entrants, Random(draw(st.integers(0, 1000))), chances)


@pytest.mark.hostile("two-bots-of-one-owner")
@EXAMPLES
@given(tournaments())
def test_bots_of_one_owner_never_meet(played: Played) -> None:
    owners = owners_of(played.entrants)
    assert played.blocks, "a field that fills a table plays"
    assert all(len(set(block.order)) == played.form.seats for block in played.blocks)
    assert [block.order for block in played.blocks if not are_apart(block.order, owners)] == []


@EXAMPLES
@given(st.integers(2, 4), st.data())
def test_everybody_plays_in_a_round_robin_and_every_pair_that_may_equally_often_for_two_seats(
    seats: int, data: st.DataObject
) -> None:
    entrants = data.draw(fields(seats))
    played = play(RoundRobin(seats, 2), entrants, Random(1))
    assert min(played.blocks_by_entrant().values()) > 0
    groups = Counter(frozenset(block.order) for block in played.blocks)
    owners = owners_of(entrants)
    names = [entrant.id for entrant in entrants]
    assert groups == Counter({frozenset(one): 2 for one in combinations(names, seats) if are_apart(one, owners)})


@EXAMPLES
@given(st.integers(2, 4), st.integers(1, 6), st.data())
def test_everybody_has_his_blocks_in_a_sample(seats: int, blocks: int, data: st.DataObject) -> None:
    entrants = data.draw(fields(seats))
    assert min(play(Sample(seats, blocks), entrants, Random(1)).blocks_by_entrant().values()) >= blocks


@pytest.mark.hostile("crowd-a-field-with-ones-own-bots")
@EXAMPLES
@given(st.integers(2, 4), st.integers(1, 12), st.data())
def test_in_a_final_nobody_loses_for_the_many_bots_of_another(seats: int, blocks: int, data: st.DataObject) -> None:
    entrants = data.draw(fields(seats))
    form = Final(seats, blocks)
    counts = play(form, entrants, Random(1)).blocks_by_entrant()
    sizes = Counter(owners_of(entrants).values())
    due = form.rounds * seats
    assert max(counts.values()) <= due
    if max(sizes.values()) * seats <= len(entrants):
        assert set(counts.values()) == {due}, "all can play equally often"
    biggest = max(sizes.values())
    if seats == 2 and sum(size == biggest for size in sizes.values()) == 1:
        single = {entrant.id for entrant in entrants if sizes[owners_of(entrants)[entrant.id]] != biggest}
        assert all(counts[name] == due for name in single) or biggest * 2 <= len(entrants)


def test_the_format_plans_as_ever_where_every_owner_has_one_bot() -> None:
    for form in (
        *(RoundRobin(3, 2), Sample(3, 5), Gauntlet(2, 3), Swiss(2, 4), Swiss(3, 3), Knockout(2, 2), Knockout(3)),
        *(LadderFormat(2, 5), LadderFormat(3, 5), Adaptive(2, "winner known at 90%", 20), Final(3)),
    ):
        alone = [Entrant(f"bot{number}") for number in range(9)]
        apart = [replace(entrant, owner=f"owner of {entrant.id}") for entrant in alone]
        one, other = play(form, alone, Random(3)), play(form, apart, Random(3))
        assert [block.order for block in one.blocks] == [block.order for block in other.blocks]


def test_a_gauntlet_is_of_bots_that_may_meet_the_challenger() -> None:
    entrants = [Entrant("hero", owner="a"), Entrant("own", owner="a"), *owned(2, 2)]
    played = play(Gauntlet(3, 1), entrants, Random(1))
    assert {len({"hero", "own"} & set(block.order)) for block in played.blocks} == {1}
    assert len(played.blocks) == 4, "one of each owner, twice two"


def test_byes_that_come_of_having_many_bots_are_worth_nothing() -> None:
    entrants = [*(Entrant(f"many{number}", owner="many") for number in range(6)), Entrant("one"), Entrant("two")]
    played = play(Swiss(2, 4), entrants, Random(2))
    points = {line.entrant: line for line in played.form.standings(played.situation)}
    assert max(line.points for name, line in points.items() if name.startswith("many")) <= 2 * max(
        played.blocks_by_entrant()[name] for name in points
    )
    assert played.blocks_by_entrant()["one"] == played.blocks_by_entrant()["two"] == 4


def test_a_knockout_ends_when_those_left_may_not_meet() -> None:
    entrants = [*(Entrant(f"many{number}", owner="many") for number in range(5)), Entrant("one")]
    played = play(Knockout(2), entrants, Random(4))
    table = played.form.standings(played.situation)
    first = [line.entrant for line in table if line.place == 1]
    assert are_apart(first, owners_of(entrants)) is (len(first) == 1)
    assert {line.status for line in table if line.place == 1} == {"winner"}


@pytest.mark.parametrize(("seats", "sizes", "free"), [(2, (3,), 0), (3, (2, 2), 0), (4, (1, 4), 1)])
def test_too_few_owners_are_refused_in_a_line_with_the_remedy(seats: int, sizes: tuple[int, ...], free: int) -> None:
    with pytest.raises(ScheduleError, match=r"do not fill .* seats; .*--same-owner or --unrated") as caught:
        check_apart(seats, owned(*sizes, free=free))
    assert "\n" not in str(caught.value)
    check_apart(seats, [*owned(*sizes, free=free), *owned(free=seats)])


def test_a_comparison_needs_bots_that_may_all_meet() -> None:
    entrants = [Entrant("new", owner="a"), Entrant("old", owner="a"), Entrant("other")]
    with pytest.raises(ScheduleError, match="new and old have one owner"):
        check_all_apart(entrants, {entrant.id: entrant.id for entrant in entrants})
    assert Compare(2).traits.name == "compare"


def test_those_of_an_owner_are_crowded_who_cannot_all_sit_at_once() -> None:
    owners = {"a1": "a", "a2": "a", "a3": "a", "b": "b", "c": "c"}
    assert crowded(["a1", "a2", "a3", "b", "c"], 2, owners) == {"a1", "a2", "a3"}  # two tables
    assert crowded(["a1", "a2", "b", "c"], 2, owners) == frozenset()
    assert crowded(["a1", "a2"], 2, owners) == {"a1", "a2"}  # no table at all
    assert crowded(["a1"], 2, owners) == frozenset()


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("own", [(1, 1), (2, 1, 1), (3, 1), (3, 2, 1), (2, 2, 2), (3, 2, 1, 1), (5,), (3, 3, 2)])
def test_as_many_tables_are_filled_as_can_be(own: tuple[int, ...], size: int) -> None:
    bots = [f"{owner}{number}" for owner, many in zip("abcd", own, strict=False) for number in range(many)]
    owners = {bot: bot[0] for bot in bots}
    tables = most_tables(own, size)

    def fill(left: frozenset[str]) -> int:
        return max(
            (1 + fill(left - set(table)) for table in combinations(sorted(left), size) if are_apart(table, owners)),
            default=0,
        )

    assert tables == fill(frozenset(bots))
    seated = [bot for bot in bots if bot not in sitting_out(bots, size, tables, owners)]
    assert len(seated) == tables * size
    table: list[str] = []
    waiting = list(seated)
    while waiting:
        free = free_for(table, waiting, size, owners)
        assert free, "who is left can sit down"
        waiting.remove(free[0])
        table = [] if len(table) == size - 1 else [*table, free[0]]
