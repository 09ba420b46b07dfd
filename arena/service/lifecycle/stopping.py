"""What signals do to a service: the first one stops it in good order, the second one at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from engine.text import Text

AT_ONCE = 130
_STOPPING_TEXT = Text(
    "service.stopping_running_matches_may_end", "stopping: running matches may end; a second signal ends at once"
)
_AT_ONCE_TEXT = Text("service.ended_once_next_start_goes", "ended at once; the next start goes on where this one was")


@contextmanager
def stop_signals(say: Callable[[str], None]) -> Iterator[asyncio.Event]:
    """Yield an event that the first signal sets; the second one ends this process on the spot.

    Signals are Ctrl-C, SIGTERM, and that the terminal was closed, unless this process was told to pass that over, as by
    nohup. A closed terminal may tell so more than once, which ends nothing on the spot.

    That loses nothing: each result is recorded in one transaction, and workers end when their pipe to this process
    closes, as they do when it is killed.
    """
    wanted = asyncio.Event()

    def stop(number: signal.Signals) -> None:
        is_second = wanted.is_set()
        if is_second and number is signal.SIGHUP:
            return
        wanted.set()
        with suppress(OSError):  # the terminal may be gone, and whoever closed it with it
            say(_AT_ONCE_TEXT if is_second else _STOPPING_TEXT)
        if is_second:
            os._exit(AT_ONCE)

    loop = asyncio.get_running_loop()
    numbers = _ending_signals()
    for number in numbers:
        loop.add_signal_handler(number, stop, number)
    try:
        yield wanted
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _ending_signals() -> list[signal.Signals]:
    always = [signal.SIGINT, signal.SIGTERM]
    return always if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [*always, signal.SIGHUP]
