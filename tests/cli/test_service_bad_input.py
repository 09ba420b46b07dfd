"""A service and everything that can be wrong on the way to it: one clear line with the remedy, and nothing recorded."""

from __future__ import annotations

import io
import socket
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import SQLModel

from arena.rpc.profiles import Profile, load_profile, save_profile
from arena.service.server import authentication
from arena.service.server import self_signed as tls
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store import sqlite
from ratings.values.states import Scope
from tests.cli.support import Arena, write_bot
from tests.support.owners import CERTIFICATE_NAME, RunningServer, running_server

BRIEF_MS = 300
"""How long the service waits for a database that is locked."""


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    """The one service of this file; ada and bob have a token each."""
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sqlite, "BUSY_TIMEOUT_MS", BRIEF_MS)
        with running_server(Path(directory), failed_logins=1_000) as running:
            yield running


@pytest.fixture
def club(arena: Arena, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Profile:
    """A login of ada, and how it lies in her configuration."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    certificate = server.tls.certificate.read_text(encoding="ascii")
    profile = Profile(
        "club",
        server.addresses.address or "",
        server.token("ada", Scope.COMPETITOR),
        "ada",
        Scope.COMPETITOR,
        certificate,
        server.tls.fingerprint,
        CERTIFICATE_NAME,
    )
    save_profile(profile)
    return profile


def recorded(server: RunningServer) -> dict[str, int]:
    """How many rows each table has."""
    with closing(sqlite3.connect(server.database.path or "")) as connection:
        count = "SELECT count(*) FROM {}"
        return {name: connection.execute(count.format(name)).fetchone()[0] for name in SQLModel.metadata.tables}


@contextmanager
def plain_port(answer: bytes) -> Iterator[str]:
    """A server that speaks neither TLS nor gRPC; its address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(1000)
                    connection.sendall(answer)
            except OSError:
                if listener.fileno() == -1 or _is_shut(listener):
                    return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()


def _is_shut(listener: socket.socket) -> bool:
    return not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)


# Addresses.


NO_ADDRESSES = [
    "nowhere",
    ":7733",
    "host:",
    "host:0",
    "host:65536",
    "host:x",
    "::1:7733",
    "[::1",
    "a b:1",
    "http://host:1",
    "a/b:1",
]


def test_what_is_no_address_is_told_with_an_example(club: Profile, arena: Arena) -> None:
    example = "is no address; write HOST:PORT, for example arena.example.org:7733 or [2001:db8::7]:7733"
    login = ("login", "--name", "new", "--invitation", "kmi_x")
    assert arena.misses(([*login, "--", one], f"{one!r} {example}") for one in NO_ADDRESSES) == []


def test_where_nobody_answers_the_address_is_told(club: Profile, arena: Arena) -> None:
    for address, expected in (
        ("no.such.host.invalid:7733", "cannot reach no.such.host.invalid:7733: "),
        ("[::1]:9", "cannot reach "),
    ):
        said = arena.refusal("login", address, "--name", "new", "--invitation", "kmi_x", code=1)
        assert expected in said
        assert said.endswith("; check the address")


def test_a_server_of_another_kind_is_told_from_one_that_is_not_there(club: Profile, arena: Arena) -> None:
    with plain_port(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") as address:
        said = arena.refusal("login", address, "--name", "new", "--invitation", "kmi_x", code=1)
        assert f"what answers at {address} does not speak as a service without TLS does; check the port" in said
        save_profile(replace(club, address=address))
        assert f"what answers at {address} does not speak TLS; check the port" in arena.refusal(*BOTS, code=1)
    save_profile(replace(club, address=address, plain=True, certificate=None))
    assert f"nothing answers at {address} (Connection refused)" in arena.refusal(*BOTS, code=1)


def test_a_client_without_tls_is_told_that_the_service_may_have_a_certificate_now(club: Profile, arena: Arena) -> None:
    save_profile(replace(club, plain=True, certificate=None))
    assert "log in again if the service has a certificate now" in arena.refusal(*BOTS, code=1)


BOTS = ("--server", "club", "bot", "list")

# Certificates.


@pytest.mark.parametrize(
    ("lifetime", "backdated", "expected"),
    [(timedelta(days=-1), timedelta(days=2), "expired on"), (timedelta(days=9), timedelta(days=-1), "only from")],
    ids=["expired", "not yet valid"],
)
def test_a_certificate_out_of_its_time_is_told_and_so_is_how_a_new_one_is_pinned(
    club: Profile,
    arena: Arena,
    monkeypatch: pytest.MonkeyPatch,
    lifetime: timedelta,
    backdated: timedelta,
    expected: str,
) -> None:
    monkeypatch.setattr(tls, "LIFETIME", lifetime)
    monkeypatch.setattr(tls, "_BACKDATED", backdated)
    with tempfile.TemporaryDirectory(prefix="kma") as directory, running_server(Path(directory)) as other:
        address, found = other.addresses.address or "", other.tls.fingerprint
        words = ("login", address, "--name", "new", "--invitation", "kmi_x", "--fingerprint", found)
        assert expected in arena.refusal(*words, code=1)
        pem = other.tls.certificate.read_text(encoding="ascii")
        save_profile(replace(club, address=address, certificate=pem, fingerprint=found))
        said = arena.refusal(*BOTS, code=1)
    assert expected in said
    assert f"`arena login {address} --name club --fingerprint FINGERPRINT` pins it, with your token" in said


def test_a_changed_certificate_is_pinned_anew_with_the_token_that_one_has(
    club: Profile, server: RunningServer, arena: Arena, tmp_path: Path
) -> None:
    other = tls.make_certificate(tmp_path / "other", []).certificate.read_text(encoding="ascii")
    save_profile(replace(club, certificate=other))
    said = arena.refusal(*BOTS, code=1)
    assert "shows another certificate" in said
    command = said.partition("`arena ")[2].partition("`")[0]
    assert arena(*command.split()).code == 0
    assert load_profile("club").token == club.token
    assert arena(*BOTS).code == 0


# Stored logins.


DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"address": "nonsense"}, "'nonsense' is no address"),
    ({"address": 5}, "a text was expected"),
    ({"token": "kma_\nx"}, "it holds no token"),
    ({"token": ""}, "it holds no token"),
    ({"plain": "no"}, "plain is neither true nor false"),
]


def test_a_damaged_login_is_told_and_the_others_are_still_listed(club: Profile, arena: Arena) -> None:
    for damage, expected in DAMAGES:
        save_profile(replace(club, name="bad", **damage))
        said = arena.refusal("--server", "bad", "bot", "list", code=1)
        assert expected in said, damage
        assert said.endswith("remove the file and log in again"), damage
        listed = arena("logout")
        assert listed.code == 1, damage
        assert "club " in listed.out, damage
        assert expected in listed.err, damage
        assert arena("logout", "bad").code == 0, damage
        assert arena("logout").code == 0, damage


def test_a_login_that_is_no_text_and_one_without_a_certificate_are_told(club: Profile, arena: Arena) -> None:
    save_profile(replace(club, certificate="-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
    said = arena.refusal(*BOTS, code=1)
    assert said.endswith(f"cannot be read; log in again: arena login {club.address} --name club")
    save_profile(club).write_bytes(b"\xff\xfe")
    assert "is damaged" in arena.refusal(*BOTS, code=1)


@pytest.mark.parametrize("given", [b"", b"\xff\xfe\n", b"kma_\xc3\n"])
def test_what_is_no_token_on_the_standard_input_is_none(
    club: Profile, server: RunningServer, arena: Arena, monkeypatch: pytest.MonkeyPatch, given: bytes
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
    words = ("login", club.address, "--name", "new", "--fingerprint", server.tls.fingerprint, "--token-stdin")
    assert "this is no token" in arena.refusal(*words)


# What cannot be done at a service, or not with this token.


def test_server_before_a_noun_of_this_machine_is_refused(arena: Arena) -> None:
    for noun in ("serve", "home", "game", "perft", "login", "logout"):
        said = arena.refusal("--server", "club", noun)
        assert said == f"`arena {noun}` works on this machine, not at a service; leave out --server"


HUGE = "9" * 30
FOREIGN = "WyJ0b3VybmFtZW50cyIsIjAxYTIwNDgxIl0"  # a cursor of another list


CARELESS = [
    (["match", "list", "--limit", HUGE], "Value out of range"),
    (["match", "list", "--limit", "-1"], "--limit"),
    (["match", "list", "--after", FOREIGN], "is no cursor of this list"),
    (["match", "list", "--after", "A" * 5000], "is no cursor of this list"),
    (["match", "list", "--fault", "TIMEOUTS"], "no cause of a fault 'TIMEOUTS'; did you mean 'TIMEOUT'?"),
    (["match", "show", "a" * 100_000], "no match 'aaaa"),
    (["match", "show", "\udcff"], "is not Unicode text"),
    (["match", "watch", ""], "no match ''"),
    (["tournament", "show", "%" * 100], "no tournament"),
    (["leaderboard", "--pool", "a" * 100_000], "no pool"),
    (["bot", "log", "a" * 100_000], "there is no bot"),
    (["bot", "admission", "eve/fox"], "there is no bot 'eve/fox'"),
    (["owner", "list"], "needs a token of scope organiser, and the token "),
    (["owner", "invite", "eve"], "needs a token of scope organiser"),
    (["token", "list", "--owner", "eve"], "needs a token of scope organiser"),
    (["match", "annul", "0", "--why", "x"], "needs a token of scope organiser"),
    (["bot", "add", "."], "`arena bot submit DIRECTORY` sends a bot to a service"),
]


def test_a_careless_or_hostile_call_is_one_line_and_changes_nothing(
    club: Profile, server: RunningServer, arena: Arena
) -> None:
    before = recorded(server)
    assert arena.misses((["--server", "club", *words], expected) for words, expected in CARELESS) == []
    assert recorded(server) == before


def test_a_message_that_nobody_would_read_is_refused_and_nothing_is_recorded(
    club: Profile, server: RunningServer, arena: Arena, tmp_path: Path
) -> None:
    before = recorded(server)
    bot = write_bot(tmp_path / "fox", "fox")
    words = ("--server", "club", "bot", "submit", bot, "--no-wait", "--message")
    refused = arena(*words, "x" * 2001)
    assert refused.code == 2
    assert "the message has 2001 characters, and 2000 are allowed; say it in fewer words" in refused.err
    assert recorded(server) == before
    assert arena(*words, "\x1b[31mred\x9b31m\u202e\nmore").code == 0
    shown = arena("--server", "club", "bot", "log", "fox")
    assert r"\u001b[31mred\u009b31m\u202e\nmore" in shown.out
    data = arena("--server", "club", "bot", "log", "fox", "--json")
    assert data.json[0]["message"] == "\x1b[31mred\x9b31m\u202e\nmore"
    assert not {"\x1b", "\x9b", "\u202e"} & set(data.out)


def test_two_owners_may_use_one_name_and_each_means_his_own(
    club: Profile, server: RunningServer, arena: Arena, tmp_path: Path
) -> None:
    save_profile(replace(club, name="other", token=server.token("bob", Scope.COMPETITOR), owner="bob"))
    for login, owner in (("club", "ada"), ("other", "bob")):
        bot = write_bot(tmp_path / owner, "wolf", body=f"# {owner}\n")
        assert arena("--server", login, "bot", "submit", bot, "--no-wait").code == 0
        assert [row["actor"] for row in arena("--server", login, "bot", "log", "wolf", "--json").json] == [owner]
    assert "ada/wolf is not yours" in arena.refusal("--server", "other", "bot", "withdraw", "ada/wolf")


def test_a_token_that_is_revoked_expired_or_of_a_disabled_owner_is_told_as_that(
    club: Profile, server: RunningServer, arena: Arena
) -> None:
    ledger = ServiceLedger(server.database)
    save_profile(replace(club, token=server.token("eve", Scope.VIEWER)))
    with closing(sqlite3.connect(server.database.path or "")) as connection, connection:
        connection.execute("UPDATE token SET expires_at_us = 1 WHERE id = (SELECT max(id) FROM token)")
    assert "expired" in arena.refusal(*BOTS, code=1)
    made = ledger.new_token("eve", name="lost", scope=Scope.VIEWER)
    save_profile(replace(club, token=made.secret))
    assert arena(*BOTS).code == 0
    ledger.revoke_token("lost", owner="eve")
    assert "revoked" in arena.refusal(*BOTS, code=1)
    save_profile(replace(club, token=server.token("eve", Scope.VIEWER)))
    ledger.set_owner_disabled("eve", disabled=True)
    assert "disabled" in arena.refusal(*BOTS, code=1)


# The service itself.


def test_a_service_of_another_protocol_is_told_with_both_versions(
    club: Profile, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "PROTOCOL_MAJOR", 2)
    said = arena.refusal(*BOTS, code=1)
    assert said == (
        "the client speaks version 1 of the protocol, and the service version 2; "
        "install the arena of the service's version"
    )


def test_a_database_that_another_process_holds_is_told_after_a_while_and_nothing_is_recorded(
    club: Profile, server: RunningServer, arena: Arena, tmp_path: Path
) -> None:
    organiser, before = ("--server", f"unix:{server.addresses.socket}"), recorded(server)
    with closing(sqlite3.connect(server.database.path or "")) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert arena(*BOTS).code == 0, "who only reads is not held up"
        said = arena.refusal(*organiser, "owner", "add", "zoe", code=1)
        assert said == "the database of the service is busy, and nothing was recorded; try again"
        here = ("owner", "add", "zoe", "--db", f"sqlite:///{server.database.path}?busy_timeout={BRIEF_MS}")
        assert "is being written by another process; try again" in arena.refusal(*here, code=1)
    assert recorded(server) == before
    assert arena(*organiser, "owner", "add", "zoe").code == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--set", "limits.versions"], "is not SECTION.NAME=VALUE; write for example --set limits.versions=50"),
        (["--set", "workers=3"], "is not SECTION.NAME=VALUE"),
        (["--set", "=3"], "is not SECTION.NAME=VALUE"),
        (["--set", "limits.version=3"], "there is no setting 'limits.version'; did you mean 'limits.versions'?"),
        (["--set", "limits.versions=1", "--set", "limits.versions=2"], "limits.versions is given twice"),
        (["--set", "service.workers=1", "--workers", "2"], "service.workers is given twice"),
        (["--worker", "2"], "--workers"),
        (["--workers", "two"], "--workers 'two' is not a whole number, 0 to 256; the default is 0"),
        (["--address", "127.0.0.1"], "--address '127.0.0.1' is not an address"),
        (["--address", "::1:7733"], "is not an address"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse_is_one_line_and_no_service_begins(arena: Arena, words: list[str], expected: str) -> None:
    assert expected in arena.refusal("serve", "--home", "home", *words)
    assert not Path("home/arena.db").exists()


def test_a_mistyped_variable_is_refused_with_the_nearest_one(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_LIMITS_VERSION", "5")
    said = arena.refusal("serve", "--home", "home")
    assert said == "ARENA_LIMITS_VERSION sets nothing; did you mean ARENA_LIMITS_VERSIONS? Otherwise unset it"


def test_a_home_without_a_name_is_not_the_directory_one_is_in(arena: Arena) -> None:
    before = sorted(Path().iterdir())
    assert "the home has no name" in arena.refusal("serve", "--home", "", "--check", code=1)
    assert sorted(Path().iterdir()) == before


def test_the_check_shows_a_flag_in_its_place(arena: Arena) -> None:
    checked = arena("serve", "--home", "home", "--check", "--workers", "3", "--set", "limits.versions=9", "--json")
    assert checked.json["settings"]["service.workers"] == {"value": 3, "from": "--workers"}
    assert checked.json["settings"]["limits.versions"] == {"value": 9, "from": "--set limits.versions"}


def test_the_check_shows_no_password(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "")  # which the command sets
    Path("home").mkdir()
    Path("home/settings.toml").write_text('[service]\ndatabase = "postgresql://ada:geheim@127.0.0.1:9/book"\n')
    for words in ([], ["--json"]):
        checked = arena("serve", "--home", "home", "--check", *words)
        assert "postgresql://ada@127.0.0.1:9/book" in checked.out
        assert "geheim" not in checked.out + checked.err
