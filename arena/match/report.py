"""What comes back from playing a match: plain data that survives JSON, so that it can cross processes."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.match.result import MatchResult
from arena.match.spec import NO_SANDBOX


class LeakVerdict(enum.StrEnum):
    """What fresh processes of a bot said to the questions that a used one had answered."""

    EQUAL = "equal"
    """The same answers: nothing leaked from earlier matches."""
    LEAK = "leak"
    """The same answers as each other, but not those of the used process: it remembered something."""
    UNSTABLE = "unstable"
    """Different answers even among themselves: the bot is not deterministic, whatever it declares."""
    UNKNOWN = "unknown"
    """No verdict: a fresh process did not start, or did not answer."""


@dataclass(frozen=True, slots=True)
class LeakCheck:
    """How the answers of one seat compare with those of fresh processes of the same bot."""

    seat: int
    verdict: LeakVerdict
    ply: int | None
    """The first decision that was answered differently; None if there is none."""
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """What was answered there: `used` by the used process, `fresh` by each of the fresh ones."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LeakCheck:
        """Return the check that `MatchReport.to_json` wrote."""
        return cls(**{**data, "verdict": LeakVerdict(data["verdict"])})


@dataclass(frozen=True, slots=True)
class MatchReport:
    """What comes back from playing a `MatchSpec`; `replay` is the stored form that `arena.match.replay.dump` writes."""

    match_id: str
    attempt: int
    result: MatchResult
    plies: int
    decisions: int
    """How many plies a bot chose: neither forced ones, nor the opening, nor what the caretaker played."""
    started_at_us: int
    """Microseconds since 1970, UTC."""
    duration_us: int
    game_digest: str
    record_digest: str
    replay: bytes
    sandbox: str = NO_SANDBOX
    """The weakest level of the sandbox that any of its bots had."""
    leak_checks: tuple[LeakCheck, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report without its replay as JSON data; `from_json` is the inverse."""
        data = asdict(self)
        del data["replay"]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any], replay: bytes) -> MatchReport:
        """Return the report that `to_json` wrote, with its replay, which travels beside the JSON."""
        result, checks = MatchResult.from_json(data["result"]), map(LeakCheck.from_json, data["leak_checks"])
        return cls(**{**data, "result": result, "leak_checks": tuple(checks)}, replay=replay)
