"""What the log says of bots that may not join: a line at once, and of those that try again and again one a minute."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from arena.match.messages import JoinRequest
from arena.service.logs import Logger
from arena.service.remote.join_policy import JoinRefusal
from arena.service.server.authentication import address_of

WINDOW_S = 60.0
MOST_KINDS = 1000
"""How many kinds of refusals are told apart within a window; those beyond are only counted."""
_SHOWN = 80
_OF_STRANGERS = frozenset({"TOKEN_UNKNOWN", "TOO_MANY_LOGINS"})
"""The reasons for which nobody knows whose token it is: a stranger may show another one each time."""

_Kind = tuple[str, str]


class RefusalLog:
    """Writes a refusal of each kind once within a window, and at its end how many more there were.

    Of one kind are those with the same reason and token, or of strangers the same reason and address.
    """

    def __init__(self, log: Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._since = clock()
        self._told: dict[_Kind, str] = {}
        """The name of the bot that was told of, by kind."""
        self._repeated: dict[_Kind, int] = {}

    def note(self, request: JoinRequest, refusal: JoinRefusal) -> None:
        """Write that a bot was refused, or count it if one of its kind was written of within the window."""
        self.end_window_if_over()
        kind = _kind_of(request, refusal)
        if kind not in self._told and len(self._told) < MOST_KINDS:
            self._told[kind] = request.name[:_SHOWN]
            self._log.info("remote bot refused", bot=self._told[kind], why=refusal.message)
            return
        if kind not in self._told:
            kind = (refusal.reason, "")
        self._repeated[kind] = self._repeated.get(kind, 0) + 1

    def end_window_if_over(self) -> None:
        """Write how many more were refused in a window that is over."""
        if self._clock() < self._since + WINDOW_S:
            return
        for kind, times in self._repeated.items():
            bot = self._told.get(kind, "many")
            self._log.info("remote bot refused again", bot=bot, reason=kind[0], times=times)
        self._since = self._clock()
        self._told.clear()
        self._repeated.clear()


def _kind_of(request: JoinRequest, refusal: JoinRefusal) -> _Kind:
    if refusal.reason in _OF_STRANGERS:
        return refusal.reason, address_of(request.peer) or ""
    return refusal.reason, hashlib.sha256(request.token.encode(errors="replace")).hexdigest()
