"""What is said where another of the services that share a database takes remote bots and people. No I/O."""

from __future__ import annotations

from collections.abc import Callable

from arena.service.remote.join_policy import JoinRefusal
from engine.text import Text
from ratings.values.tournaments import LockHolder

ELSEWHERE = "ELSEWHERE"
FindOtherService = Callable[[], LockHolder | None]
"""Returns the other service that takes them now, or None if this one does."""


def no_other_service() -> None:
    """Return that this service takes them: of a database that is a file there is no other."""


def bot_refusal(holder: LockHolder) -> JoinRefusal:
    """Return what a bot is told, which may try again: the other service may end."""
    pid = "another" if holder.pid is None else str(holder.pid)
    host = holder.host or "another machine"
    return JoinRefusal(
        "UNAVAILABLE",
        ELSEWHERE,
        Text(
            "service.process_takes_remote_bots_people",
            "process {pid} on {host} takes remote bots and people for this arena; connect to that service, or "
            "wait until it has ended: this one takes them then, and needs no restart",
            pid=pid,
            host=host,
        ),
    )


def person_refusal() -> JoinRefusal:
    """Return what a person is told, who does not wait for that, and need not know on which machine it is."""
    return JoinRefusal(
        "FAILED_PRECONDITION",
        ELSEWHERE,
        Text(
            "service.another_service_arena_takes_people",
            "another service of this arena takes people now; play on its pages, or try again when it has ended: "
            "this one takes them then, and needs no restart",
        ),
    )
