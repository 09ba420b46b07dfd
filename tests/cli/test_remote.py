"""Remote bots: shown on a plain database, which plays none, and connected to a service by `arena bot connect`."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.verbs.match.show import print_times
from arena.model.matches import DecisionTime, MatchTimes, SeatTime
from arena.rpc.profiles import Profile, save_profile
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.bots import find_version
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
        book.record(database, match, sandbox="none", replay=report.replay)
    return match.match_id


def test_a_match_of_remote_bots_does_not_pretend_that_the_arena_confined_them(remote: Arena, played: str) -> None:
    shown = remote("match", "show", played).out
    assert "remote bots" in shown
    assert "none, for hosted bots; remote bots run on the machines of their authors" in shown


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
