"""URLs of databases: without passwords, which go to the driver by the environment, and the options they may set."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, unquote_plus

VARIABLE = "PGPASSWORD"
# Everything to the last `@` with no `/` or `?` before it, or else to the first: a password may have all of them.
_PASSWORD = re.compile(
    r"(?P<before>postgres[\w+]*://[^:/@?]*):(?P<password>[^/?]*(?=@)|[^@]*)(?P<after>@.*)", re.DOTALL | re.IGNORECASE
)
_IN_QUERY = re.compile(r"(?P<sign>[?&])password=(?P<password>[^&]*)(?P<next>&?)")
TOLD_MS = "arena_told_ms"
"""How many milliseconds its URL says, if it says so."""
BRIEF_MS = "arena_brief_ms"
"""How many milliseconds at most, for whoever would rather ask again."""


def without_password(url: str) -> str:
    """Return a place as it may be shown: the URL of a database without its password."""
    return _divide(url)[0]


def keep_password(url: str) -> str:
    """Return the URL of a database without its password, which is kept where the driver looks for one.

    So no message, suggestion or command line of a process that this one starts can show it.
    """
    shown, password = _divide(url)
    if password:
        os.environ[VARIABLE] = password
    return shown


def _divide(url: str) -> tuple[str, str | None]:
    """Return a URL without its password, and the password, or `None` if there is none."""
    if not url.lower().startswith("postgres"):
        return url, None
    password = None
    if (parts := _PASSWORD.match(url)) is not None:
        url, password = f"{parts['before']}{parts['after']}", unquote(parts["password"])
    while (said := _IN_QUERY.search(url)) is not None:
        password = unquote_plus(said["password"])
        kept = said["sign"] if said["next"] else ""
        url = f"{url[: said.start()]}{kept}{url[said.end() :]}"
    return url, password
