"""One rule of the protocol, with what its author is told where it is broken."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import Text


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the protocol."""

    id: str
    """What stands on the command line and in every message."""
    statement: str
    """What a bot does that keeps it, in one sentence."""
    broken: str
    """What a bot did that broke it, in one sentence; what was seen follows."""
    remedy: str
    """What its author does about it, in one sentence."""

    def message(self, seen: str) -> str:
        """Return what the author is told when the rule was broken; `seen` is a sentence without its full stop."""
        return Text(
            "conform.seen_remedy",
            "{why} Seen: {what}. Remedy: {remedy}",
            why=self.broken,
            what=seen,
            remedy=self.remedy,
        )
