"""`arena bot connect` before it connects: what is wrong with the command line, the login and the service's answer."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.rpc.profiles import Profile, save_profile
from ratings.ledger.service import ServiceLedger
from ratings.values.states import Scope
from tests.cli.support import Arena, write_bot
from tests.support.owners import CERTIFICATE_NAME, RunningServer, running_server

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
