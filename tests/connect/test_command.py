"""`arena bot connect` in a process of its own: what it prints, Ctrl-C once and twice, and a home that is no Linux."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.connect.news import BotStopped, MatchEnded
from arena.rpc.profiles import Profile, save_profile
from arena.service.server.self_signed import TlsFiles
from arena.v1 import match_pb2
from ratings.values.states import Scope
from tests.connect.bridging import connected, write_bot, write_program
from tests.e2e.test_without_proc import HIDDEN, no_proc
from tests.support.machines import unlike_linux
from tests.support.patience import until
from tests.support.places import Place, Terminal
from tests.support.play_service import FakeService, decide, finished, play_service, started

minutes = pytest.mark.needs("minutes")


@pytest.fixture
def home() -> Iterator[Place]:
    with TemporaryDirectory(prefix="kma") as name:
        place = Place(Path(name))
        place.environment |= {"XDG_CONFIG_HOME": f"{name}/config", "XDG_CACHE_HOME": f"{name}/cache"}
        yield place


def log_in(home: Place, service: FakeService) -> None:
    certificate = service.tls.certificate.read_text(encoding="ascii")
    profile = Profile("club", service.address, "kma_t0ken", "ada", Scope.PLAYER, certificate, None, "localhost")
    save_profile(profile, home.directory / "config" / "kingmaker-arena" / "logins")


def words(service: FakeService, directory: Path, *more: str) -> list[str | Path]:
    return ["--server", "club", "bot", "connect", directory, "--play-address", service.address, *more]


async def reads(terminal: Terminal, pattern: str) -> re.Match[str]:
    return await asyncio.to_thread(terminal.wait_for, pattern)


async def test_ctrl_c_lets_the_match_end_and_nothing_is_left_behind(tls: TlsFiles, home: Place) -> None:
    directory = write_bot(home.directory, "print('thinking')\nwait_for('go')\nreturn 1")
    async with play_service(tls) as service:
        log_in(home, service)
        with home.on_terminal(*words(service, directory, "--matches", "1")) as terminal:
            visit = await service.visit()
            await visit.welcome()
            await reads(terminal, r"connected to \S+ as ada/fox version [0-9a-f]{12}: nim, one match at a time; Ctrl-C")
            await visit.say(started("0123456789abcdef"), decide("0123456789abcdef", 0))
            await reads(terminal, "match 89abcdef begins: nim, seat 0 of 2, opponents hidden")
            await reads(terminal, r"bot 1\| thinking")
            terminal.interrupt()
            await reads(terminal, "no new match is started; one match is running")
            await visit.hear_leave()
            (home.directory / "go").touch()
            await visit.hear_act()
            fault = match_pb2.Fault(cause=match_pb2.FAULT_CAUSE_TIMEOUT, ply=0, explanation="It was late.")
            await visit.say(finished("0123456789abcdef", fault))
            ended = r"match 89abcdef is over: rank 1 of 2; TIMEOUT at ply 0: It was late; "
            await reads(terminal, ended + r"`\S*arena --server club match show 89abcdef`")
            visit.part()
            assert await asyncio.to_thread(terminal.end) == 0
        assert "1 match played, first in 1, 1 fault; `" in terminal.text
        assert "Traceback" not in terminal.text


@minutes
async def test_a_second_signal_leaves_at_once_whichever_it_is(tls: TlsFiles, home: Place) -> None:
    directory = write_bot(home.directory, "wait_for('never')")
    async with play_service(tls) as service:
        log_in(home, service)
        with home.on_terminal(*words(service, directory)) as terminal:
            visit = await service.first_question()
            await reads(terminal, "match m1 begins")
            os.kill(terminal.process.pid, signal.SIGTERM)
            await visit.hear_leave()
            os.kill(terminal.process.pid, signal.SIGINT)
            await visit.hear_end()
            assert await asyncio.to_thread(terminal.end) == 130
        assert "arena: left a match; the same command goes on there" in terminal.text


@minutes
async def test_programs_get_a_line_of_json_for_each_piece_of_news_and_the_bot_writes_into_its_log(
    tls: TlsFiles, home: Place
) -> None:
    directory, log = write_bot(home.directory, "print('thinking')\nreturn 1"), home.directory / "bot.log"
    more = ("--json", "--stop-after", "1", "--bot-log", str(log), "--name", "wolf", "--version", "1.4")
    async with play_service(tls) as service:
        log_in(home, service)
        playing = asyncio.create_task(asyncio.to_thread(home.arena, *words(service, directory, *more)))
        visit = await service.visit()
        join = await visit.welcome()
        assert (join.name, join.version) == ("wolf", "1.4")
        await visit.say(started("m1"), decide("m1", 0))
        await visit.hear_leave()
        await visit.hear_act()
        await visit.say(finished("m1"))
        visit.part()
        ended = await playing
    assert (ended.code, ended.err) == (0, "")
    told = [json.loads(line) for line in ended.out.splitlines()]
    assert [what["event"] for what in told] == ["connected", "match_began", "draining", "match_ended"]
    assert told[-1]["rank"] == 1
    assert log.read_text() == "bot 1| thinking\n"


@minutes
async def test_ctrl_c_while_the_bot_starts_ends_it(tls: TlsFiles, home: Place) -> None:
    begun = home.directory / "begun"
    source = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(3600)\n"
    async with play_service(tls) as service:
        log_in(home, service)
        with home.on_terminal(*words(service, write_program(home.directory, source))) as terminal:
            await until(begun.exists)
            terminal.interrupt()
            assert await asyncio.to_thread(terminal.end) == 130
        assert "arena: stopped before the bot was connected; nothing was played" in terminal.text


@minutes
async def test_kill_leaves_no_process_behind_and_the_same_command_goes_on(tls: TlsFiles, home: Place) -> None:
    directory = write_bot(home.directory, "wait_for('go')\nreturn 1")
    async with play_service(tls) as service:
        log_in(home, service)
        with home.on_terminal(*words(service, directory)) as terminal:
            visit = await service.first_question()
            await reads(terminal, "match m1 begins")
            terminal.kill()
            await visit.hear_end()
        (home.directory / "go").touch()
        with home.on_terminal(*words(service, directory, "--stop-after", "1")) as terminal:
            visit = await service.visit()
            await visit.welcome()
            await visit.say(started("m1", resumed=True), decide("m1", 0))
            await reads(terminal, "match m1 goes on")
            await visit.hear_leave()
            assert (await visit.hear_act()).ply == 0
            await visit.say(finished("m1"))
            visit.part()
            assert await asyncio.to_thread(terminal.end) == 0


__all__ = ["no_proc", "unlike_linux"]


@pytest.mark.needs("minutes")
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


@pytest.mark.needs("minutes")
@pytest.mark.usefixtures("unlike_linux")
async def test_a_crash_is_seen_there_too(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "os._exit(3)")
    async with play_service(tls) as service, connected(service, directory) as told:
        await service.first_question()
        assert await told.wait_for(BotStopped)


@pytest.mark.needs("minutes")
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
