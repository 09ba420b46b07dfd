"""Does something as an ordinary user does it, also where the tests run as root."""

from __future__ import annotations

import os
from collections.abc import Callable

NOBODY = 65534


def as_ordinary_user(action: Callable[[], str]) -> str:
    """What an action returns that is done in a child without the rights of root."""
    ours, its = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            os.write(its, action().encode())
        except BaseException as error:
            os.write(its, repr(error).encode())
        finally:
            os._exit(0)
    os.close(its)
    os.waitpid(child, 0)
    with os.fdopen(ours, "rb") as read:
        return read.read().decode()
