"""The processes of a bot on its author's machine end with what opened them, whoever held them last."""

from __future__ import annotations

import asyncio
from pathlib import Path

from arena.connect.local import open_bots
from arena.connect.program import prepare
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from tests.connect.bridging import write_bot
from tests.support.patience import PATIENCE_S


async def test_a_process_that_a_match_broken_off_has_forgotten_holds_nobody_up(tmp_path: Path) -> None:
    directory = write_bot(tmp_path)
    program = await prepare(directory, SandboxPolicy(), RuntimeCatalog(), tmp_path / "cache", print)
    async with asyncio.timeout(PATIENCE_S):
        async with open_bots(program, print, PATIENCE_S) as bots:
            await bots.try_out()
            bots.welcome({})
            forgotten = await bots.take()
            assert not forgotten.process.exited.done()
        assert forgotten.process.exited.done()
