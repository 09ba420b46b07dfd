"""Admissions: the checks that a version must pass before it plays rated matches."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ratings.values.states import AdmissionState


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
