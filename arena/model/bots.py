"""Bots and their versions: uploads, admissions, runtimes, and what happened to them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ratings.values.pools import games_of
from ratings.values.states import AdmissionState, BotEventKind


@dataclass(frozen=True, slots=True)
class BotSummary:
    """A bot in a list, with its newest version."""

    name: str
    """`owner/name`, or a plain name for a bot of the organiser."""
    owner: str | None
    versions: int
    content_hash: str
    """That of the newest version."""
    games: tuple[str, ...]
    disabled_at_us: int | None = None
    remote: bool = False
    """Whether its author runs it elsewhere."""
    named: str | None = None
    """What the author of a remote bot calls the newest version; a hosted one has no such word."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """One immutable version of a bot."""

    version_id: str
    number: int
    content_hash: str
    manifest: Mapping[str, Any]
    created_at_us: int
    directory: str | None = None
    """Where its files lie; `None` for whoever is not on that machine."""
    message: str = ""
    """What its author says has changed."""
    predecessor: int | None = None
    """The number of the version that it is meant to replace."""
    withdrawn_at_us: int | None = None

    @property
    def games(self) -> tuple[str, ...]:
        """Return the games that it plays."""
        return games_of(self.manifest)


@dataclass(frozen=True, slots=True)
class BotDetail:
    """A bot with its newest version."""

    name: str
    owner: str | None
    disabled_at_us: int | None
    newest: BotVersion
    versions: int = 1
    """How many it has."""
    active: int | None = None
    """The number of the version that plays on ladders."""
    remote: bool = False
    """Whether its author runs it elsewhere; such a bot has no files here, and needs no admission."""


@dataclass(frozen=True, slots=True)
class NamedVersion:
    """The version that a text such as `name` or `name@hash` means."""

    bot: str
    version_id: str
    number: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class RemovedBot:
    """What came of taking a bot, or one of its versions, away."""

    bot: str
    versions: int
    """How many of its versions are gone."""
    is_whole: bool
    """Whether the bot itself is gone."""


@dataclass(frozen=True, slots=True)
class AddedBot:
    """What came of adding the files of a bot to the database on this machine."""

    bot: str
    version_id: str
    number: int
    content_hash: str
    manifest: Mapping[str, Any]
    created_at_us: int
    new: bool
    """False if the same files had been added before."""


@dataclass(frozen=True, slots=True)
class BuildLog:
    """What the build command of a version said when it was last run, also if it failed."""

    bot: str
    version: int
    """The number of the version."""
    content_hash: str
    runtime: str
    """The hash of the runtime in which it was built."""
    built_at_us: int
    text: str


@dataclass(frozen=True, slots=True)
class BotEvent:
    """What happened to a bot; `number` counts from 0 within the bot."""

    number: int
    kind: BotEventKind
    at_us: int
    actor: str
    """Who did it: the name of an owner, `operator`, or `arena` for what the service did by itself."""
    message: str = ""
    version: int | None = None
    """The number of the version that it is about, if it is about one."""
    content_hash: str | None = None


class FindingState(enum.StrEnum):
    """What came of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOTED = "noted"
    """Worth knowing, but no reason to refuse."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found, in words that the author can act on."""

    check: str
    state: FindingState
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Admission:
    """One admission of one version."""

    id: str
    bot: str
    version: int
    """The number of the version."""
    content_hash: str
    state: AdmissionState
    requested_at_us: int
    started_at_us: int | None = None
    ended_at_us: int | None = None
    findings: tuple[Finding, ...] = ()
    """Those so far, in the order of the checks; none for whoever is neither the owner nor an organiser."""
    summary: str | None = None
    """The verdict in one sentence."""


@dataclass(frozen=True, slots=True)
class UploadTicket:
    """An upload that may begin, or go on where it broke off."""

    upload: str
    """Its id."""
    turn: int
    """Another number whenever it is begun: whoever began it last may send, and nobody else."""
    offset: int
    """How many bytes of the archive the service has."""
    size_bytes: int
    chunk_bytes: int
    """How many bytes of the archive one message may carry at most, before they are compressed."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A version that was submitted."""

    bot: str
    number: int
    """The number of the version."""
    version_id: str
    content_hash: str
    new: bool
    """False if the same files had been submitted before."""
    admission: Admission | None = None
    """The checks that it must pass; `None` if it passed them before."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a runtime consists of, by the hash of its content."""

    name: str
    kind: str
    hash: str
    """Empty if it does not work."""
    contents: Mapping[str, Any]
    """The versions of the program and of the packages in it: `version`, `packages`; or the `problem`, if it has one."""
    seen_at_us: int | None = None
    """When it was first used; `None` if no match was played in it yet."""
