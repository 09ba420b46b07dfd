"""Takes the passwords of databases off the command line of this process, which everybody on the machine can read."""

from __future__ import annotations

import os
import re
import sys

from ratings.store.urls import keep_password

_URL = re.compile(r"postgres[\w+]*://", re.IGNORECASE)


def hide_passwords() -> None:
    """Begin this program anew without them, if there are any; the driver finds them in the environment."""
    words = [_without(word) for word in sys.orig_argv]
    if words != sys.orig_argv:
        os.execv(sys.executable, [sys.executable, *words[1:]])  # by its path, from which it knows its packages


def _without(word: str) -> str:
    """Return a word of a command line, such as `--db=URL`, without the password in it."""
    found = _URL.search(word)
    return word if found is None else word[: found.start()] + keep_password(word[found.start() :])
