"""What a program that asks the API is told to do about an error: addresses, where people are told commands. Pure."""

from __future__ import annotations

import re
from typing import Final

from arena.i18n.catalogue import words

PREFIX: Final = "/api/v1"
DOCUMENT: Final = f"{PREFIX}/openapi.json"
_LISTS: Final = ("bots", "comparisons", "games", "ladders", "leaderboards", "matches", "tournaments")
"""What can be listed by an address of its name; pools are what leaderboards list."""
_LISTED_ELSEWHERE: Final = {"pools": "leaderboards"}
_COMMAND: Final = re.compile(r"\s*[;:][^;]*?\barena(?: --server NAME)? [a-z]+.*$", re.DOTALL)
"""The part of a sentence, in any language, that tells a command of the command line."""


def no_call(language: str) -> str:
    """Return what is said of an address under which there is no call."""
    return words(language).say("error.no_call", address=DOCUMENT)


def for_programs(told: str, path: str, language: str) -> str:
    """Return a sentence with the address that lists what is meant instead of a command; others as they are."""
    what = path.removeprefix(PREFIX).strip("/").partition("/")[0]
    what = _LISTED_ELSEWHERE.get(what, what)
    if what not in _LISTS or not (cut := _COMMAND.sub("", told)) or cut == told:
        return told
    return f"{cut}; {words(language).say('error.lists_all', address=f'{PREFIX}/{what}')}"
