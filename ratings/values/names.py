"""The words for who did something, and what bots are called by everybody."""

from __future__ import annotations

OPERATOR = "operator"
"""Who did something, if it was the person at the arena's own terminal."""
ARENA = "arena"
"""Who did something, if the service did it by itself."""
PEOPLE = "people"
"""The owner of the seats that people take in a browser; no ladder takes them in."""
EVERY_BOT = "all"
"""What no bot is called."""


def stored_bot_name(owner: str | None, name: str) -> str:
    """Return what a bot is called by everybody: `owner/name`, or the plain name of a bot without owner."""
    return name if owner is None else f"{owner}/{name}"
