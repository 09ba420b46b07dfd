"""Remote bots of a service: who may join and what they are told, and their process, which is kept running."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from arena.executor.remote_bots_process import RemoteOptions
from arena.match.decisions import JoinRequest
from arena.service.logs import get_logger
from arena.service.remote import process_supervisor
from arena.service.remote.database_join_policy import DatabaseJoinPolicy
from arena.service.remote.join_interface import JoinGrant, JoinPolicy, JoinRefusal, Presence
from arena.service.remote.process_supervisor import REFUSAL_WINDOW_S, RefusalLog, RemoteProcessSupervisor
from arena.service.task_supervision import Health
from engine import registry
from engine.translatable import from_json
from ratings.errors import AccountError
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import list_tokens
from ratings.read.bots import find_version, list_bots
from ratings.store.database import Database, open_database
from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope
from ratings.values.tournament_incidents import LockHolder
from tests.support.patience import until


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "book.db")
    yield database
    database.close()


Ask = Callable[[JoinRequest], JoinGrant]


@pytest.fixture
def token(database: Database) -> str:
    ledger = ServiceLedger(database)
    ledger.add_owner("ada")
    return ledger.new_token("ada", name="laptop", scope=Scope.PLAYER).secret


@pytest.fixture
def request_(token: str) -> JoinRequest:
    return JoinRequest(token, "ipv4:192.0.2.7:4711", "fox", "1.0", ("foreign_king", "chess"))


@pytest.fixture
def ask(database: Database) -> Iterator[Ask]:
    """All is asked in one event loop, as in a service: what is noted in the background may hold the policy's lock."""
    register = DatabaseJoinPolicy(database, OwnerLimits(), failed_logins_per_minute=3)
    with asyncio.Runner() as runner:
        yield lambda request: runner.run(register.admit(request))


def refused(ask: Ask, request: JoinRequest) -> tuple[str, str, str]:
    with pytest.raises(JoinRefusal) as caught:
        ask(request)
    assert len(caught.value.message) < 500
    return caught.value.code, caught.value.reason, caught.value.message


def test_a_bot_is_admitted_under_its_owners_name(database: Database, ask: Ask, request_: JoinRequest) -> None:
    admitted = ask(request_)
    assert (admitted.bot, admitted.games) == ("ada/fox", ("foreign_king",))
    assert admitted.token_digest == hashlib.sha256(request_.token.encode()).hexdigest()
    found = find_version(database, "ada/fox")
    assert (found.version.content_hash, found.bot.remote) == (admitted.content_hash, True)
    assert ask(request_) == admitted
    assert ask(replace(request_, version="1.1")).content_hash != admitted.content_hash


async def test_it_is_noted_that_a_token_was_used(database: Database, request_: JoinRequest) -> None:
    await DatabaseJoinPolicy(database, OwnerLimits()).admit(request_)
    await until(lambda: list_tokens(database).items[0].token.used_at_us is not None)


def person(name: str = "guest-1", version: str = "1", peer: str = "unix:") -> JoinRequest:
    return JoinRequest("", peer, name, version, ("*",))


async def test_over_the_socket_a_guest_sits_down_without_a_token(database: Database) -> None:
    ServiceLedger(database).ensure_people()
    admitted = await DatabaseJoinPolicy(database, OwnerLimits(versions=1), people=3).admit(person("guest-3"))
    assert (admitted.bot, admitted.token_digest) == ("people/guest-3", "")
    assert admitted.games == tuple(registry.names())
    assert await DatabaseJoinPolicy(database, OwnerLimits(versions=1), people=3).admit(person("guest-3")) == admitted


@pytest.mark.parametrize("request_", [person("guest-4"), person("fox"), person(version="2")])
async def test_over_the_socket_nobody_joins_but_guests(database: Database, request_: JoinRequest) -> None:
    with pytest.raises(JoinRefusal, match="only 3 seats of people"):
        await DatabaseJoinPolicy(database, OwnerLimits(), people=3).admit(request_)


async def test_where_another_service_takes_bots_and_people_nobody_joins(
    database: Database, request_: JoinRequest
) -> None:
    ServiceLedger(database).ensure_people()
    holder = LockHolder("club-2", 4711, 0)
    taken: list[LockHolder | None] = [holder, holder, holder, None]
    register = DatabaseJoinPolicy(database, OwnerLimits(), people=3, other_service=taken.pop)
    await register.admit(request_)
    with pytest.raises(JoinRefusal, match="process 4711 on club-2 takes remote bots and people for this arena") as bot:
        await register.admit(replace(request_, name="owl"))
    assert (bot.value.code, bot.value.reason) == ("UNAVAILABLE", "ELSEWHERE")
    assert [one.bot.name for one in list_bots(database).items] == ["ada/fox"]
    with pytest.raises(JoinRefusal, match="another service of this arena takes people now") as guest:
        await register.admit(person())
    assert (guest.value.code, guest.value.reason) == ("FAILED_PRECONDITION", "ELSEWHERE")
    with pytest.raises(JoinRefusal, match="not known here"):
        await register.admit(replace(request_, token="guessed"))
    assert taken == [holder], "who shows no good token hears nothing of it"


def test_over_the_network_nobody_joins_without_a_token(ask: Ask) -> None:
    assert refused(ask, person(peer="ipv4:192.0.2.7:4711"))[:2] == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")


def test_nobody_can_have_the_name_of_the_people(database: Database) -> None:
    with pytest.raises(AccountError, match="its visitors"):
        ServiceLedger(database).add_owner("people")
    assert ServiceLedger(database).ensure_people().id == ServiceLedger(database).ensure_people().id


def test_a_star_stands_for_every_game(ask: Ask, request_: JoinRequest) -> None:
    assert ask(replace(request_, games=("*",))).games == tuple(registry.names())


def test_the_scheduler_is_told_only_when_another_version_plays(database: Database, request_: JoinRequest) -> None:
    told: list[None] = []
    register = DatabaseJoinPolicy(database, OwnerLimits(), wake=lambda: told.append(None))
    for version in ("1", "1", "2"):
        asyncio.run(register.admit(replace(request_, version=version)))
    assert len(told) == 2


@pytest.mark.parametrize("wrong", ["", "kma_unknown", "x" * 10_000, "\ud800"])
def test_a_token_that_is_none_is_refused(database: Database, ask: Ask, request_: JoinRequest, wrong: str) -> None:
    assert refused(ask, replace(request_, token=wrong))[:2] == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")
    assert list(list_bots(database).items) == []


def test_a_revoked_token_and_a_disabled_owner_are_refused(database: Database, ask: Ask, request_: JoinRequest) -> None:
    ServiceLedger(database).set_owner_disabled("ada", disabled=True)
    assert refused(ask, request_)[:2] == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")
    ServiceLedger(database).set_owner_disabled("ada", disabled=False)
    ServiceLedger(database).revoke_token("laptop", owner="ada")
    assert "was revoked; ask for a new one" in refused(ask, request_)[2]


@pytest.mark.hostile("guess-tokens")
def test_whoever_tries_tokens_learns_nothing_for_a_while_and_holds_up_no_neighbour(
    ask: Ask, request_: JoinRequest
) -> None:
    ask(request_)
    guess = replace(request_, token="kma_guess")
    reasons = [refused(ask, guess)[1] for _ in range(4)]
    assert reasons == ["TOKEN_UNKNOWN"] * 3 + ["TOO_MANY_LOGINS"]
    assert ask(request_).bot == "ada/fox"


@pytest.mark.parametrize(("owner", "scope"), [(None, Scope.ORGANISER), ("ada", Scope.VIEWER)])
def test_a_token_that_may_not_play_is_refused(
    database: Database, ask: Ask, request_: JoinRequest, owner: str | None, scope: Scope
) -> None:
    secret = ServiceLedger(database).new_token(owner, name="other", scope=scope).secret
    assert refused(ask, replace(request_, token=secret))[:2] == ("PERMISSION_DENIED", "SCOPE")


@pytest.mark.parametrize("name", ["", "ada/fox", "Fox", "f" * 41, "fox\n", "f" * 100_000])
def test_a_name_that_no_bot_can_have_is_refused(ask: Ask, request_: JoinRequest, name: str) -> None:
    code, reason, message = refused(ask, replace(request_, name=name))
    assert (code, reason) == ("INVALID_ARGUMENT", "BOT_NAME")
    assert "is no name for a bot; use 1 to 40 of a-z" in message


@pytest.mark.parametrize("version", ["", "1 0", "-1", "v" * 65, "1\n", "\0", "é" * 100_000])
def test_a_word_that_no_version_can_have_is_refused(ask: Ask, request_: JoinRequest, version: str) -> None:
    code, reason, message = refused(ask, replace(request_, version=version))
    assert (code, reason) == ("INVALID_ARGUMENT", "VERSION_NAME")
    assert "is no name for a version; use 1 to 64 of" in message


@pytest.mark.parametrize("games", [(), ("chess",), tuple(f"game{number}" * 1000 for number in range(200))])
def test_a_bot_without_a_game_that_is_played_here_is_refused(
    ask: Ask, request_: JoinRequest, games: tuple[str, ...]
) -> None:
    code, reason, message = refused(ask, replace(request_, games=games))
    assert (code, reason) == ("FAILED_PRECONDITION", "NO_GAME")
    assert message.endswith("there are foreign_king, rex_romanorum")


def test_a_hosted_bot_cannot_join(database: Database, ask: Ask, request_: JoinRequest) -> None:
    Ledger(database).add_version(bot="fox", owner="ada", content_hash="aa", manifest={"games": ["*"]})
    code, reason, message = refused(ask, request_)
    assert (code, reason) == ("FAILED_PRECONDITION", "BOT_IS_HOSTED")
    assert "join under another name" in message


def test_a_disabled_bot_cannot_join(database: Database, ask: Ask, request_: JoinRequest) -> None:
    ask(request_)
    Ledger(database).set_disabled("ada/fox", disabled=True)
    code, reason, message = refused(ask, request_)
    assert (code, reason) == ("FAILED_PRECONDITION", "BOT")
    assert message.endswith("let it in again: arena bot disable ada/fox --undo")


def test_the_limits_of_an_owner_hold_for_his_joins(database: Database, ask: Ask, request_: JoinRequest) -> None:
    ServiceLedger(database).set_owner_limits("ada", {"versions": 1})
    ask(request_)
    assert refused(ask, replace(request_, name="owl"))[:2] == ("RESOURCE_EXHAUSTED", "BOTS")
    assert [row.bot.name for row in list_bots(database).items] == ["ada/fox"]


def test_another_version_in_the_middle_of_a_match_is_refused_before_anything_is_written(
    database: Database, request_: JoinRequest
) -> None:
    register = DatabaseJoinPolicy(
        database, OwnerLimits(), count_others=lambda bot, _version: 2 if bot == "ada/fox" else 0
    )
    code, reason, message = refused(lambda request: asyncio.run(register.admit(request)), request_)
    assert (code, reason) == ("FAILED_PRECONDITION", "VERSION_IN_PLAY")
    assert "2 matches" in message
    assert list(list_bots(database).items) == []


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Database]:
    """A database that is waited for hardly at all while others write."""
    with closing(open_database(f"sqlite:///{tmp_path}/hasty.db?busy_timeout=20")) as database:
        yield database


async def test_who_is_known_joins_also_while_nobody_can_write(hasty: Database, tmp_path: Path) -> None:
    ledger = ServiceLedger(hasty)
    ledger.add_owner("ada")
    secret = ledger.new_token("ada", name="laptop", scope=Scope.PLAYER).secret
    request = JoinRequest(secret, "ipv4:192.0.2.7:4711", "fox", "1.0", ("foreign_king",))
    first = await DatabaseJoinPolicy(hasty, OwnerLimits()).admit(request)
    with closing(sqlite3.connect(tmp_path / "hasty.db", isolation_level=None)) as writer:
        writer.execute("UPDATE token SET used_at_us = 1")
        writer.execute("BEGIN IMMEDIATE")
        register = DatabaseJoinPolicy(hasty, OwnerLimits())
        assert await register.admit(request) == first
        with pytest.raises(JoinRefusal, match="join again in a moment"):
            await register.admit(replace(request, version="1.1"))


async def test_bots_that_come_at_once_wait_in_turn_for_the_book(hasty: Database) -> None:
    ledger = ServiceLedger(hasty)
    ledger.add_owner("ada")
    secret = ledger.new_token("ada", name="laptop", scope=Scope.PLAYER).secret
    register = DatabaseJoinPolicy(hasty, OwnerLimits(versions=0, uploads_per_hour=0))
    names = [f"bot{number}" for number in range(24)]
    requests = [JoinRequest(secret, "ipv4:192.0.2.7:4711", name, "1", ("*",)) for name in names]
    admitted = await asyncio.gather(*map(register.admit, requests))
    assert [one.bot for one in admitted] == [f"ada/{name}" for name in names]


async def test_who_takes_leave_counts_as_gone_and_its_token_is_looked_at_until_it_is() -> None:
    async def find_dead(digests: Collection[str]) -> Collection[str]:
        return digests

    presence = Presence()
    options = RemoteOptions("127.0.0.1:0", "cert.pem", "key.pem", 300.0, 1, 500)
    supervisor = RemoteProcessSupervisor(
        options,
        lambda _process: cast("JoinPolicy", None),
        presence,
        find_dead,
        health=Health(),
        log=get_logger("remote"),
    )
    supervisor.note_presence("v1", "token", 2)
    assert presence.is_connected("v1")
    supervisor.note_presence("v1", "token", 0)
    assert not presence.is_connected("v1")
    assert supervisor._digests == {"v1": "token"}
    supervisor.note_presence("v1", "token", None)
    assert not supervisor._digests


async def test_whoever_is_here_is_sent_away_when_another_service_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.service.remote.process_supervisor.LOOK_EVERY_S", 0.001)

    async def find_dead(_digests: Collection[str]) -> Collection[str]:
        return ()

    told: list[Mapping[str, str]] = []
    holders: list[LockHolder] = []
    options = RemoteOptions("127.0.0.1:0", "cert.pem", "key.pem", 300.0, 1, 500)
    supervisor = RemoteProcessSupervisor(
        options,
        lambda _process: cast("JoinPolicy", None),
        Presence(),
        find_dead,
        health=Health(),
        log=get_logger("remote"),
        other_service=lambda: holders[0] if holders else None,
    )
    monkeypatch.setattr(supervisor.process, "end_all", told.append)
    supervisor.note_presence("v1", "", 1)  # a person, without a token
    supervisor._send_away_if_taken_elsewhere()
    assert not told
    looking = asyncio.create_task(supervisor._look_at_tokens())
    holders.append(LockHolder("club-2", 4711, 0))
    await until(lambda: bool(told))
    assert told[0]["reason"] == "ELSEWHERE"
    assert "process 4711 on club-2" in from_json(told[0]["message"])
    supervisor.note_presence("v1", "", None)
    looking.cancel()
    await asyncio.wait({looking})


async def test_nobody_waits_for_a_process_that_fails_at_its_start() -> None:
    async def find_dead(digests: Collection[str]) -> Collection[str]:
        return digests

    options = RemoteOptions("127.0.0.1:0", "no-such-cert.pem", "no-such-key.pem", 300.0, 1, 500)
    supervisor = RemoteProcessSupervisor(
        options,
        lambda _process: cast("JoinPolicy", None),
        Presence(),
        find_dead,
        health=Health(),
        log=get_logger("remote"),
    )
    running = asyncio.create_task(supervisor.run())
    assert await supervisor.wait_until_begun() == 0
    running.cancel()
    await asyncio.wait({running})


class Lines:
    """A logger that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def info(self, event: str, **facts: Any) -> None:
        self.lines.append({"event": event, **facts})


class Book:
    """A log of refusals whose clock a test puts on."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.out = Lines()
        self.log = RefusalLog(cast(Any, self.out), lambda: self.now_s)

    def refuse(self, reason: str, token: str = "t", address: str = "ipv4:10.0.0.1:5", name: str = "fox") -> None:
        self.log.note(JoinRequest(token, address, name, "1", ("*",)), JoinRefusal("NOT_FOUND", reason, f"why {reason}"))


def test_the_first_is_written_at_once_and_the_others_are_counted_when_the_minute_is_over() -> None:
    book = Book()
    for _ in range(100):
        book.refuse("BOT_NAME")
    assert book.out.lines == [{"event": "remote bot refused", "bot": "fox", "why": "why BOT_NAME"}]
    book.now_s = REFUSAL_WINDOW_S
    book.log.end_window_if_over()
    again = {"event": "remote bot refused again", "bot": "fox", "reason": "BOT_NAME", "times": 99}
    assert book.out.lines[1:] == [again]
    book.refuse("BOT_NAME")
    assert len(book.out.lines) == 3


def test_each_owner_and_each_reason_has_a_line() -> None:
    book = Book()
    for _ in range(3):
        book.refuse("BOT_NAME")
        book.refuse("BOT_NAME", token="another")
        book.refuse("NO_GAME")
    assert len(book.out.lines) == 3


def test_a_stranger_with_a_new_token_each_time_has_one() -> None:
    book = Book()
    for number in range(100):
        book.refuse("TOKEN_UNKNOWN", token=f"guess {number}", address=f"ipv4:10.0.0.1:{number}", name=f"b{number}")
    assert len(book.out.lines) == 1


@pytest.mark.hostile("remote-refused-from-everywhere")
def test_strangers_from_everywhere_have_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_supervisor, "MOST_REFUSAL_KINDS", 5)
    book = Book()
    for number in range(100):
        book.refuse("TOKEN_UNKNOWN", address=f"ipv4:10.0.0.{number}:1")
    book.now_s = REFUSAL_WINDOW_S
    book.log.end_window_if_over()
    assert len(book.out.lines) == 6
    assert book.out.lines[-1] == {
        "event": "remote bot refused again",
        "bot": "many",
        "reason": "TOKEN_UNKNOWN",
        "times": 95,
    }


def test_a_version_is_there_from_when_it_came_until_it_is_gone() -> None:
    changes: list[dict[str, int]] = []
    presence = Presence(lambda: changes.append(dict(presence.connected())))
    presence.set_room("v1", 2)
    presence.set_room("v2", 1)
    presence.remove("v1")
    presence.clear()
    assert changes == [{"v1": 2}, {"v1": 2, "v2": 1}, {"v2": 1}, {}]
    assert not presence.is_connected("v1")


def test_what_changes_nothing_is_not_told() -> None:
    changes: list[str] = []
    presence = Presence(lambda: changes.append("change"))
    presence.set_room("v1", 2)
    presence.set_room("v1", 2)
    presence.remove("v2")
    assert presence.is_connected("v1")
    assert changes == ["change"]
