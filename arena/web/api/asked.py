"""What requests may ask, as it stands in the OpenAPI: names, limits, cursors; and how errors are answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Path, Query

from arena.web.middleware.errors import PREFIX as PREFIX
from ratings.values.page import DEFAULT_LIMIT, MOST_LIMIT

_LONGEST_NAME = 200
_LONGEST_CURSOR = 2000
_MOST_PLIES = 2**31 - 1

Limit = Annotated[int, Query(ge=1, le=MOST_LIMIT, description="How many items at most.")]
After = Annotated[
    str | None, Query(max_length=_LONGEST_CURSOR, description="Where to go on: `next` of the page before.")
]
Plies = Annotated[int | None, Query(ge=0, le=_MOST_PLIES, description="A number of plies.")]
Name = Annotated[str | None, Query(max_length=_LONGEST_NAME)]
BotPath = Annotated[
    str, Path(max_length=_LONGEST_NAME, description="`name`, `owner/name`, or either with `@` and a hash.")
]
TournamentPath = Annotated[str, Path(max_length=_LONGEST_NAME, description="Its name or its id.")]
MatchPath = Annotated[str, Path(max_length=_LONGEST_NAME, description="Its id, or a beginning or end of it.")]
PoolPath = Annotated[str, Path(max_length=_LONGEST_NAME, description="Its id, or a beginning of it.")]
USUAL: Final = DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with a request."""

    status: int
    message: str
    """One line, with the remedy where there is one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The answer to a request that cannot be answered otherwise."""

    error: Wrong


ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": {"model": Problem, "description": "What was asked for cannot be shown; `message` says why."},
    "503": {"model": Problem, "description": "The arena cannot answer now."},
}
"""What every call may answer besides what it is asked for."""
