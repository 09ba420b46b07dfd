"""A bot at its author's home that is no Linux machine: it plays on a service all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.connect.news import BotStopped, MatchEnded
from arena.service.server.tls import TlsFiles
from tests.connect.bridging import connected, write_bot
from tests.support.play_service import finished, play_service
from tests.support.unlike_linux import unlike_linux

__all__ = ["unlike_linux"]

pytestmark = pytest.mark.needs("minutes")


@pytest.mark.usefixtures("unlike_linux")
async def test_a_remote_bot_plays_from_a_machine_without_proc(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "return 2")
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.first_question()
        assert list((await visit.hear_act()).actions) == [2]
        await visit.say(finished("m1"))
        await told.wait_for(MatchEnded)
        told.running.drain()
        await visit.hear_leave()
        visit.part()
        await told.end()


@pytest.mark.usefixtures("unlike_linux")
async def test_a_crash_is_seen_there_too(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "os._exit(3)")
    async with play_service(tls) as service, connected(service, directory) as told:
        await service.first_question()
        assert await told.wait_for(BotStopped)
