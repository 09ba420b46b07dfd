"""The demo with the real sample bots, shortened; and that what it tells to do next works."""

import shlex

from tests.e2e.support import Place


def commands_told(out: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  arena ")]


def test_the_demo_ends_with_a_leaderboard_and_its_next_commands_work(place: Place) -> None:
    finished = place.ok("demo", "--blocks", "1", "--db", "demo.db")
    first_line = finished.out.splitlines()[0]
    assert "random, greedy, search play 3 matches of The Foreign King, 3 seats, 50ms a decision" in first_line
    assert "about" in first_line
    assert "3/3 matches" in finished.err
    for bot in ("random", "greedy", "search"):
        assert f"  {bot} " in finished.out.split("Leaderboard:")[1]
    told = commands_told(finished.out)
    assert len(told) == 4
    for words in told:
        place.ok(*words)


def test_the_demo_again_adds_a_tournament_to_the_same_table(place: Place) -> None:
    for _ in range(2):
        place.ok("demo", "--blocks", "1")
    assert [row["name"] for row in place.ok("tournament", "list", "--json").json] == ["demo-2", "demo-1"]
    (pool,) = place.ok("leaderboard", "--json").json
    assert pool["matches"] == 6
    assert [row["versions"] for row in place.ok("bot", "list", "--json").json] == [1, 1, 1]
    assert place.ok("replay", "verify", "--all", "--json").json == {"matches": 6, "verified": 6, "broken": []}
