"""Remote bots: shown on a plain database, connected by `arena bot connect`, and challenged at a service."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.verbs.match.show import print_times
from arena.model.matches import DecisionTime, MatchTimes, SeatTime
from arena.rpc.profiles import Profile, save_profile
from ratings.ledger.ledger import Ledger
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.bots import find_version
from ratings.read.tournaments import list_tournaments
from ratings.store.database import open_database
from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope
from tests.cli.support import Arena, write_bot
from tests.cli.table import play
from tests.ratings import book
from tests.support.owners import CERTIFICATE_NAME, RunningServer, running_server
from tests.support.specs import king_spec, scripted

OPEN = ("ladder", "open", "homes", "--game", "foreign_king", "--seats", "2", "--remote")


@pytest.fixture
def remote(table: Arena) -> Arena:
    """A database with three bots of its operator and two remote ones."""
    database = open_database(table.db)
    for name, version in (("fox", "1.0"), ("fox", "1.1"), ("owl", "a")):
        ServiceLedger(database).join_remote(RemoteJoin("ada", name, version, ("foreign_king",)), OwnerLimits())
    database.close()
    return table


def test_a_remote_bot_is_listed_and_shown_as_one(remote: Arena) -> None:
    rows = {row["name"]: row for row in remote("bot", "list", "--json").json}
    assert (rows["ada/fox"]["remote"], rows["bob"]["remote"]) == (True, False)
    assert (rows["ada/fox"]["versions"], rows["ada/fox"]["games"]) == (2, ["foreign_king"])
    assert [line.split()[2] for line in remote("bot", "list").out.splitlines()[1:3]] == ["remote", "remote"]
    assert [line.split()[4] for line in remote("bot", "list").out.splitlines()[1:3]] == ["a", "1.1"]
    assert (rows["ada/fox"]["named"], rows["bob"]["named"]) == ("1.1", None)
    shown = remote("bot", "show", "ada/fox").out
    assert "on the machine of its author" in shown
    assert [line.split()[-1] for line in shown.splitlines()[-2:]] == ["1.1", "1.0"]
    assert remote("bot", "show", "ada/fox", "--json").json["remote"]
    assert "it joined" in remote("bot", "log", "ada/fox").out


def test_a_ladder_of_remote_bots_is_named_as_such(remote: Arena) -> None:
    assert remote(*OPEN).code == 0
    (row,) = remote("ladder", "list", "--json").json
    assert (row["pool"]["remote"], row["bots"]) == (True, 2)
    assert "remote" in remote("ladder", "list").out
    assert "remote" in remote("ladder", "show", "homes").out
    assert "remote bots" in remote("tournament", "show", "homes-1").out
    assert remote("tournament", "list", "--json").json[0]["remote"]
    assert remote("tournament", "join", "homes-1", "bob").code == 0
    assert remote("ladder", "list", "--json").json[0]["bots"] == 3
    assert remote("tournament", "withdraw", "homes-1", "bob").code == 0
    assert remote("ladder", "list", "--json").json[0]["bots"] == 2, "who has left takes part no more"
    assert remote("db", "check").code == 0


@pytest.fixture
def played(remote: Arena) -> str:
    """A match that a remote bot played against a hosted one."""
    with closing(open_database(remote.db)) as database:
        versions = [find_version(database, name).version.id for name in ("ada/fox", "bob")]
        pool = replace(book.POOL, seats=2, remote=True)
        (match,) = book.take(database, book.create(database, versions, 2, pool=pool), limit=1)
        report = play(king_spec(match.match_id, [scripted()] * 2))
        book.record(database, match, sandbox="none", sandboxes=("", "none"), replay=report.replay)
    return match.match_id


def test_a_match_of_remote_bots_does_not_pretend_that_the_arena_confined_them(remote: Arena, played: str) -> None:
    shown = remote("match", "show", played).out
    assert "remote bots" in shown
    seats = [line.split() for line in shown.splitlines() if line.startswith("   ")][:2]
    (place,) = [line.split().index("SANDBOX") for line in shown.splitlines() if "SANDBOX" in line]
    assert {seat[1]: seat[place] for seat in seats} == {"ada/fox": "remote", "bob": "none"}


def test_a_match_tells_which_of_its_bots_were_remote(remote: Arena, played: str) -> None:
    seats = remote("match", "show", played, "--json").json["seats"]
    assert {seat["bot"]: seat["remote"] for seat in seats} == {"ada/fox": True, "bob": False}
    (row,) = [line for line in remote("match", "show", played).out.splitlines() if "ada/fox" in line]
    assert "remote" in row.split()


def test_what_a_remote_bot_writes_is_said_to_be_with_its_author(remote: Arena, played: str) -> None:
    seats = {seat["bot"]: seat["seat"] for seat in remote("match", "show", played, "--json").json["seats"]}
    shown = remote("match", "log", played).out
    its = "what it writes stays on its author's machine, where `arena bot connect` shows it"
    assert f"seat {seats['ada/fox']} (ada/fox) is remote: {its}" in shown
    assert f"seat {seats['bob']} (bob) wrote nothing" in shown
    assert "for a remote bot only wall time is known and charged" in shown
    said = remote.refusal("match", "watch", played, "--log", str(seats["ada/fox"]), code=1)
    assert f"ada/fox is remote: {its}" in said


def test_of_a_remote_bot_only_the_time_on_the_wall_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    unread = DecisionTime(0, 0, "ada/fox", 30_000, None, None, None, 30_000, 0, readable=False)
    hosted = replace(unread, seat=1, bot="bob", wall_us=1000, charged_us=1000, readable=True)
    totals = [SeatTime(seat, bot, 1, 30_000, 0, 0, 0, 30_000, 30_000) for seat, bot in enumerate(("ada/fox", "bob"))]
    print_times(MatchTimes((unread, hosted), tuple(totals)), remote=[0])
    shown = capsys.readouterr().out
    assert re.search(r"ada/fox +1 +30.0 ms +- +- +- +30.0 ms", shown)
    assert re.search(r"bob +1 +30.0 ms +0.0 ms", shown)
    assert "arena doctor" not in shown, "there is nothing to mend here"


def test_a_ladder_that_waits_for_remote_bots_says_how_they_come(table: Arena) -> None:
    assert table(*OPEN).code == 0
    assert "0 take part; connect one: arena bot connect DIRECTORY --server NAME" in table("ladder", "list").out


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada/fox,bob"),
        ("match", "run", "--game", "foreign_king", "--bots", "bob,ada/fox"),
        ("compare", "bob", "eve", "--game", "foreign_king", "--seats", "3", "--field", "ada/fox"),
    ],
)
def test_nothing_is_played_with_remote_bots_without_a_service(remote: Arena, words: tuple[str, ...]) -> None:
    said = remote.refusal(*words)
    assert said.startswith("ada/fox is remote, and only a service that sets service.play_address plays with it")
    assert remote("tournament", "list", "--json").json == []


def test_what_a_service_planned_with_remote_bots_is_left_to_it(remote: Arena) -> None:
    remote(*OPEN)
    said = remote.refusal("tournament", "resume", "homes-1", code=1)
    assert said.startswith("'homes-1' is for remote bots, and only a service that sets service.play_address plays")


def test_a_remote_bot_stays_remote_and_plays_with_what_is_connected(remote: Arena, tmp_path: Path) -> None:
    said = remote.refusal("bot", "add", write_bot(tmp_path / "fox", "fox"), "--owner", "ada")
    assert said.startswith("bot 'ada/fox' is remote: its author runs it elsewhere, and that never changes")
    for verb in (("promote", "ada/fox"), ("rollback", "ada/fox")):
        assert "is remote, and plays with the version that joined last" in remote.refusal("bot", *verb)
    assert "is remote, and is built by its author" in remote.refusal("bot", "build-log", "ada/fox")
    assert remote("bot", "withdraw", "ada/fox").code == 0
    assert remote("bot", "disable", "ada/owl").code == 0


def test_a_ladder_of_remote_bots_in_a_game_with_dice_has_no_opening(remote: Arena) -> None:
    words = ("ladder", "open", "dice", "--game", "rex_romanorum", "--seats", "2", "--remote", "--opening-plies")
    refused = remote(*words, "2")
    assert refused.code == 2
    assert "use --opening-plies 0" in refused.err
    assert remote(*words, "0").code == 0


CONNECT = ("--server", "club", "bot", "connect")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with tempfile.TemporaryDirectory(prefix="kma") as directory, running_server(Path(directory)) as running:
        yield running


@pytest.fixture
def club(arena: Arena, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Profile:
    """A login of ada with a token that plays."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    certificate = server.tls.certificate.read_text(encoding="ascii")
    address, token = server.addresses.address or "", server.token("ada", Scope.PLAYER)
    profile = Profile("club", address, token, "ada", Scope.PLAYER, certificate, None, CERTIFICATE_NAME)
    save_profile(profile)
    return profile


@pytest.fixture
def fox(tmp_path: Path) -> Path:
    return write_bot(tmp_path / "fox", "fox")


def test_a_bot_is_connected_to_a_service_only(arena: Arena, fox: Path) -> None:
    assert "name one with --server" in arena.refusal("bot", "connect", fox)
    assert "name a login, which `arena login` makes" in arena.refusal("--server", "unix:/x", "bot", "connect", fox)


def test_a_login_that_does_not_exist_is_told(arena: Arena, club: Profile, fox: Path) -> None:
    said = arena.refusal("--server", "clubb", "bot", "connect", fox)
    assert "there is no login 'clubb'; did you mean 'club'?" in said
    assert said == arena.refusal("bot", "connect", fox, "--server", "clubb")


def test_a_directory_without_a_bot_is_told(arena: Arena, club: Profile, tmp_path: Path) -> None:
    assert "there is no bot.toml; write one with" in arena.refusal(*CONNECT, tmp_path)
    assert "there is no such directory" in arena.refusal(*CONNECT, tmp_path / "none")


IMPOSSIBLE = [
    (("--version", "two words"), "--version 'two words' is no word of up to 64 characters"),
    (("--play-address", "nowhere"), "'nowhere' is no address; write HOST:PORT"),
    (("--bot-log", "/no/such/directory/log"), "cannot write /no/such/directory/log"),
    (("--sandbox", "steel"), "--sandbox 'steel' is no level"),
]


def test_options_that_cannot_be_are_told(arena: Arena, club: Profile, fox: Path) -> None:
    assert arena.misses(([*CONNECT, fox, *options], said) for options, said in IMPOSSIBLE) == []


def test_a_token_that_only_looks_is_told(arena: Arena, club: Profile, server: RunningServer, fox: Path) -> None:
    save_profile(replace(club, token=server.token("ada", Scope.VIEWER)))
    said = arena.refusal(*CONNECT, fox)
    assert "is one of scope viewer, which does not play; ask the organiser for one of scope player" in said


def test_a_token_without_an_owner_is_told(arena: Arena, club: Profile, server: RunningServer, fox: Path) -> None:
    save_profile(replace(club, token=server.token(None, Scope.ORGANISER)))
    assert "scope organiser, which does not play" in arena.refusal(*CONNECT, fox)


def test_a_token_that_was_revoked_is_told(arena: Arena, club: Profile, server: RunningServer, fox: Path) -> None:
    ledger = ServiceLedger(server.database)
    new = ledger.new_token("ada", name="old", scope=Scope.PLAYER)
    ledger.revoke_token(new.token.id, of_anybody=True)
    save_profile(replace(club, token=new.secret))
    assert "token" in arena.refusal(*CONNECT, fox, code=1)


def test_a_service_that_takes_no_remote_bots_is_told(arena: Arena, club: Profile, fox: Path) -> None:
    said = arena.refusal(*CONNECT, fox, code=1)
    assert "takes no remote bots; hand the bot in with `arena bot submit`" in said


KING = ("--game", "foreign_king")


@pytest.fixture
def service(table: Arena) -> Iterator[RunningServer]:
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


def at(service: RunningServer) -> tuple[str, str]:
    return "--server", f"unix:{service.addresses.socket}"


def test_a_remote_bot_is_challenged_and_the_service_plays(table: Arena, service: RunningServer) -> None:
    planned = table(
        *at(service), "challenge", "zoe/fox", "--with", "bob", *KING, "--blocks", "2", "--no-wait", "--json"
    )
    assert planned.json["name"] == "challenge-1"
    (row,) = table("tournament", "list", "--json").json
    assert (row["format"], row["total"], row["remote"], row["rated"]) == ("gauntlet", 4, True, False)
    said = table(*at(service), "challenge", "zoe/fox", "ada", "--with", "bob", *KING, "--no-wait").out
    assert "tournament show challenge-2` shows its progress" in said
    assert table("tournament", "list", "--json").json[0]["seats"] == 3


def test_a_challenge_is_followed_to_its_end(table: Arena, service: RunningServer) -> None:
    def give_up() -> None:
        while not (found := table_of(service)):
            threading.Event().wait(0.01)
        Ledger(service.database).cancel(found)

    canceller = threading.Thread(target=give_up)
    canceller.start()
    finished = table(*at(service), "challenge", "zoe/fox", "--with", "bob", *KING)
    canceller.join()
    assert finished.code == 1
    assert "the tournament was cancelled" in finished.err


def test_a_challenger_has_no_place_in_the_table_and_the_others_begin_with_the_first(
    table: Arena, service: RunningServer
) -> None:
    table(*at(service), "challenge", "zoe/fox", "ada", "--with", "bob", *KING, "--no-wait")
    rows = [line.split() for line in table("tournament", "show", "challenge-1").out.splitlines() if " 1 " in line]
    assert next(row[0] for row in rows if row[1] == "bob") == "-"
    table_rows = table("tournament", "standings", "challenge-1").out.splitlines()[1:]
    assert [line.split()[:2] for line in table_rows] == [["-", "bob"], ["1", "zoe/fox"], ["1", "ada"]]
    told = table("tournament", "standings", "challenge-1", "--json").json
    assert [row["place"] for row in told] == [0, 1, 1]


def table_of(service: RunningServer) -> str:
    """The id of the only tournament, empty as long as there is none."""
    rows = list_tournaments(service.database).items
    return rows[0].tournament.id if rows else ""


NO_CHALLENGES = [
    (("zoe/owl", "--with", "bob", *KING), "zoe/owl is remote, and version 1 of it is not connected now"),
    (("zoe/fox", "--with", "nobody", *KING), "no bot 'nobody'"),
    (("zoe/fox", "--with", "bob", "--game", "chess"), "chess"),
    (("zoe/fox", "--with", "bob", "--game", "rex_romanorum"), "does not play rex_romanorum"),
    (("zoe/fox", "--with", "bob", *KING, "--seats", "4"), "4 seats need at least 4 entrants, not 2"),
    (("zoe/fox", "--with", "bob", *KING, "--blocks", "1000"), "a challenge has 200 at most"),
]


def test_what_cannot_be_challenged_is_refused_in_one_line(table: Arena, service: RunningServer) -> None:
    for words, said in NO_CHALLENGES:
        finished = table(*at(service), "challenge", *words)
        assert finished.code in (1, 2), words
        assert finished.err.startswith("arena: "), words
        assert finished.err.count("\n") == 1, words
        assert said in finished.err, words
    assert table("tournament", "list", "--json").json == []


def test_without_a_service_nobody_is_challenged(table: Arena) -> None:
    said = table.refusal("challenge", "ada", "--with", "bob", *KING)
    assert said.startswith("a challenge is played by a service; name one with --server")
