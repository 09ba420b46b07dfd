"""Finds what is installed with the arena for bots (samples, templates, kits), and writes a new bot from a template.

bots/NAME/bot.toml              makes NAME a sample bot
bots/LANGUAGE/template/         makes LANGUAGE one in which a new bot can be written that speaks protobuf
bots/LANGUAGE/template_lines/   the same for one that speaks JSON lines
bots/LANGUAGE/kit/              is what a bot with a template in protobuf needs besides, where it needs something

Files are read, and none of them is imported. Nothing is overwritten.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.manifest import MANIFEST_NAME, BotDirectoryError
from arena.hosting.manifest_fields import LINES, PROTOBUF
from engine.os_errors import os_error_text
from engine.translatable import Text, placed

_PACKAGE = "bots"
_TEMPLATES = {PROTOBUF: "template", LINES: "template_lines"}
"""The folder of a template by the protocol that it speaks; of several the first is written if none is asked for."""
KIT = "kit"
"""The folder where the kit of a language lies, here and in the directory of a new bot."""
_NOT_COPIED = ("__pycache__", "node_modules", ".build")


def sample_directory(name: str) -> Path:
    """Return the directory of an installed sample bot. Raises BotDirectoryError if there is none of that name."""
    for place in _places():
        if name in _having(place, MANIFEST_NAME):
            return place / name
    why = Text("the sample bot {name} is not installed; install kingmaker-arena again", name=repr(name))
    raise BotDirectoryError(why)


def sample_names() -> list[str]:
    """Return the names of the installed sample bots, in alphabetical order."""
    return sorted(name for place in _places() for name in _having(place, MANIFEST_NAME))


def template_languages() -> list[str]:
    """Return the languages in which a new bot can be written, in alphabetical order."""
    folders = [f"{folder}/{MANIFEST_NAME}" for folder in _TEMPLATES.values()]
    return sorted({name for place in _places() for folder in folders for name in _having(place, folder)})


def template_protocols(language: str) -> list[str]:
    """Return the protocols that a new bot in a language can speak; the first is taken if none is asked for."""
    return [protocol for protocol in _TEMPLATES if _find_template(language, protocol) is not None]


def template_directory(language: str, protocol: str | None = None) -> Path:
    """Return the directory with the files of a new bot. Raises BotDirectoryError if there are none."""
    known = template_protocols(language)
    if not known:
        why = Text(
            "there is no template for bots in {language}; write {known}",
            language=repr(language),
            known=" or ".join(template_languages()),
        )
        raise BotDirectoryError(why)
    found = _find_template(language, protocol or known[0])
    if found is None:
        why = Text(
            "there is no template for bots in {language} with the protocol {protocol}; use {known}",
            language=repr(language),
            protocol=repr(protocol),
            known=" or ".join(map(repr, known)),
        )
        raise BotDirectoryError(why)
    return found


def _find_template(language: str, protocol: str) -> Path | None:
    folder = _TEMPLATES[protocol]
    places = [place for place in _places() if language in _having(place, f"{folder}/{MANIFEST_NAME}")]
    return places[0] / language / folder if places else None


def kit_directory(language: str) -> Path | None:
    """Return the directory of the kit that a bot in that language takes along, or None if it needs none."""
    kits = (place / language / KIT for place in _places())
    return next((kit for kit in kits if kit.is_dir()), None)


def _places() -> list[Path]:
    package = importlib.util.find_spec(_PACKAGE)
    return [Path(place) for place in (package and package.submodule_search_locations) or ()]


def _having(place: Path, file: str) -> list[str]:
    """Return the names of the folders of `place` in which that file lies."""
    return [folder.name for folder in place.iterdir() if (folder / file).is_file()]


class NewBotError(BotDirectoryError):
    """A new bot cannot be written there; nothing was changed. The message names the remedy."""


@dataclass(frozen=True, slots=True)
class NewBot:
    """A bot that was written."""

    directory: Path
    files: tuple[str, ...]
    """Paths in the directory, in alphabetical order; those of the kit are left out."""
    has_kit: bool


def write_new_bot(directory: Path, language: str, name: str, game: str, protocol: str | None = None) -> NewBot:
    """Write a bot into a directory that is empty or does not exist, and return what was written.

    `name` and `game` stand in its files where the template says @NAME@ and @GAME@. Without a `protocol` it speaks the
    first of its language. Raises NewBotError, and BotDirectoryError for a language or a protocol without a template;
    what was begun is removed then.
    """
    template = template_directory(language, protocol)
    kit = kit_directory(language) if template.name == _TEMPLATES[PROTOBUF] else None
    is_made_here = _check_free(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        files = [_write(template, file, directory, {"@NAME@": name, "@GAME@": game}) for file in _files(template)]
        if kit is not None:
            for file in _files(kit):
                _write(kit, file, directory / KIT, {})
    except OSError as error:
        with suppress(OSError):
            for path in directory.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            if is_made_here:
                directory.rmdir()
        why = Text(
            "cannot be written ({why}); name a directory in a place where you may write", why=os_error_text(error)
        )
        raise NewBotError(placed(directory, why)) from error
    return NewBot(directory, tuple(map(str, files)), kit is not None)


def _check_free(directory: Path) -> bool:
    """Return whether the directory does not exist yet. Raises NewBotError unless it may be filled."""
    try:
        if directory.is_dir():
            if any(directory.iterdir()):
                why = Text("is not empty, and nothing is overwritten; name a new directory")
                raise NewBotError(placed(directory, why))
            return False
        if directory.is_symlink() and not directory.exists():
            why = Text("is a link to what is not there; remove it, or name a new directory")
            raise NewBotError(placed(directory, why))
        if directory.exists():
            raise NewBotError(placed(directory, Text("is a file; name a new directory for the bot")))
    except OSError as error:
        why = Text("cannot be looked at ({why}); name another directory", why=os_error_text(error))
        raise NewBotError(placed(directory, why)) from error
    return True


def _files(source: Path) -> Iterator[Path]:
    """Yield the paths, relative to `source`, of the files that belong to it, in alphabetical order."""
    for path in sorted(source.rglob("*")):
        place = path.relative_to(source)
        if path.is_file() and not any(part in _NOT_COPIED for part in place.parts[:-1]):
            yield place


def _write(source: Path, file: Path, target: Path, placeholders: dict[str, str]) -> Path:
    """Copy a file with its permission to be executed, its placeholders filled; return its path again."""
    content = (source / file).read_bytes()
    for placeholder, text in placeholders.items():
        content = content.replace(placeholder.encode(), text.encode())
    (target / file).parent.mkdir(parents=True, exist_ok=True)
    (target / file).write_bytes(content)
    if os.access(source / file, os.X_OK):
        (target / file).chmod((target / file).stat().st_mode | 0o111)
    return file
