"""What signals do to a service: the first one stops it in good order, the second one at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

AT_ONCE = 130
_STOPPING_TEXT = "stopping: running matches may end; a second signal ends at once"
_AT_ONCE_TEXT = "ended at once; the next start goes on where this one was"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_signals(say: Callable[[str], None]) -> Iterator[asyncio.Event]:
    """Yield an event that the first signal sets; the second one ends this process on the spot.

    That loses nothing: each result is recorded in one transaction, and workers end when their pipe to this process
    closes, as they do when it is killed.
    """
    wanted = asyncio.Event()

    def stop() -> None:
        is_second = wanted.is_set()
        wanted.set()
        with suppress(OSError):  # the terminal may be gone, and whoever closed it with it
            say(_AT_ONCE_TEXT if is_second else _STOPPING_TEXT)
        if is_second:
            os._exit(AT_ONCE)

    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop)
    try:
        yield wanted
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
