"""The enumerations of the tables: states, verdicts, scopes, kinds of events; and the stages of long work on them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TypeAlias


class MatchState(enum.StrEnum):
    """The life of a match: planned, then leased, then finished or void; a lost lease leads back to planned."""

    PLANNED = "planned"
    LEASED = "leased"
    FINISHED = "finished"
    VOID = "void"


class AttemptState(enum.StrEnum):
    """The life of an attempt at a match."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    """The host failed, which counts against the match."""
    EXPIRED = "expired"
    """The lease ran out, which counts against the match."""
    RELEASED = "released"
    """The match was given back, which does not count against it: in good order, or with a cause by a sick host."""


class RatingVerdict(enum.StrEnum):
    """Whether a match of a rated tournament changed ratings, and if not, why."""

    RATED = "rated"
    VOID = "void"
    VOID_BLOCK = "void_block"
    """Another match of its block is void or unrated, and seats are only fair in whole blocks."""
    UNRATED = "unrated"
    """The result says that it is not to be rated: every seat faulted before any acted."""
    SAME_OWNER = "same_owner"
    """Two of its bots belong to one registered owner."""
    ANNULLED = "annulled"
    """The organiser annulled it, another match of its block, or everything that one of its versions played."""


class Scope(enum.StrEnum):
    """What the holder of a token may do; each scope but `player` includes those after it."""

    ORGANISER = "organiser"
    COMPETITOR = "competitor"
    VIEWER = "viewer"
    PLAYER = "player"
    """May play, and nothing else: for a rented machine."""


class AdmissionState(enum.StrEnum):
    """The life of an admission: queued, then running, then admitted or refused."""

    QUEUED = "queued"
    RUNNING = "running"
    ADMITTED = "admitted"
    REFUSED = "refused"
    """The bot is at fault; the report says why."""
    WITHDRAWN = "withdrawn"
    """Its owner withdrew the version, or it was replaced, before it was looked at."""


class BotEventKind(enum.StrEnum):
    """What can happen to a bot and its versions."""

    SUBMITTED = "submitted"
    ADMITTED = "admitted"
    REFUSED = "refused"
    PROMOTED = "promoted"
    NOT_PROMOTED = "not_promoted"
    WITHDRAWN = "withdrawn"
    ROLLED_BACK = "rolled_back"
    DISABLED = "disabled"
    ENABLED = "enabled"
    ANNULLED = "annulled"


class RemovalKind(enum.StrEnum):
    """What can be removed by age and size."""

    LOGS = "logs"
    """What bots wrote during their matches."""
    REPLAYS = "replays"
    ARCHIVES = "archives"
    """The files of versions that were withdrawn or refused."""


class Fared(enum.StrEnum):
    """How a bot came out of a match."""

    WON = "won"
    """It was first alone."""
    SHARED = "shared"
    """It shared the first rank, with all others or with some."""
    LOST = "lost"
    """It ended with another rank."""


class WorkStage(enum.StrEnum):
    """What a check of the book looks at, in this order; an import, of the file first; and a copy, of both databases."""

    LINES = "lines"
    REPLAYS = "replays"
    PAGES = "pages"
    FACTS = "facts"
    FILES = "files"
    TALLIES = "tallies"
    RATINGS = "ratings"
    MEMORIES = "memories"
    COPYING = "copying"
    COMPARING = "comparing"


OnWorkProgress: TypeAlias = Callable[[WorkStage, int, int], None]
"""Is called with the stage, and how much of how much of it is done: 0 of 0 where that is not counted."""


def no_progress(stage: WorkStage, done: int, total: int) -> None:
    """Tell nobody how far it is."""
