"""Every rule, in the order in which they are checked. docs/protocol.md shows the same table; a test compares them."""

from __future__ import annotations

from arena.conform.rules.ending import ENDING
from arena.conform.rules.joining import NEWER, STARTING
from arena.conform.rules.matches import MATCHES
from arena.conform.rules.playing import ANSWERING, CLOCKS
from arena.conform.rules.rule import Rule

RULES: tuple[Rule, ...] = (*STARTING, *NEWER, *ANSWERING, *MATCHES, *CLOCKS, *ENDING)
BY_ID = {rule.id: rule for rule in RULES}
