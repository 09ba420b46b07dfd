"""What ends a match because of its host, whatever its bots did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.match.spec import HostCause


class HostFaultError(Exception):
    """The host could not play the match on: it is aborted, never rated, and played again. `sentence` is for people."""

    def __init__(self, cause: HostCause, sentence: str, evidence: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.cause = cause
        self.sentence = sentence
        self.evidence: dict[str, Any] = dict(evidence or {})
