"""Processes of ours that tests hold as the coordinator does."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import Any

from arena.executor.child import ChildProcess
from tests.support.patience import PATIENCE_S


def child_of(program: str, handle: Callable[[Mapping[str, Any], bytes], None] = lambda *_: None) -> ChildProcess:
    return ChildProcess(lambda: [sys.executable, "-I", "-S", "-c", program], handle, lambda: None)


async def run(child: ChildProcess) -> tuple[bool, int | None]:
    async with asyncio.timeout(PATIENCE_S):
        return await child.run()
