"""The example of a client without our kit plays several matches at once, and comes back when the line is lost."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import grpc

from arena.service.server.tls import make_certificate
from tests.support.patience import PATIENCE_S
from tests.support.play_service import decide, finished, play_service, started

ROOT = Path(__file__).resolve().parents[2]


async def test_the_example_plays_and_joins_again(tmp_path: Path) -> None:
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
