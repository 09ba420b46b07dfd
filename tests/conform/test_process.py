"""A process of a bot that is being checked ends for us even if something that it started lives on."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.conform.harness import process as module
from arena.conform.harness.process import start_process
from tests.support.patience import PATIENCE_S

FLEES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), file=sys.stderr, flush=True)
    time.sleep(3600)
os.wait()
"""


async def test_nobody_waits_for_what_a_bot_started_in_a_group_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DRAIN_S", 0.1)
    process = start_process([sys.executable, "-c", FLEES], dict(os.environ), tmp_path)
    async with asyncio.timeout(PATIENCE_S):
        while not process.stderr.endswith("\n"):
            await asyncio.sleep(0.01)
    try:
        async with asyncio.timeout(PATIENCE_S):
            await process.end()
        assert process.ended.result() == -signal.SIGKILL
    finally:
        with suppress(ProcessLookupError):
            os.kill(int(process.stderr), signal.SIGKILL)
