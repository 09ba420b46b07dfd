"""Openings that are longer than the game are refused wherever something is planned."""

import tempfile
from pathlib import Path

import pytest

from arena.model.errors import ClientError
from arena.model.planning import TournamentRequest
from tests.cli.support import Arena
from tests.support.owners import running_server

TOO_LONG = ["--game", "foreign_king", "--opening-plies", "900"]


PLANNING = [
    ["match", "run", "--bots", "ada,bob"],
    ["tournament", "run", "swiss", "--seats", "2", "--bots", "ada,bob,eve"],
    ["compare", "ada", "bob"],
    ["ladder", "open", "summer", "--seats", "2"],
]


def test_an_opening_that_ends_the_game_is_refused_with_the_longest_that_is_possible(table: Arena) -> None:
    longest = set()
    for words in PLANNING:
        refusal = table.refusal(*words, *TOO_LONG)
        assert refusal.startswith("an opening of 900 plies is longer than the game can be; use 0 to "), words
        longest.add(refusal.split("use 0 to ")[1].split(" ")[0])
    assert table("tournament", "list", "--json").json == []
    (most,) = longest
    assert 20 < int(most) < 200
    for words in PLANNING:
        only_planned = ["--dry-run"] if words[0] in ("tournament", "compare") else []
        assert table(*words, *TOO_LONG[:-1], most, *only_planned).code == 0, words


def test_a_service_refuses_it_too(table: Arena) -> None:
    request = TournamentRequest(
        format="round-robin", settings={"blocks": 1}, game="foreign_king", seats=2, bots=("ada", "bob"), time="50ms",
        start_limit="10s", opening_plies=900,
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db) as server,
        server.arena() as arena,
        pytest.raises(ClientError, match="an opening of 900 plies is longer than the game can be"),
    ):
        arena.tournaments.create_tournament(request)
