"""Leaves to the end of the process what gRPC cannot free while the other side of a connection stands still.

gRPC closes a connection when its last bytes are taken, and frees a server when its connections are closed; a program
that is stopped, or never reads, takes none. Whoever frees the server's objects before waits there, for ever.
"""

from __future__ import annotations

import ctypes

BROKEN_OFF_S = 2.0
"""How long a server may take to end when its calls are broken off."""


def leave(*objects: object) -> None:
    """Have Python never free these objects, not at its own end either."""
    for one in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))
