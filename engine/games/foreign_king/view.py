"""The position for people."""

from __future__ import annotations

import json

from engine.games.foreign_king.state import ForeignKingState


def render_text(s: ForeignKingState, language: str) -> str:
    """The position for a terminal."""
    del language
    return json.dumps(s.to_json(), indent=1)


def render_svg(s: ForeignKingState, language: str) -> str:
    """The position as SVG."""
    del s, language
    return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000"/>'
