"""The demo with the real sample bots, shortened; and that what it tells to do next works."""

import shlex

from engine import registry
from tests.support.places import Place

# Little to think with: the bots play as they can, what is looked at is the way through the demo.
QUICK = ("--blocks", "1", "--time", "5ms")
ONE = registry.get(registry.names()[0])


def commands_told(out: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  arena ")]


def test_the_demo_plays_every_game_and_ends_with_a_leaderboard_of_each(place: Place) -> None:
    finished = place.ok("demo", *QUICK, "--db", "demo.db")
    first_line = finished.out.splitlines()[0]
    tables = finished.out.split("Leaderboard: ")[1:]
    assert len(tables) == len(registry.names())
    assert "random, greedy, search play 3 matches of" in first_line
    assert ", 5ms a decision" in first_line
    assert "about" in first_line
    for name, table in zip(registry.names(), tables, strict=True):
        title = registry.get(name).title
        assert f"3 matches of {title} (3 seats)" in first_line
        assert table.startswith(f"{title}, 3 seats, time 5ms")
        for bot in ("random", "greedy", "search"):
            assert f"  {bot} " in table
    sections = finished.err.split("\n== ")[1:]
    assert [section.partition("\n")[0] for section in sections] == [
        registry.get(name).title for name in registry.names()
    ]
    assert all("3/3 matches" in section for section in sections)
    told = commands_told(finished.out)
    assert len(told) == 4
    for words in told:
        place.ok(*words)


def test_the_demo_of_one_game_again_adds_a_tournament_to_the_same_table(place: Place) -> None:
    for _ in range(2):
        place.ok("demo", "--game", ONE.name, *QUICK)
    names = [row["name"] for row in place.ok("tournament", "list", "--json").json]
    assert names == [f"demo-{ONE.name}-2", f"demo-{ONE.name}-1"]
    (pool,) = place.ok("leaderboard", "--json").json
    assert pool["matches"] == 6
    assert [row["versions"] for row in place.ok("bot", "list", "--json").json] == [1, 1, 1]
    assert place.ok("replay", "verify", "--all", "--json").json == {
        "matches": 6,
        "verified": 6,
        "removed": 0,
        "broken": [],
    }


def test_a_game_that_is_not_there_is_refused(place: Place) -> None:
    refused = place.arena("demo", "--game", "chess")
    assert refused.code == 2
    assert "chess" in refused.err
    assert not place.db.exists()
