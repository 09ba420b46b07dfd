"""A bot at its author's home that is no Linux machine, or has no /proc: it plays on a service all the same."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from arena.connect.news import BotStopped, MatchEnded
from arena.service.server.tls import TlsFiles
from tests.connect.bridging import connected, write_bot
from tests.connect.test_command import log_in, words
from tests.e2e.test_without_proc import HIDDEN, no_proc
from tests.support.machines import unlike_linux
from tests.support.places import Place
from tests.support.play_service import finished, play_service

__all__ = ["no_proc", "unlike_linux"]

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


async def test_a_bot_is_connected_where_there_is_no_proc(tls: TlsFiles, no_proc: Path) -> None:
    directory, home = write_bot(no_proc, "print('thinking')\nreturn 1"), Place(no_proc)
    environment = {**os.environ, "XDG_CONFIG_HOME": f"{no_proc}/config", "XDG_CACHE_HOME": f"{no_proc}/cache"}
    async with play_service(tls) as service:
        log_in(home, service)
        command = (*HIDDEN, sys.executable, "-m", "arena.cli.main", *words(service, directory, "--stop-after", "1"))
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        visit = await service.first_question()
        await visit.hear_leave()
        assert list((await visit.hear_act()).actions) == [1]
        await visit.say(finished("m1"))
        visit.part()
        out, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")
    assert b"bot 1| thinking" in out
    assert b"match m1 is over: rank 1 of 2" in out
