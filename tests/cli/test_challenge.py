"""`arena challenge`, at a service that answers for the database of the tests."""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratings.ledger.ledger import Ledger
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.tournaments import list_tournaments
from ratings.values.owners import OwnerLimits
from tests.cli.support import Arena
from tests.support.owners import RunningServer, running_server

KING = ("--game", "foreign_king")


@pytest.fixture
def server(table: Arena) -> Iterator[RunningServer]:
    """A service of three bots of the organiser, and of `zoe/fox` and `zoe/owl`, of which only the fox is connected."""
    connected: set[str] = set()
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db, is_connected=connected.__contains__) as running,
    ):
        ledger = ServiceLedger(running.database)
        for name in ("fox", "owl"):
            joined = ledger.join_remote(RemoteJoin("zoe", name, "1", ("foreign_king",)), OwnerLimits())
            if name == "fox":
                connected.add(joined.version.content_hash)
        yield running


def at(server: RunningServer) -> tuple[str, str]:
    return "--server", f"unix:{server.addresses.socket}"


def test_a_remote_bot_is_challenged_and_the_service_plays(table: Arena, server: RunningServer) -> None:
    planned = table(*at(server), "challenge", "zoe/fox", "--with", "bob", *KING, "--blocks", "2", "--no-wait", "--json")
    assert planned.json["name"] == "challenge-1"
    (row,) = table("tournament", "list", "--json").json
    assert (row["format"], row["total"], row["remote"], row["rated"]) == ("gauntlet", 4, True, False)
    said = table(*at(server), "challenge", "zoe/fox", "ada", "--with", "bob", *KING, "--no-wait").out
    assert "tournament show challenge-2` shows its progress" in said
    assert table("tournament", "list", "--json").json[0]["seats"] == 3


def test_a_challenge_is_followed_to_its_end(table: Arena, server: RunningServer) -> None:
    def give_up() -> None:
        while not (found := table_of(server)):
            threading.Event().wait(0.01)
        Ledger(server.database).cancel(found)

    canceller = threading.Thread(target=give_up)
    canceller.start()
    finished = table(*at(server), "challenge", "zoe/fox", "--with", "bob", *KING)
    canceller.join()
    assert finished.code == 1
    assert "the tournament was cancelled" in finished.err


def test_a_challenger_has_no_place_in_the_table_and_the_others_begin_with_the_first(
    table: Arena, server: RunningServer
) -> None:
    table(*at(server), "challenge", "zoe/fox", "ada", "--with", "bob", *KING, "--no-wait")
    rows = [line.split() for line in table("tournament", "show", "challenge-1").out.splitlines() if " 1 " in line]
    assert next(row[0] for row in rows if row[1] == "bob") == "-"
    table_rows = table("tournament", "standings", "challenge-1").out.splitlines()[1:]
    assert [line.split()[:2] for line in table_rows] == [["-", "bob"], ["1", "zoe/fox"], ["1", "ada"]]
    told = table("tournament", "standings", "challenge-1", "--json").json
    assert [row["place"] for row in told] == [0, 1, 1]


def table_of(server: RunningServer) -> str:
    """The id of the only tournament, empty as long as there is none."""
    rows = list_tournaments(server.database).items
    return rows[0].tournament.id if rows else ""


IMPOSSIBLE = [
    (("zoe/owl", "--with", "bob", *KING), "zoe/owl is remote, and version 1 of it is not connected now"),
    (("zoe/fox", "--with", "nobody", *KING), "no bot 'nobody'"),
    (("zoe/fox", "--with", "bob", "--game", "chess"), "chess"),
    (("zoe/fox", "--with", "bob", "--game", "rex_romanorum"), "does not play rex_romanorum"),
    (("zoe/fox", "--with", "bob", *KING, "--seats", "4"), "4 seats need at least 4 entrants, not 2"),
    (("zoe/fox", "--with", "bob", *KING, "--blocks", "1000"), "a challenge has 200 at most"),
]


def test_what_cannot_be_challenged_is_refused_in_one_line(table: Arena, server: RunningServer) -> None:
    for words, said in IMPOSSIBLE:
        finished = table(*at(server), "challenge", *words)
        assert finished.code in (1, 2), words
        assert finished.err.startswith("arena: "), words
        assert finished.err.count("\n") == 1, words
        assert said in finished.err, words
    assert table("tournament", "list", "--json").json == []


def test_without_a_service_nobody_is_challenged(table: Arena) -> None:
    said = table.refusal("challenge", "ada", "--with", "bob", *KING)
    assert said.startswith("a challenge is played by a service; name one with --server")
