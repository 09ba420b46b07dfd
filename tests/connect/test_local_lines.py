"""Bots that speak lines, or use a socket, on their author's machine: how they are tried, let in and ended."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.conform.random_match import CheckMatch, CheckMatchSetup
from arena.connect.local_bot import open_bots, prepare
from arena.connect.news import BotFailsError, BotStopped, BotWrote, News, Note
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.service.server.self_signed import TlsFiles
from arena.v1 import match_pb2, play_pb2
from engine import registry
from tests.connect.bridging import connected, write_bot, write_program
from tests.support.patience import PATIENCE_S, patient_starts
from tests.support.play_service import finished, play_service

BOT = """
import json, sys, time
{start}
for line in sys.stdin:
    message = json.loads(line)
    if "decide" in message:
        print(message["decide"]["legal_actions"][-1], flush=True)
"""


def speaking_lines(place: Path, start: str = "", games: str = '["*"]') -> Path:
    return write_program(place, BOT.format(start=start), protocol='"lines"', games=games)


async def test_a_bot_that_speaks_lines_plays(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, speaking_lines(tmp_path)) as told:
        visit = await service.visit()
        join = await visit.welcome(*(play_pb2.GameInfo(name=name) for name in ("foreign_king", "nim")))
        assert sorted(join.games) == sorted(registry.single_names()), "its lines are written here"
        match = CheckMatch(registry.get("foreign_king"), CheckMatchSetup(seats=2, seat=0))
        await visit.say(match.started())
        match.begin()
        await visit.say(match.decide())
        act = await visit.hear_act()
        question = match.question()
        assert (act.match_id, act.ply, list(act.actions)) == (match.id, question.ply, [question.legal[-1]])
    assert told.of(BotStopped) == []


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (
            "sys.exit('no brain')",
            r"fox does not start: It ended before it read its first line \(exit status 1\)\. .*'no brain'",
        ),
        (
            "print('Fox is ready')",
            "fox does not start: Before its match started, it sent a line .*'Fox is ready'.*logs belong on standard",
        ),
    ],
    ids=["ends", "banner"],
)
async def test_one_that_does_not_start_is_told_before_the_service_hears_of_it(
    tls: TlsFiles, tmp_path: Path, start: str, words: str
) -> None:
    async with play_service(tls) as service:
        async with connected(service, speaking_lines(tmp_path, start)) as told:
            with pytest.raises(BotFailsError, match=words):
                await told.end()
        assert service.visits.empty()


async def test_one_whose_games_are_not_installed_here_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    directory = speaking_lines(tmp_path, games='["nim"]')
    async with play_service(tls) as service, connected(service, directory) as told:
        with pytest.raises(
            BotFailsError, match=r"fox speaks lines, and none of its games \(nim\) is installed here; `ar"
        ):
            await told.end()


async def test_one_that_does_not_read_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    directory = speaking_lines(tmp_path, "time.sleep(3600)")
    with patient_starts():
        async with play_service(tls) as service, connected(service, directory, start_limit_s=0.5) as told:
            with pytest.raises(BotFailsError, match=r"It did not read its first line within 0\.5 s"):
                await told.end()


async def test_one_of_which_no_line_comes_is_told_how_to_flush(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_program(tmp_path, "import sys\nsys.stdin.read()\n", protocol='"lines"', games='["foreign_king"]')
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        game = registry.get("foreign_king")
        await visit.welcome(play_pb2.GameInfo(name=game.name, rules_version=game.rules_version))
        match = CheckMatch(game, CheckMatchSetup(seats=2, seat=0))
        await visit.say(match.started())
        match.begin()
        fault = match_pb2.Fault(cause=match_pb2.FAULT_CAUSE_TIMEOUT, ply=0, explanation="It took too long.")
        await visit.say(match.decide(), finished(match.id, fault))
        advice = "A bot that writes lines must flush each of them at once: print(..., flush=True)."
        assert (await told.wait_for(Note)).text == advice


async def test_a_process_that_was_not_needed_does_not_say_that_it_was_refused(tmp_path: Path) -> None:
    news: list[News] = []
    program = await prepare(write_bot(tmp_path), SandboxPolicy(), RuntimeCatalog(), tmp_path / "cache", news.append)
    async with asyncio.timeout(PATIENCE_S), open_bots(program, news.append, PATIENCE_S) as bots:
        await bots.try_out()
    assert [one for one in news if isinstance(one, BotWrote)] == []
