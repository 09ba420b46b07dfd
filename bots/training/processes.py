"""Processes that share work: several calls of one function at a time, with results in the order of the calls.

Each begins as a Python of its own. A copy of this process would also copy locks that its threads hold at that moment,
gRPC's among them, and wait for ever at the first of them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Processes(ProcessPoolExecutor):
    """So many processes. They hear no Ctrl-C, since whoever asks ends them, and they end with the process that asks.

    Functions, arguments and results are pickled; a function is found again by its module and name. A process that dies
    raises BrokenProcessPool where results are waited for.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number, multiprocessing.get_context("spawn"), initializer=_end_with_the_asking)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a process call the function. Raises BrokenProcessPool if one has died."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a process that starts here inherits it
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_the_asking() -> None:
    """Have this process end when the one that started it is gone, however it went."""

    def wait() -> None:
        asking = multiprocessing.parent_process()
        assert asking is not None
        asking.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
