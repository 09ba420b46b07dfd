"""How long tests wait: always for an event, and far longer than the busiest machine needs for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

from arena.match.time_control import TimeControl, parse_time_control

PATIENCE_S = 300.0
"""Nothing waits that long when all is well. pytest's own limit for a test is longer, so what was waited for is told."""
_PATIENCE_US = int(PATIENCE_S * 1_000_000)
PATIENT = TimeControl(decision_limit_us=_PATIENCE_US, start_limit_us=_PATIENCE_US)
ANY_START = ("--start-limit", f"{PATIENCE_S:g}s")
"""For the command line: a bot may take as long to start as a busy machine needs."""
ANY_TIME = ("--time", f"{PATIENCE_S:g}s", *ANY_START)
"""For the command line: no honest bot is too late for anything."""


def any_start(clock: str) -> TimeControl:
    """Return the time control of that text, with as long to start as a busy machine needs."""
    return replace(parse_time_control(clock), start_limit_us=_PATIENCE_US)


async def until(condition: Callable[[], bool]) -> None:
    """Let the event loop go on until something is so."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.005)


@contextmanager
def patient_starts() -> Iterator[None]:
    """While this is open, hosts in this process give up no start only because this machine is busy all the while."""
    with mock.patch("arena.worker.starter.BOUND_S", PATIENCE_S):
        yield


@contextmanager
def patient_endings() -> Iterator[None]:
    """While this is open, this process kills nothing that ends in order only because that takes long."""
    with (
        mock.patch("arena.executor.worker_pool.STOP_GRACE_S", PATIENCE_S),
        mock.patch("arena.executor.child_handle.END_GRACE_S", PATIENCE_S),
        mock.patch("arena.hosting.launcher.client.END_GRACE_S", PATIENCE_S),
    ):
        yield


@contextmanager
def patient_autopsies() -> Iterator[None]:
    """While this is open, hosts in this process wait for a bot that is ending, so that how it ended is evidence."""
    with mock.patch("arena.worker.starter.LEAVE_GRACE_S", PATIENCE_S):
        yield
