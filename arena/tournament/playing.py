"""Who plays a tournament now: a command or a service that lives, and not one that left its leases behind."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from arena.tournament.lock import Holder, holder_of, home_lock, lock_path
from ratings.read.leases import Lease, newest_lease
from ratings.store.database import Database


def lock_of(database: Database, programs: Path, tournament_id: str) -> Path:
    """Return the path of a tournament's lock: beside the database's file, or of one elsewhere beside the programs."""
    return lock_path((database.path or programs).resolve(), tournament_id)


def player_of(database: Database, programs: Path, tournament_id: str) -> Holder | None:
    """Return who plays a tournament that is not over, or `None` if nobody does.

    On this machine the locks tell, which no dead process holds. To a database elsewhere others may write whose locks
    are not seen here: of those a lease tells until it runs out, and of a process of this machine while it lives.
    """
    found = holder_of(lock_of(database, programs, tournament_id))
    if found is not None or database.path is not None:
        return found
    lease = newest_lease(database, tournament_id)
    return None if lease is None else _holder(lease)


def service_of(database: Database) -> Holder | None:
    """Return the service that runs on the home in which a database lies: it plays all that is not over, in its time."""
    return None if database.path is None else holder_of(home_lock(database.path.resolve()))


def players_beside(database: Database) -> frozenset[Holder]:
    """Return who plays on this machine what lies in a database, be it one tournament or all; costs nearly nothing."""
    if database.path is None:
        return frozenset()
    path = database.path.resolve()
    locks = [*path.parent.glob(f"{path.name}-*.lock"), home_lock(path)]
    return frozenset(found for lock in locks if (found := holder_of(lock)) is not None)


def _holder(lease: Lease) -> Holder | None:
    host, _, pid = lease.worker.rpartition(":")
    number = int(pid) if pid.isdecimal() else None
    is_gone = lease.deadline_us <= time.time() * 1e6 or (host == platform.node() and not _lives(number))
    return None if is_gone else Holder(number, host, lease.since_us)


def _lives(pid: int | None) -> bool:
    try:
        os.kill(pid or 0, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return pid is not None
