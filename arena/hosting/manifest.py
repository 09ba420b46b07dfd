"""Reads `bot.toml`, the file that says what a bot is and how it is started. Starts nothing.

    BotDirectoryError
    ├── ManifestError     bot.toml is missing or not valid
    └── BotFilesError     its files cannot be stored (content.py)

Every message is one line: the place, what is wrong, the remedy.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from arena.hosting.system_places import SYSTEM_PLACES

MANIFEST_NAME = "bot.toml"
SCHEMA = 1
RUNTIMES = ("arena", "bundled")
ALL_GAMES = "*"
DEFAULT_MEMORY_MB = 512
MEMORY_MB = range(16, 65_536 + 1)
MOST_MEMORY_MB_OF_STRANGERS = 2048
MAX_MANIFEST_BYTES = 65_536
MAX_COMMAND_WORDS = 100

_KEYS = ("schema", "name", "command", "games", "memory_mb", "deterministic", "runtime")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}", re.ASCII)
_GAME_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
# Programs that stand for the interpreter of the arena itself, which can import bots.kit and the engine.
_ARENA_PYTHON = ("python", "python3")

_EXAMPLE = 'schema = 1, name = "my-bot", command = ["python", "main.py"], games = ["*"]'


class BotDirectoryError(ValueError):
    """The directory does not hold a usable bot."""


class ManifestError(BotDirectoryError):
    """`bot.toml` is missing or not valid."""


@dataclass(frozen=True, slots=True)
class BotManifest:
    """The content of `bot.toml`, validated."""

    name: str
    command: tuple[str, ...]
    """The command as written; `resolve_command` makes it ready for exec."""
    games: tuple[str, ...]
    """Names of the games it plays, or `*` for every game."""
    memory_mb: int = DEFAULT_MEMORY_MB
    deterministic: bool = False
    """Whether the bot promises equal play for equal seeds."""
    runtime: str = "arena"
    """`arena` if it runs in the arena's own Python, `bundled` if its program lies in the directory."""

    def plays(self, game: str) -> bool:
        """Return whether the bot says it plays that game."""
        return ALL_GAMES in self.games or game in self.games

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as JSON, all keys present; `from_json` is the inverse."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "command": list(self.command),
            "games": list(self.games),
            "memory_mb": self.memory_mb,
            "deterministic": self.deterministic,
            "runtime": self.runtime,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BotManifest:
        """Return the manifest that `to_json` wrote. Raises ManifestError."""
        return parse_manifest(data, place=MANIFEST_NAME)


def load_manifest(directory: Path) -> BotManifest:
    """Return the manifest of the bot in `directory`, after checking that its program exists. Raises ManifestError."""
    path = _manifest_path(directory)
    manifest = parse_manifest(_read_toml(path), place=str(path))
    resolve_command(manifest, directory)
    return manifest


def parse_manifest(data: Mapping[str, Any], *, place: str) -> BotManifest:
    """Return the manifest with these keys and values. Raises ManifestError; its message begins with `place`."""
    try:
        _check_keys(data)
        return BotManifest(
            name=_name(data["name"]),
            command=_command(data["command"]),
            games=_games(data.get("games", [ALL_GAMES])),
            memory_mb=_memory_mb(data.get("memory_mb", DEFAULT_MEMORY_MB)),
            deterministic=_deterministic(data.get("deterministic", False)),
            runtime=_runtime(data.get("runtime", "arena")),
        )
    except ManifestError as error:
        raise ManifestError(f"{place}: {error}") from None


def resolve_command(manifest: BotManifest, directory: Path) -> tuple[str, ...]:
    """Return the command ready for exec in any working directory: names of the bot's files become full paths.

    The program is, in this order: the arena's interpreter for `python` (runtime `arena`), a file in the directory, a
    program on PATH (runtime `arena`). Raises ManifestError if there is none, or if the script it runs is missing.
    """
    place = directory / MANIFEST_NAME
    program, *arguments = manifest.command
    if manifest.runtime == "arena" and program in _ARENA_PYTHON:
        _check_script(arguments, directory, place)
        found = sys.executable
    else:
        found = _find_program(program, manifest.runtime, directory, place)
    return (found, *(_full_path(word, directory) for word in arguments))


def check_for_strangers(manifest: BotManifest, directory: Path) -> None:
    """Check that a bot finds its program in the sandbox. Raises ManifestError.

    Inside there are the system's programs, the arena's own Python and the bot's files, nothing else of this machine.
    """
    place = directory / MANIFEST_NAME
    if manifest.memory_mb > MOST_MEMORY_MB_OF_STRANGERS:
        raise ManifestError(
            f"{place}: memory_mb is {manifest.memory_mb}, and bots that have an owner may use "
            f"{MOST_MEMORY_MB_OF_STRANGERS}; ask for less"
        )
    program = Path(resolve_command(manifest, directory)[0])
    shown = (Path(sys.executable), directory.absolute(), *SYSTEM_PLACES)
    if not any(program.is_relative_to(place) for place in shown):
        raise ManifestError(
            f"{place}: the program {program} does not exist in the sandbox; put it into the directory "
            "(runtime 'bundled'), or install it in /usr"
        )


def _manifest_path(directory: Path) -> Path:
    if not directory.exists():
        raise ManifestError(f"{directory}: there is no such directory; name the one that holds {MANIFEST_NAME}")
    if not directory.is_dir():
        raise ManifestError(f"{directory}: a bot is a directory with a {MANIFEST_NAME}, and this is a file")
    path = directory / MANIFEST_NAME
    if not path.is_file():
        raise ManifestError(f"{directory}: there is no {MANIFEST_NAME}; write one with {_EXAMPLE}")
    return path


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        raise ManifestError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if len(content) > MAX_MANIFEST_BYTES:
        raise ManifestError(f"{path}: is longer than {MAX_MANIFEST_BYTES} bytes; keep only the keys it needs")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise ManifestError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ManifestError(f"{path}: is not valid TOML: {_one_line(str(error))}; correct that line") from error


def _check_keys(data: Mapping[str, Any]) -> None:
    for key in data:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(_KEYS)}"
            raise ManifestError(f"unknown key {_shown(key)}; {remedy}")
    for key in ("schema", "name", "command"):
        if key not in data:
            raise ManifestError(f"the key {key!r} is missing; the least that is needed is {_EXAMPLE}")
    if type(data["schema"]) is not int or data["schema"] != SCHEMA:
        raise ManifestError(f"schema is {_shown(data['schema'])}, and this arena reads schema {SCHEMA}")


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ManifestError(
            f"name is {_shown(value)}; use 1 to 40 of a-z, 0-9, '-' and '_', a letter or digit first, like \"my-bot\""
        )
    return value


def _command(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ManifestError(f'command is {_shown(value)}; write a list of words, like command = ["python", "main.py"]')
    if not value or not value[0]:
        raise ManifestError('command is empty; name the program first, like command = ["python", "main.py"]')
    if len(value) > MAX_COMMAND_WORDS or any("\0" in word for word in value):
        raise ManifestError(f"command has over {MAX_COMMAND_WORDS} words or a NUL in one; shorten it")
    return tuple(value)


def _games(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ManifestError(f'games is {_shown(value)}; write a list of names, or games = ["*"] for every game')
    for name in value:
        if not isinstance(name, str) or (name != ALL_GAMES and not _GAME_NAME.fullmatch(name)):
            raise ManifestError(f"games has {_shown(name)}, which no game is called; `arena game list` shows the names")
    return tuple(value)


def _memory_mb(value: object) -> int:
    if type(value) is not int or value not in MEMORY_MB:
        raise ManifestError(f"memory_mb is {_shown(value)}; use a whole number {MEMORY_MB[0]} to {MEMORY_MB[-1]}")
    return value


def _deterministic(value: object) -> bool:
    if not isinstance(value, bool):
        raise ManifestError(f"deterministic is {_shown(value)}; use true or false, without quotes")
    return value


def _runtime(value: object) -> str:
    if not isinstance(value, str) or value not in RUNTIMES:
        raise ManifestError(f"runtime is {_shown(value)}; use {' or '.join(map(repr, RUNTIMES))}")
    return value


def _check_script(arguments: list[str], directory: Path, place: Path) -> None:
    """Check that the script of `python main.py` exists; what follows an option (`-m package`) is left to Python."""
    if arguments and not arguments[0].startswith("-") and not _lies_within(arguments[0], directory):
        raise ManifestError(f"{place}: command runs {_shown(arguments[0])}, and there is no such file in the directory")


def _find_program(program: str, runtime: str, directory: Path, place: Path) -> str:
    if _lies_within(program, directory):
        path = (directory / program).absolute()
        if not os.access(path, os.X_OK):
            raise ManifestError(f"{place}: the program {_shown(program)} is not executable; run chmod +x on it")
        return str(path)
    if runtime == "bundled":
        raise ManifestError(f"{place}: runtime is 'bundled', and there is no file {_shown(program)} in the directory")
    found = shutil.which(program)
    if found is None:
        raise ManifestError(f"{place}: the program {_shown(program)} is neither in the directory nor on PATH")
    return str(Path(found).absolute())


def _lies_within(name: str, directory: Path) -> bool:
    relative = PurePosixPath(name)
    return not relative.is_absolute() and ".." not in relative.parts and (directory / relative).is_file()


def _full_path(word: str, directory: Path) -> str:
    return str((directory / word).absolute()) if _lies_within(word, directory) else word


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _one_line(text: str) -> str:
    return " ".join(text.split())
