"""What the game offers to those who look at it."""

from __future__ import annotations

from typing import Final

from engine.abilities import Shown
from engine.games.rex_romanorum.view.labels import LANGUAGES, labels
from engine.games.rex_romanorum.view.picture import render_svg
from engine.games.rex_romanorum.view.text import render_text

SHOWN: Final = Shown(text=render_text, svg=render_svg, labels=labels, languages=LANGUAGES)
