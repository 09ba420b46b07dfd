"""The example of a client without our kit plays several matches at once, and comes back when the line is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from arena.service.server.self_signed import make_certificate
from tests.support.patience import PATIENCE_S
from tests.support.play_service import FakeService, decide, finished, play_service, started

ROOT = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def example(tmp_path: Path) -> AsyncIterator[tuple[FakeService, asyncio.subprocess.Process]]:
    """The program beside a service; who opens the block sees it end."""
    tls = make_certificate(tmp_path, [])
    async with play_service(tls) as service:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *(str(ROOT / "examples/remote_client.py"), service.address, "--certificate", str(tls.certificate)),
            *("--certificate-name", "localhost", "--game", "nim"),
            env={**os.environ, "ARENA_TOKEN": "kma_t0ken", "PYTHONPATH": str(ROOT)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        yield service, process


async def test_the_example_plays_and_joins_again(tmp_path: Path) -> None:
    async with example(tmp_path) as (service, process):
        visit = await service.visit()
        join = await visit.welcome()
        assert (join.name, list(join.games), join.max_concurrent_matches) == ("dice", ["nim"], 4)
        await visit.say(started("m1"), started("m2"), decide("m1", 0), decide("m2", 0))
        assert {(await visit.hear_act()).match_id for _ in range(2)} == {"m1", "m2"}
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", resumed=True), decide("m1", 4))
        assert (await visit.hear_act()).ply == 4
        await visit.say(finished("m1"))
        visit.end(grpc.StatusCode.ABORTED, "SUPERSEDED", "a newer connection took over")
        async with asyncio.timeout(PATIENCE_S):
            out, errors = await process.communicate()
    assert process.returncode == 1
    assert b"m1: ranks [1, 2]" in out
    assert errors.splitlines()[-1] == b"ABORTED: a newer connection took over"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.FAILED_PRECONDITION, "BOT_IS_HOSTED"),
        (grpc.StatusCode.FAILED_PRECONDITION, "NO_GAME"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "BOTS"),
    ],
)
async def test_a_final_refusal_ends_the_example(tmp_path: Path, code: grpc.StatusCode, reason: str) -> None:
    async with example(tmp_path) as (service, process):
        (await service.visit()).end(code, reason, "take another name")
        async with asyncio.timeout(PATIENCE_S):
            _, errors = await process.communicate()
    assert (process.returncode, errors.decode()) == (1, f"{code.name}: take another name\n")


async def test_the_example_waits_for_a_match_of_its_other_version(tmp_path: Path) -> None:
    async with example(tmp_path) as (service, process):
        (await service.visit()).end(grpc.StatusCode.FAILED_PRECONDITION, "VERSION_IN_PLAY")
        await (await service.visit()).welcome()
        process.kill()
        await process.communicate()


async def test_ctrl_c_ends_the_example_when_its_matches_are_over(tmp_path: Path) -> None:
    async with example(tmp_path) as (service, process):
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1"), decide("m1", 0))
        await visit.hear_act()
        process.send_signal(signal.SIGINT)
        await visit.hear_leave()
        visit.break_off()
        visit = await service.visit()
        assert (await visit.welcome()).max_concurrent_matches < 0
        await visit.say(started("m1", resumed=True), decide("m1", 2))
        assert (await visit.hear_act()).ply == 2
        await visit.say(finished("m1"))
        visit.part()
        async with asyncio.timeout(PATIENCE_S):
            out, _ = await process.communicate()
    assert process.returncode == 0
    assert b"m1: ranks [1, 2]" in out


@pytest.mark.parametrize(
    ("environment", "words", "remedy"),
    [
        ({}, (), "put your token into the environment variable ARENA_TOKEN"),
        ({"ARENA_TOKEN": "kma_t0ken"}, ("--certificate", "nowhere.pem"), "there is no file nowhere.pem"),
    ],
)
def test_what_the_example_misses_is_told_with_the_remedy(
    environment: dict[str, str], words: tuple[str, ...], remedy: str
) -> None:
    known = {name: value for name, value in os.environ.items() if name != "ARENA_TOKEN"}
    command = [sys.executable, str(ROOT / "examples/remote_client.py"), "127.0.0.1:1", *words]
    ended = subprocess.run(
        command, env=known | {"PYTHONPATH": str(ROOT)} | environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, remedy in ended.stderr, "Traceback" in ended.stderr) == (2, True, False)
