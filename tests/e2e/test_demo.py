"""The demo with the real sample bots, shortened; and that what it tells to do next works."""

import shlex

import pytest

from engine import registry
from tests.support.places import Place

# Little to think with: the bots play as they can, what is looked at is the way through the demo.
QUICK = ("--blocks", "1", "--time", "5ms")
ONE = registry.get(registry.single_names()[0])


def commands_told(out: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  arena ")]


@pytest.mark.needs("minutes")
def test_the_demo_plays_every_game_and_ends_with_a_leaderboard_of_each(place: Place) -> None:
    finished = place.ok("demo", *QUICK, "--db", "demo.db")
    first_line = finished.out.splitlines()[0]
    tables = finished.out.split("Leaderboard: ")[1:]
    assert len(tables) == len(registry.single_names())
    assert "random, greedy, search play 3 matches of" in first_line
    assert ", 5ms a decision" in first_line
    assert "about" in first_line
    for name, table in zip(registry.single_names(), tables, strict=True):
        title = registry.get(name).title
        assert f"3 matches of {title} (3 seats)" in first_line
        assert table.startswith(f"{title}, 3 seats, time 5ms")
        for bot in ("random", "greedy", "search"):
            assert f"  {bot} " in table
    sections = finished.err.split("\n== ")[1:]
    assert [section.partition("\n")[0] for section in sections] == [
        registry.get(name).title for name in registry.single_names()
    ]
    assert all("3/3 matches" in section for section in sections)
    told = commands_told(finished.out)
    assert len(told) == 4
    for words in told:
        place.ok(*words)
    one_game_again(place)


def one_game_again(place: Place) -> None:
    """Another demo adds a tournament to the same table."""
    place.ok("demo", "--game", ONE.name, *QUICK, "--db", "demo.db")
    names = [row["name"] for row in place.ok("tournament", "list", "--json", "--db", "demo.db").json]
    assert names == [f"demo-{ONE.name}-2", *(f"demo-{name}-1" for name in reversed(registry.single_names()))]
    pools = place.ok("leaderboard", "--json", "--db", "demo.db").json
    matches = dict.fromkeys(registry.single_names(), 3) | {ONE.name: 6}
    assert {pool["game"]: pool["matches"] for pool in pools} == matches
    assert [row["versions"] for row in place.ok("bot", "list", "--json", "--db", "demo.db").json] == [1, 1, 1]
    assert place.ok("replay", "verify", "--all", "--json", "--db", "demo.db").json == {
        "matches": sum(matches.values()),
        "verified": sum(matches.values()),
        "removed": 0,
        "broken": [],
    }


def test_a_game_that_is_not_there_is_refused(place: Place) -> None:
    refused = place.here("demo", "--game", "chess")
    assert refused.code == 2
    assert "chess" in refused.err
    assert not place.db.exists()
