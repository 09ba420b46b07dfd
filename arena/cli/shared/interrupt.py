"""What Ctrl-C does to a run: the first one ends it in good order, the second one at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

import typer

from arena.cli.shared.errors import INTERRUPTED, CliError

T = TypeVar("T")


class InterruptedRunError(CliError):
    """The user stopped a run; what was finished is recorded."""

    exit_code = INTERRUPTED


def run_interruptibly(work: Coroutine[Any, Any, T], remedy: str) -> T:
    """Return the result of `work`, or cancel it on Ctrl-C or SIGTERM and raise InterruptedRunError with `remedy`.

    A second signal ends this process on the spot. That loses nothing: each result is recorded in one transaction, and
    the workers end when their pipe to this process closes, as they do when it is killed.
    """
    return asyncio.run(_supervise(work, remedy))


async def _supervise(work: Coroutine[Any, Any, T], remedy: str) -> T:
    task = asyncio.ensure_future(work)
    signals = 0

    def interrupt() -> None:
        nonlocal signals
        signals += 1
        if signals == 1:
            typer.echo("\nstopping; Ctrl-C again ends at once", err=True)
            task.cancel()
        else:
            typer.echo(f"arena: ended at once; {remedy}", err=True)
            os._exit(INTERRUPTED)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        return await task
    except asyncio.CancelledError:
        raise InterruptedRunError(f"stopped; {remedy}") from None
