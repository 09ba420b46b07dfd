"""Does again what must be written, while another process writes and while a server does not answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from arena.tournament.playing import Keep
from ratings.errors import DatabaseBusyError, DatabaseLostError

_PAUSE_S, _LOST_PAUSE_S = 0.05, 0.5
"""For others to write in, and for a server to come back in."""
_Written = TypeVar("_Written")


class RetryingWriter:
    """Does one transaction after another, each again until it is done or patience ends."""

    def __init__(
        self,
        keep: Keep,
        mend: Callable[[], None],
        on_wait: Callable[[float, bool], None],
        patience_s: float,
    ) -> None:
        """`keep` looks after the lock of whoever writes, before each transaction.

        After one that failed, of which a server may have done all or nothing, `mend` is called before the next. While
        it waits, `on_wait` is told for how many seconds it has, and whether a server does not answer.
        """
        self._keep = keep
        self._mend = mend
        self._on_wait = on_wait
        self.patience_s = patience_s
        """How long it waits for one transaction to be done."""
        self._is_cut = False

    async def write(self, act: Callable[[], _Written]) -> _Written:
        """Do a transaction. Raises DatabaseBusyError, DatabaseLostError; AlreadyRunningError if the lock was lost."""
        since_s = time.monotonic()
        while True:
            try:
                if self._is_cut:
                    await asyncio.to_thread(self._keep)  # to a machine that is gone, it tries to connect for a while
                    self._mend()
                    self._is_cut = False
                else:
                    self._keep()
                return act()
            except (DatabaseBusyError, DatabaseLostError) as error:
                self._is_cut = True
                is_lost = isinstance(error, DatabaseLostError)
                waited_s = time.monotonic() - since_s
                if waited_s >= self.patience_s:
                    raise
            self._on_wait(waited_s, is_lost)
            await asyncio.sleep(_LOST_PAUSE_S if is_lost else _PAUSE_S)
