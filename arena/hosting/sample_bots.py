"""Finds what is installed with the arena for bots: samples, templates, kits. It reads files and imports none of them.

bots/NAME/bot.toml           makes NAME a sample bot
bots/LANGUAGE/template/      makes LANGUAGE one in which a new bot can be written (new_bot.py)
bots/LANGUAGE/kit/           is what a bot in that language needs besides, where it needs something
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from arena.hosting.manifest import MANIFEST_NAME, BotDirectoryError
from engine.text import Text

_PACKAGE = "bots"
_TEMPLATE, _KIT = "template", "kit"


def sample_directory(name: str) -> Path:
    """Return the directory of an installed sample bot. Raises BotDirectoryError if there is none of that name."""
    for place in _places():
        if name in _having(place, MANIFEST_NAME):
            return place / name
    raise BotDirectoryError(
        Text(
            "hosting.sample_bot_not_installed_install",
            "the sample bot {name} is not installed; install kingmaker-arena again",
            name=repr(name),
        )
    )


def sample_names() -> list[str]:
    """Return the names of the installed sample bots, in alphabetical order."""
    return sorted(name for place in _places() for name in _having(place, MANIFEST_NAME))


def template_languages() -> list[str]:
    """Return the languages in which a new bot can be written, in alphabetical order."""
    return sorted(name for place in _places() for name in _having(place, f"{_TEMPLATE}/{MANIFEST_NAME}"))


def template_directory(language: str) -> Path:
    """Return the directory with the files of a new bot. Raises BotDirectoryError if there are none."""
    for place in _places():
        if language in _having(place, f"{_TEMPLATE}/{MANIFEST_NAME}"):
            return place / language / _TEMPLATE
    raise BotDirectoryError(
        Text(
            "hosting.no_template_bots_write",
            "there is no template for bots in {language}; write {known}",
            language=repr(language),
            known=" or ".join(template_languages()),
        )
    )


def kit_directory(language: str) -> Path | None:
    """Return the directory of the kit that a bot in that language takes along, or None if it needs none."""
    kits = (place / language / _KIT for place in _places())
    return next((kit for kit in kits if kit.is_dir()), None)


def _places() -> list[Path]:
    package = importlib.util.find_spec(_PACKAGE)
    return [Path(place) for place in (package and package.submodule_search_locations) or ()]


def _having(place: Path, file: str) -> list[str]:
    """Return the names of the folders of `place` in which that file lies."""
    return [folder.name for folder in place.iterdir() if (folder / file).is_file()]
