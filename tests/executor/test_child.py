"""A process of ours as the coordinator holds it, whoever else has its pipes."""

import asyncio
import os
import signal
import sys

import pytest

from arena.executor.child import ChildProcess
from tests.support.patience import PATIENCE_S

# Whoever is stopped between fork and exec holds the pipes of his parent, and nobody can tell him to go on.
LEAVES_A_HOLDER = """
import os, signal, sys
holder = os.fork()
if not holder:
    os.close(1)
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
os.waitpid(holder, os.WUNTRACED)
sys.stderr.write(f"{holder}\\n")
"""


@pytest.mark.host_fault("worker-killed")
async def test_the_death_of_a_process_is_noticed_though_another_one_holds_its_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.executor.child.END_GRACE_S", 0.2)
    child = ChildProcess(lambda: [sys.executable, "-I", "-c", LEAVES_A_HOLDER], lambda *_: None, lambda: None)
    try:
        async with asyncio.timeout(PATIENCE_S):
            assert await child.run() == (False, 0)
    finally:
        os.kill(int(child.last_words()), signal.SIGKILL)
