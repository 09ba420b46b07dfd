"""Tells what a format says of an entrant of a tournament, such as `out in round 3`; it says so in English."""

from __future__ import annotations

import re
from typing import Final

from arena.i18n.catalogue import Words

_STATUSES: Final = (
    (re.compile(r"out in round (\d+)"), "tournament.out_in_round"),
    (re.compile(r"in, (\d+) lost"), "tournament.in_lost"),
    (re.compile(r"(\d+) byes?"), "tournament.byes"),
    (re.compile(r"in"), "tournament.still_in"),
    (re.compile(r"winner"), "tournament.winner"),
    (re.compile(r"withdrawn"), "tournament.withdrawn"),
    (re.compile(r"keeps failing"), "tournament.keeps_failing"),
    (re.compile(r"challenger"), "tournament.challenger"),
)


def status_words(status: str, words: Words) -> str:
    """Return what a format says of an entrant in a language; figures stay as they are."""
    for pattern, text_id in _STATUSES:
        if (found := pattern.fullmatch(status)) is not None:
            return words.say(text_id, count=int(found[1])) if found.groups() else words.say(text_id)
    return status
