"""Names for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.games.foreign_king.actions import ACTIONS

LANGUAGES: Final = ("en", "de", "it", "fr", "nl")


def labels(language: str) -> Mapping[str, str]:
    """Names by id."""
    del language
    return {name: name for name in ACTIONS.names}
