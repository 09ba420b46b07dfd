"""Keeps the password of a database out of whatever may be shown: it goes to the driver by the environment."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

VARIABLE = "PGPASSWORD"
_PASSWORD = re.compile(r"(?P<before>postgres(ql)?[^:/]*://[^:/@?]*):(?P<password>[^/?]*)(?P<after>@.*)")


def without_password(url: str) -> str:
    """Return a place as it may be shown: the URL of a database without its password."""
    parts = _PASSWORD.match(url)
    return url if parts is None else f"{parts['before']}{parts['after']}"


def keep_password(url: str) -> str:
    """Return the URL of a database without its password, which is kept where the driver looks for one.

    So no message, suggestion or command line of a process that this one starts can show it.
    """
    if (parts := _PASSWORD.match(url)) is not None:
        os.environ[VARIABLE] = unquote(parts["password"])
    return without_password(url)
