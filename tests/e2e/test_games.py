"""Every registered game with every number of seats: a small rated tournament of real processes, and its replays."""

import shutil
from pathlib import Path

import pytest

from engine import registry
from engine.core import Game
from tests.support.patience import ANY_TIME
from tests.support.places import CHOICES, Place, write_quick_bot

GAMES = [registry.get(name) for name in registry.names()]
MOST_SEATS = max(game.seats[-1] for game in GAMES)
FIELD = [f"{choice}{number}" for number in range(MOST_SEATS) for choice in CHOICES][:MOST_SEATS]


@pytest.fixture(scope="module")
def full_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a quick bot for every seat of the largest table in its database; to be copied, not used."""
    directory = tmp_path_factory.mktemp("full_table")
    choices = [name.rstrip("0123456789") for name in FIELD]
    sources = [
        write_quick_bot(directory / "sources" / name, choice, name=name)
        for name, choice in zip(FIELD, choices, strict=True)
    ]
    Place(directory).ok("bot", "add", *sources)
    return directory


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_tournament_with_any_number_of_seats_runs_is_rated_and_every_replay_verifies(
    game: Game, place: Place, full_table: Path
) -> None:
    shutil.copytree(full_table, place.directory, dirs_exist_ok=True)
    for seats in game.seats:
        check_tournament(place, game, seats)
    matches = sum(game.seats)  # one block each, in all rotations of the seats
    verified = place.ok("replay", "verify", "--all", "--json").json
    assert verified == {"matches": matches, "verified": matches, "removed": 0, "broken": []}
    pools = place.ok("leaderboard", "--json").json
    rated = {pool["seats"]: {row["bot"]: row["matches"] for row in pool["table"]} for pool in pools}
    assert rated == {seats: dict.fromkeys(FIELD[:seats], seats) for seats in game.seats}


def check_tournament(place: Place, game: Game, seats: int) -> None:
    """One block of as many bots as there are seats is played without a forfeit."""
    bots = ",".join(FIELD[:seats])
    words = ["tournament", "run", "round-robin", "--game", game.name, "--seats", str(seats), "--bots", bots]
    standings = place.ok(*words, *ANY_TIME, "--workers", "1", "--json").json  # each worker would start all the bots
    played = {row["bot"]: (row["matches"], row["forfeits"]) for row in standings}
    assert played == dict.fromkeys(FIELD[:seats], (seats, 0))
