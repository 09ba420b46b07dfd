"""Programs that try something in a sandbox, and how their end is waited for."""

import asyncio

from arena.hosting.launcher.client import HostedProcess
from tests.support.patience import PATIENCE_S

NAP = "import time; time.sleep(3600)"
TRY = """
import ctypes, errno, os, socket, sys
def attempt(action):
    try:
        return str(action())
    except OSError as error:
        return errno.errorcode[error.errno]
"""
REFUSED = {"EPERM", "EACCES", "ENOENT", "EROFS", "ENOSYS", "EAFNOSUPPORT"}

# What is given to it goes on in another thread, while the first of the process ends: its files in /proc are empty then.
BEHIND_A_DEAD_THREAD = """
import ctypes, os, platform, threading, time
def go_on(work):
    threading.Thread(target=work).start()
    ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
"""


async def up(process: HostedProcess) -> None:
    """Wait until it has printed a whole line."""
    async with asyncio.timeout(PATIENCE_S):
        while "\n" not in (await process.collect()).stdout:
            assert not process.exited.done(), await process.collect()
            await asyncio.sleep(0.01)


async def excess(process: HostedProcess) -> tuple[str, str]:
    """For what a process was ended."""
    assert await process.wait(PATIENCE_S), "nobody ended it"
    assert process.exceeded is not None, await process.collect()
    return process.exceeded.what, process.exceeded.sentence
