"""The options of an engine that say how long its transactions that write wait for another's end."""

from __future__ import annotations

TOLD_MS = "arena_told_ms"
"""How many milliseconds its URL says, if it says so."""
BRIEF_MS = "arena_brief_ms"
"""How many milliseconds at most, for whoever would rather ask again."""
