"""In which language a process speaks to the person who started it; it reads only what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from arena.i18n.catalogue import DEFAULT, NAMES

VARIABLES: Final = ("ARENA_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""Where the environment says it, the strongest first: our own variable, then those of every program's locale."""


def language_of_process(environ: Mapping[str, str]) -> str:
    """Return the language that the environment asks for by the first of `VARIABLES` that is set; English for others.

    A locale such as `de_CH.UTF-8` counts by its language; `C`, and one that the catalogue lacks, is English.
    """
    wish = next((environ[name] for name in VARIABLES if environ.get(name)), "")
    language = wish.replace("-", "_").partition(".")[0].partition("_")[0].lower()
    return language if language in NAMES else DEFAULT
