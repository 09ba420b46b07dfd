"""Every registered game at its smallest and its largest table, in real processes; and the demo, which plays all."""

from __future__ import annotations

import shlex

import pytest

from arena.tournament.formats.roundrobin import RoundRobin
from engine import registry
from tests.support.own_games import OURS
from tests.support.places import CHOICES, Place, plan, serving, wait_for_counts, write_quick_bot

GAMES = [registry.get(name) for name in OURS]
TABLES = [(game, seats) for game in GAMES for seats in (game.seats[0], game.seats[-1])]
MOST_SEATS = max(game.seats[-1] for game in GAMES)
FIELD = [f"{choice}{number}" for number in range(MOST_SEATS) for choice in CHOICES][:MOST_SEATS]


@pytest.mark.needs("minutes")
def test_a_tournament_of_any_game_at_any_table_is_rated_and_every_replay_verifies(place: Place) -> None:
    add_bots(place)
    for game, seats in TABLES:
        plan(place, name=f"{game.name}-{seats}", game=game.name, bots=FIELD[:seats], form=RoundRobin(seats, 1))
    matches = sum(seats for _, seats in TABLES)  # one block each, in all rotations of the seats
    with serving(place, "--workers", "1") as served:  # each worker would start all the bots
        wait_for_counts(place, {"finished": matches})
        assert served.stop() == 0
    for game, seats in TABLES:
        standings = place.ok("tournament", "show", f"{game.name}-{seats}", "--json").json["standings"]
        played = {row["bot"]: (row["matches"], row["forfeits"]) for row in standings}
        assert played == dict.fromkeys(FIELD[:seats], (seats, 0))
    verified = place.ok("replay", "verify", "--all", "--json").json
    assert verified == {"matches": matches, "verified": matches, "removed": 0, "broken": []}
    pools = place.ok("leaderboard", "--json").json
    rated = {(pool["game"], pool["seats"]): {row["bot"]: row["matches"] for row in pool["table"]} for pool in pools}
    assert rated == {(game.name, seats): dict.fromkeys(FIELD[:seats], seats) for game, seats in TABLES}


def add_bots(place: Place) -> None:
    """A quick bot for every seat of the largest table."""
    sources = [
        write_quick_bot(place.directory / "sources" / name, name.rstrip("0123456789"), name=name) for name in FIELD
    ]
    place.ok("bot", "add", *sources)


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
