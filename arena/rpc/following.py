"""Follows what a service streams across broken connections: what has arrived is not asked for again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from arena.model.errors import FellBehindError
from arena.rpc.errors import UnreachableError

T = TypeVar("T")
P = TypeVar("P")

_PAUSES_S = (0.2, 1.0, 3.0)
"""How long to wait before each attempt to go on; whatever arrives lets them begin anew."""


def follow(begin: Callable[[P], Iterator[T]], place_of: Callable[[T], P], after: P) -> Iterator[T]:
    """Yield what `begin` yields after a place, and go on behind the last item when the stream breaks.

    Raises UnreachableError if the service cannot be reached any more, and whatever else ends the stream.
    """
    failures = 0
    while True:
        try:
            for item in begin(after):
                failures, after = 0, place_of(item)
                yield item
            return
        except (FellBehindError, UnreachableError):
            if failures == len(_PAUSES_S):
                raise
            time.sleep(_PAUSES_S[failures])
            failures += 1
