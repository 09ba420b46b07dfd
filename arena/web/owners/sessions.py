"""Who has signed in: a token by a random number that a cookie holds, in the memory of this process alone."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

LIVES_S = 12 * 3600.0
MOST = 10_000
"""Of more sessions those that were opened first are forgotten."""


@dataclass(frozen=True, slots=True)
class OwnerSession:
    """Somebody who has signed in."""

    key: str = field(repr=False)
    token: str = field(repr=False)
    who: str
    """The owner, or the name of the token of an organiser."""
    proof: str = field(repr=False)
    """What every form holds: another site cannot know it, and so cannot send one."""
    ends_s: float

    def is_proof(self, text: str) -> bool:
        """Return whether a form came from a page of this session."""
        return hmac.compare_digest(text.encode(errors="replace"), self.proof.encode())


class SessionStore:
    """The sessions of a site. Safe for threads, for each step is one of a dictionary."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: OrderedDict[str, OwnerSession] = OrderedDict()

    def open(self, token: str, who: str) -> OwnerSession:
        """Return a new session."""
        key, proof = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
        session = self._found[key] = OwnerSession(key, token, who, proof, self._clock() + LIVES_S)
        while len(self._found) > MOST:
            self._found.popitem(last=False)
        return session

    def find(self, key: str | None) -> OwnerSession | None:
        """Return the session of a cookie, if it goes on."""
        found = self._found.get(key or "")
        if found is not None and found.ends_s < self._clock():
            self.close(found.key)
            return None
        return found

    def close(self, key: str) -> None:
        """Forget a session."""
        self._found.pop(key, None)
