"""The process of remote bots is kept running; who may not join is refused, and the log is not flooded."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any, cast

import pytest

from arena.executor.remote import RemoteOptions
from arena.match.decisions import JoinRequest
from arena.service.logs import get_logger
from arena.service.remote import process_supervisor
from arena.service.remote.join_policy import JoinPolicy, JoinRefusal, Presence
from arena.service.remote.process_supervisor import REFUSAL_WINDOW_S, RefusalLog, RemoteProcessSupervisor
from arena.service.supervision import Health
from engine.text import from_json
from ratings.values.tournaments import LockHolder
from tests.support.patience import until


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
