"""What the supervisor of the remote process makes of who comes, takes leave and goes."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import cast

import pytest

from arena.executor.remote import RemoteOptions
from arena.service.logs import get_logger
from arena.service.remote.join_policy import JoinPolicy, Presence
from arena.service.remote.process_supervisor import RemoteProcessSupervisor
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
