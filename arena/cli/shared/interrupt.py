"""What Ctrl-C does to a run: the first one ends it in good order, the second one at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import typer

from arena.cli.shared.ending import ending_signals
from arena.cli.shared.errors import INTERRUPTED, CliError
from arena.cli.shared.saying import say

T = TypeVar("T")


class InterruptedRunError(CliError):
    """The user stopped a run; what was finished is recorded."""

    exit_code = INTERRUPTED


def run_interruptibly(work: Coroutine[Any, Any, T], remedy: str) -> T:
    """Return the result of `work`, or cancel it and raise InterruptedRunError with `remedy`.

    Ctrl-C, SIGTERM and the closing of the terminal cancel it, the last unless this process was told to pass it over,
    as by nohup. A second signal ends this process on the spot. That loses nothing: each result is recorded in one
    transaction, the workers end when their pipe to this process closes, as they do when it is killed, and the next run
    sweeps away what lies in the temporary directory.
    """
    return asyncio.run(_supervise(work, remedy))


async def _supervise(work: Coroutine[Any, Any, T], remedy: str) -> T:
    task = asyncio.ensure_future(work)
    signals = 0

    def interrupt() -> None:
        nonlocal signals
        signals += 1
        if signals == 1:
            task.cancel()
            _say("\n" + say("cli_shared.stopping"))
        else:
            _say(f"arena: ended at once; {remedy}")
            os._exit(INTERRUPTED)

    loop = asyncio.get_running_loop()
    for number in ending_signals():
        loop.add_signal_handler(number, interrupt)
    try:
        return await task
    except asyncio.CancelledError:
        raise InterruptedRunError(f"stopped; {remedy}") from None


def _say(text: str) -> None:
    with suppress(OSError):  # the terminal may be what is gone
        typer.echo(text, err=True)
