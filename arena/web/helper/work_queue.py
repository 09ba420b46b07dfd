"""Has a helper do one thing after another, while whoever wants it goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Final

from arena.web.helper.process import HelperProcess

Work = Callable[[HelperProcess], None]
"""Uses the helper, and keeps its errors to itself."""
_MOST_WAITING: Final = 40


class WorkQueue:
    """A thread that hands work to a helper, in the order in which it came. The thread begins with the first."""

    def __init__(self, helper: HelperProcess, name: str) -> None:
        self._helper, self._name = helper, name
        self._waiting: queue.Queue[Work | None] = queue.Queue(_MOST_WAITING)
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, work: Work) -> bool:
        """Have something done; false, and it is not done, if too much waits already."""
        try:
            self._waiting.put_nowait(work)
        except queue.Full:
            return False
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        return True

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            work(self._helper)
