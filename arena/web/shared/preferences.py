"""What a visitor has chosen: the language of the pages, and whether they are light or dark."""

from __future__ import annotations

from typing import Final

from fastapi import Request

from arena.i18n.catalogue import NAMES, best_language

LANGUAGE_COOKIE: Final = "lang"
THEME_COOKIE: Final = "theme"
THEMES: Final = ("auto", "light", "dark")


def language_of(request: Request) -> str:
    """Return the language of a page: of its address (`?lang=de`), else that chosen before, else the browser's."""
    for chosen in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if chosen is not None and chosen in NAMES:
            return chosen
    return best_language(request.headers.get("accept-language", ""))


def theme_of(request: Request) -> str:
    """Return `light`, `dark`, or `auto` for what the visitor's system shows."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else THEMES[0]
