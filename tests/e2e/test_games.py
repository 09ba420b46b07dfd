"""Every registered game at its smallest and its largest table: small rated tournaments of real processes, replays."""

import pytest

from arena.tournament.formats.roundrobin import RoundRobin
from engine import registry
from tests.support.own_games import OURS
from tests.support.places import CHOICES, Place, plan, serving, wait_for_counts, write_quick_bot

pytestmark = pytest.mark.needs("minutes")

GAMES = [registry.get(name) for name in OURS]
TABLES = [(game, seats) for game in GAMES for seats in (game.seats[0], game.seats[-1])]
MOST_SEATS = max(game.seats[-1] for game in GAMES)
FIELD = [f"{choice}{number}" for number in range(MOST_SEATS) for choice in CHOICES][:MOST_SEATS]


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
