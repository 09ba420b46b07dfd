"""What the host did wrong in a match; no bot pays for it, and the match is played again."""

from __future__ import annotations

import enum


class HostFaultCause(enum.StrEnum):
    """Why a match was given up."""

    CHARGE_BOUND = "CHARGE_BOUND"
    """A bot waited so long for a processor that its decision can not be judged."""
    REFEREE_LAG = "REFEREE_LAG"
    """The referee itself stood still."""


class HostFaultError(Exception):
    """The match cannot be judged through the fault of this host; `sentence` is for people."""

    def __init__(self, cause: HostFaultCause | str, sentence: str) -> None:
        super().__init__(sentence)
        self.cause = str(cause)
        self.sentence = sentence
