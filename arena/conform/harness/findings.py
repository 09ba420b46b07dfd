"""What a scenario says of a bot, and what is reported of a rule: exceptions and values.

BrokenError        the bot did something that breaks a rule, which is named
SilentError        the bot did not do what the scenario is about: its own rule is broken
NotApplicableError the rule cannot be checked with this bot
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from arena.conform.rules.rule import Rule


class BrokenError(Exception):
    """The bot broke the rule of that id; `seen` is a sentence without its full stop."""

    def __init__(self, rule: str, seen: str) -> None:
        super().__init__(f"{rule}: {seen}")
        self.rule = rule
        self.seen = seen


class SilentError(Exception):
    """The bot did not do what it was to do; whichever rule is being checked is broken by that."""

    def __init__(self, seen: str) -> None:
        super().__init__(seen)
        self.seen = seen


class NotApplicableError(Exception):
    """The rule says nothing about this bot; the message says why."""


class RuleState(enum.StrEnum):
    """What is known of a rule."""

    KEPT = "kept"
    BROKEN = "broken"
    UNCHECKED = "unchecked"
    """Another rule was broken before this one could be checked."""
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What was found about one rule."""

    rule: Rule
    state: RuleState
    detail: str = ""
    """What was seen if it is broken, why it was not checked if it was not; a sentence without its full stop."""

    @property
    def message(self) -> str:
        """What the author is told; empty if the rule is kept."""
        return self.rule.message(self.detail) if self.state is RuleState.BROKEN else self.detail
