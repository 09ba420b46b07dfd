"""What all deeds share: their shape, how they tell what came of them, and what keeps them from harming this host."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Aims = Mapping[str, str]
Outcome = dict[str, str]
Deed = Callable[[Aims], Outcome]
DONE = "done"


def attempt(action: Callable[[], Any]) -> str:
    """`done`, or the name of the error."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    except MemoryError:
        return "MemoryError"
    return DONE


def must_be_confined(aims: Aims) -> None:
    """End the bot unless it has its own process ids; the aim `host` is the name of the host's pid namespace."""
    if aims.get("host") == own_namespace():
        os._exit(9)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    if "host" not in aims or "Seccomp:\t2" not in status:
        os._exit(9)


def own_namespace() -> str:
    """The name of the pid namespace of this process."""
    return str(Path("/proc/self/ns/pid").readlink())
