"""The clock of a build: it runs while the build computes or sleeps, and stands while it waits for a processor."""

from __future__ import annotations

import time

from arena.hosting.builder.outcome import LONGEST_FACTOR
from arena.hosting.launcher.client import HostedProcess
from arena.hosting.procfs.meter import TreeMeter

_LOOK_S = 0.2


async def wait_for_build(process: HostedProcess, limit_s: float) -> bool:
    """Return whether a build has ended within its time, that in which it waited for a processor not counted.

    On a machine that does not tell how long processes wait, all time counts. Raises LauncherLostError.
    """
    meter = TreeMeter(process.pid)
    meter.begin()
    try:
        return await _wait(process, meter, limit_s)
    finally:
        meter.close()


async def _wait(process: HostedProcess, meter: TreeMeter, limit_s: float) -> bool:
    begun, waited_s = time.monotonic(), 0.0
    while True:
        took_s = time.monotonic() - begun
        left_s = min(limit_s - (took_s - waited_s), limit_s * LONGEST_FACTOR - took_s)
        if await process.wait(min(left_s, _LOOK_S)):
            return True
        if left_s <= 0:
            return False
        found = meter.look()
        waited_s = waited_s if found is None else found[1] / 1e6
