"""Reads `bot.toml`, the file that says what a bot is and how it is started. Starts nothing.

    BotDirectoryError
    ├── ManifestError        bot.toml is missing or not valid, or its program cannot be started
    │   └── NoExecError      its program lies where this machine starts nothing
    ├── BotFilesError        its files cannot be stored (content.py)
    └── UnknownRuntimeError  it names a runtime that this arena does not have (runtimes/)

Every message is one line: the place, what is wrong, the remedy.
"""

from __future__ import annotations

import codecs
import os
import shutil
import sys
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from arena.hosting import manifest_fields as fields
from arena.hosting.bot_environment import SYSTEM_PLACES
from arena.hosting.debian_packages import PACKAGES
from arena.hosting.manifest_fields import ALL_GAMES, EXAMPLE, SCHEMA, FieldError, format_value
from arena.hosting.safe_open import open_regular, without_links
from engine.os_errors import os_error_text
from engine.translatable import Text, joined, placed

MANIFEST_NAME = "bot.toml"
ARENA, BUNDLED = "arena", "bundled"
DEFAULT_MEMORY_MB = 512
MOST_MEMORY_MB_OF_STRANGERS = 2048
MAX_MANIFEST_BYTES = 65_536
_MOST_SCRIPT_LINE_BYTES = 256
_OTHER_SYSTEMS = (b"MZ", *map(bytes.fromhex, ("feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe")))
"""How a program for Windows or macOS begins."""
_MOST_LEVELS, _MOST_LOOKED_AT, _MOST_LISTED = 4, 2_000, 5
"""How far below a directory without a manifest one is looked for, among how many files; how many are listed."""


class BotDirectoryError(ValueError):
    """The directory does not hold a usable bot."""

    kind: ClassVar[str] = "misuse"
    reason: ClassVar[str] = "BOT_DIRECTORY"


class ManifestError(BotDirectoryError):
    """`bot.toml` is missing or not valid, or its program cannot be started."""


class NoExecError(ManifestError):
    """The program of a bot lies on a file system from which this machine starts nothing."""


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
    runtime: str = ARENA
    """`arena` if it runs in the arena's own Python, `bundled` if its program lies in the directory, or the name of a
    runtime that the organiser defined."""
    build: tuple[str, ...] = ()
    """The command that makes what is missing in the directory; empty if nothing is."""
    rules: tuple[tuple[str, str], ...] = ()
    """For each game of which it plays one version of the rules only, the name and that `rules_version`, by name."""
    protocol: str = fields.PROTOBUF
    """How messages reach it: `protobuf` through gRPC or a socket, or `lines` of JSON on standard input and output."""

    def plays(self, game: str) -> bool:
        """Return whether the bot says it plays that game."""
        return ALL_GAMES in self.games or game in self.games

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as JSON; `build`, `rules` and `protocol` only if given. `from_json` is the inverse."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "command": list(self.command),
            "games": list(self.games),
            "memory_mb": self.memory_mb,
            "deterministic": self.deterministic,
            "runtime": self.runtime,
            **({"build": list(self.build)} if self.build else {}),
            **({"rules": dict(self.rules)} if self.rules else {}),
            **({"protocol": self.protocol} if self.protocol != fields.PROTOBUF else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BotManifest:
        """Return the manifest that `to_json` wrote. Raises ManifestError."""
        return parse_manifest(data, place=MANIFEST_NAME)


@dataclass(frozen=True, slots=True)
class ProgramPlaces:
    """Where the programs of a runtime lie that a bot's command may name."""

    runtime: str
    programs: Mapping[str, str] = field(default_factory=dict)
    """The full path of each program by the word that stands for it, such as `python`."""
    path: str | None = ""
    """Where other programs are looked for, written like PATH; empty if nowhere, None for the PATH of the arena."""


# A call, since the interpreter of a process may have been replaced by another name of it.
def arena_places() -> ProgramPlaces:
    """Return the places of runtime `arena`: `python` is the interpreter that can import bots.kit and the engine."""
    return ProgramPlaces(ARENA, {"python": sys.executable, "python3": sys.executable}, path=None)


BUNDLED_PLACES = ProgramPlaces(BUNDLED)


def load_manifest(directory: Path) -> BotManifest:
    """Return the manifest of the bot in `directory`. Raises ManifestError.

    Its program must exist if that can be known: the bot is not built first, and needs no runtime of the organiser.
    """
    manifest = read_manifest(directory)
    for program in own_programs(manifest, directory):
        _check_file_system(program, directory / MANIFEST_NAME)
    if not manifest.build and manifest.runtime in (ARENA, BUNDLED):
        resolve_command(manifest, directory)
    return manifest


def read_manifest(directory: Path) -> BotManifest:
    """Return the manifest of the bot in `directory`, whatever became of its program. Raises ManifestError."""
    path = _manifest_path(directory)
    return parse_manifest(_read_toml(path), place=str(path))


def own_programs(manifest: BotManifest, directory: Path) -> list[Path]:
    """Return the files of the bot that its commands start, which must be executable."""
    programs = (words[0] for words in (manifest.command, manifest.build) if words)
    return [directory / program for program in programs if _lies_within(program, directory)]


def parse_manifest(data: Mapping[str, Any], *, place: str) -> BotManifest:
    """Return the manifest with these keys and values. Raises ManifestError; its message begins with `place`."""
    try:
        fields.check_keys(data)
        return BotManifest(
            name=fields.read_name(data["name"]),
            command=fields.read_command(data["command"]),
            games=fields.read_games(data.get("games", [ALL_GAMES])),
            memory_mb=fields.read_memory_mb(data.get("memory_mb", DEFAULT_MEMORY_MB)),
            deterministic=fields.read_deterministic(data.get("deterministic", False)),
            runtime=fields.read_runtime(data.get("runtime", ARENA)),
            build=fields.read_build(data["build"]) if "build" in data else (),
            rules=fields.read_rules(data.get("rules", {})),
            protocol=fields.read_protocol(data.get("protocol", fields.PROTOBUF)),
        )
    except FieldError as error:
        raise ManifestError(placed(place, error)) from None


def resolve_command(manifest: BotManifest, directory: Path, places: ProgramPlaces | None = None) -> tuple[str, ...]:
    """Return the command ready for exec in any working directory: names of the bot's files become full paths.

    The program is, in this order: what the word stands for in the runtime, a file in the directory, a program on the
    path of the runtime. Without `places` the runtime is `arena` or `bundled`. Raises ManifestError if there is no such
    program, or if the script it runs is missing.
    """
    return resolve_words("command", manifest.command, directory, places or _own_places(manifest, directory))


def resolve_words(key: str, words: Sequence[str], directory: Path, places: ProgramPlaces) -> tuple[str, ...]:
    """Return a command of the manifest, the value of `key`, as `resolve_command` does. Raises ManifestError."""
    place = directory / MANIFEST_NAME
    program, *arguments = words
    if program in places.programs:
        # The script of `python main.py`; what follows an option (`-m package`) is left to Python.
        if arguments and not arguments[0].startswith("-") and not _lies_within(arguments[0], directory):
            why = Text(
                "{key} runs {command}, and there is no such file in the directory",
                key=key,
                command=format_value(arguments[0]),
            )
            raise ManifestError(placed(place, _with_spelling(why, arguments[0], directory)))
        found = places.programs[program]
    else:
        found = _find_program(program, directory, places, place)
    full = (str((directory / word).absolute()) if _lies_within(word, directory) else word for word in arguments)
    return (found, *full)


def check_for_strangers(
    manifest: BotManifest, directory: Path, places: ProgramPlaces | None = None, trees: Sequence[Path] | None = None
) -> None:
    """Check what a stranger's bot asks for, and, unless it must be built first, that the sandbox has its program.

    Inside there are the system's programs, the bot's files and the `trees` of its runtime, nothing else of this
    machine. Without `places` and `trees` the runtime is `arena` or `bundled`. Raises ManifestError.
    """
    place = directory / MANIFEST_NAME
    if manifest.memory_mb > MOST_MEMORY_MB_OF_STRANGERS:
        why = Text(
            "memory_mb is {value}, and bots that have an owner may use {most}; ask for less",
            value=manifest.memory_mb,
            most=MOST_MEMORY_MB_OF_STRANGERS,
        )
        raise ManifestError(placed(place, why))
    if manifest.build:
        return
    program = Path(resolve_command(manifest, directory, places)[0])
    shown_trees = (Path(sys.executable),) if trees is None else trees
    if not any(program.is_relative_to(tree) for tree in (*shown_trees, directory.absolute(), *SYSTEM_PLACES)):
        why = Text(
            "the program {program} does not exist in the sandbox; put it into the directory (runtime "
            "'bundled'), or install it in /usr",
            program=program,
        )
        raise ManifestError(placed(place, why))


def _own_places(manifest: BotManifest, directory: Path) -> ProgramPlaces:
    if manifest.runtime == ARENA:
        return arena_places()
    if manifest.runtime == BUNDLED:
        return BUNDLED_PLACES
    why = Text(
        "runtime is {name}, which is unknown here; use 'arena' or 'bundled', or ask the organiser to define it",
        name=format_value(manifest.runtime),
    )
    raise ManifestError(placed(directory / MANIFEST_NAME, why))


def _manifest_path(directory: Path) -> Path:
    if not directory.exists():
        why = Text("there is no such directory; name the one that holds {file}", file=MANIFEST_NAME)
        raise ManifestError(placed(directory, why))
    if not directory.is_dir():
        why = Text(
            "a bot is a directory with a {name}, and this is a file; name the directory, unpacked if it is an archive",
            name=MANIFEST_NAME,
        )
        raise ManifestError(placed(directory, why))
    path = directory / MANIFEST_NAME
    if not (path.is_file() or path.is_symlink()):
        missing = Text("there is no {name}; write one with {example}", name=MANIFEST_NAME, example=EXAMPLE)
        raise ManifestError(placed(directory, manifest_elsewhere(directory) or missing))
    return path


def manifest_elsewhere(directory: Path) -> Text | None:
    """Say what a directory has in place of its `bot.toml`: one under another name, or the directories of bots."""
    bots, misnamed, looked_at = list[Path](), list[Path](), 0
    for path, folders, names in os.walk(directory):
        place = Path(path).relative_to(directory)
        looked_at += 1 + len(names)
        if MANIFEST_NAME in names:
            bots.append(place)
        else:
            misnamed += [place / name for name in names if name.casefold().startswith(MANIFEST_NAME)]
        is_end = MANIFEST_NAME in names or len(place.parts) == _MOST_LEVELS or looked_at > _MOST_LOOKED_AT
        folders[:] = [] if is_end else sorted(name for name in folders if not name.startswith("."))
    nearest = min(misnamed, key=lambda found: (len(found.parts), found), default=None)
    if nearest is not None and all(len(bot.parts) >= len(nearest.parts) for bot in bots):
        return Text(
            "there is no {name}, but {found}; rename that to {name_2}, in small letters and without another ending",
            name=MANIFEST_NAME,
            found=format_value(str(nearest)),
            name_2=MANIFEST_NAME,
        )
    listed = ", ".join(format_value(str(bot)) for bot in bots[:_MOST_LISTED])
    if len(bots) > 1:
        return Text("there is no {name}, but one each in {bots}; take one of these", name=MANIFEST_NAME, bots=listed)
    if bots:
        return Text("there is no {name}, but one in {bot}; take that directory", name=MANIFEST_NAME, bot=listed)
    return None


def _read_toml(path: Path) -> dict[str, Any]:
    inside = without_links(path.parent, path.name)
    if inside is None:
        raise ManifestError(placed(path, Text("is a link that leaves the bot's directory; put a copy in its place")))
    try:
        with os.fdopen(open_regular(path.parent, inside), "rb") as file:
            content = file.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        why = Text("cannot be read ({why}); check its permissions", why=os_error_text(error))
        raise ManifestError(placed(path, why)) from error
    if len(content) > MAX_MANIFEST_BYTES:
        why = Text("is longer than {bytes} bytes; keep only the keys it needs", bytes=MAX_MANIFEST_BYTES)
        raise ManifestError(placed(path, why))
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        why = Text("is not UTF-8 text (byte {place}); save it as UTF-8", place=error.start)
        raise ManifestError(placed(path, why)) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = Text("is not valid TOML: {why}; correct that line", why=" ".join(str(error).split()))
        raise ManifestError(placed(path, why)) from error


def _find_program(program: str, directory: Path, places: ProgramPlaces, place: Path) -> str:
    if _lies_within(program, directory):
        path = (directory / program).absolute()
        _check_file_system(path, place)
        if not os.access(path, os.X_OK):
            why = Text("the program {program} is not executable; run chmod +x on it", program=format_value(program))
            raise ManifestError(placed(place, why))
        foreign = _why_foreign(path, program)
        if foreign is not None:
            raise ManifestError(placed(place, foreign))
        return str(path)
    if places.path == "":
        why = Text(
            "runtime is {runtime}, and there is no file {program} in the directory",
            runtime=format_value(places.runtime),
            program=format_value(program),
        )
        raise ManifestError(placed(place, _with_spelling(why, program, directory)))
    found = shutil.which(program, path=places.path)
    if found is None:
        why = Text(
            "the program {program} is neither in the directory nor {what}",
            program=format_value(program),
            what=_where_it_could_be(program, places),
        )
        raise ManifestError(placed(place, _with_spelling(why, program, directory)))
    return str(Path(found).absolute())


def _check_file_system(program: Path, place: Path) -> None:
    if os.statvfs(program).f_flag & getattr(os, "ST_NOEXEC", 0):
        why = Text(
            "the program {program} lies on a file system from which nothing may be started (mounted noexec); use "
            "another one (TMPDIR names that of tests), or mount this one with exec",
            program=format_value(program.name),
        )
        raise NoExecError(placed(place, why))


def _why_foreign(path: Path, program: str) -> Text | None:
    """Say why Linux cannot start a file that was made on another system, as far as its first bytes tell."""
    try:
        with path.open("rb") as file:
            first = file.readline(_MOST_SCRIPT_LINE_BYTES)
    except OSError:  # who may execute a program need not be allowed to read it
        return None
    if first.startswith(b"#!") and first.endswith(b"\r\n"):
        return Text(
            "the first line of {program} ends as on Windows, and Linux takes that for a part of a name; save it "
            "with line ends of Unix (LF)",
            program=format_value(program),
        )
    if first.startswith(codecs.BOM_UTF8 + b"#!"):
        return Text(
            "{program} begins with a byte-order mark, so Linux does not see the interpreter in its first line; save it "
            "as UTF-8 without that mark",
            program=format_value(program),
        )
    if first.startswith(_OTHER_SYSTEMS):
        return Text(
            "{program} is a program for Windows or macOS; put one that is built for Linux in its place",
            program=format_value(program),
        )
    return None


def _with_spelling(why: Text, name: str, directory: Path) -> Text:
    """Add to a message about a missing file what the directory has in its place, spelled as on another system."""
    if _lies_within(name.replace("\\", "/"), directory):
        return joined(why, Text("write / in place of \\"))
    if any(_lies_within(unicodedata.normalize(form, name), directory) for form in ("NFC", "NFD")):
        return joined(
            why, Text("a file there has the same name, with accents stored as on a Mac; use a name without accents")
        )
    return why


def _where_it_could_be(program: str, places: ProgramPlaces) -> Text:
    package = PACKAGES.get(program)
    if places.path is None:
        if package is None:
            return Text("on PATH")
        return Text("on PATH; install it, on Debian with `apt install {package}`", package=package)
    runtime = format_value(places.runtime)
    if package is None:
        return Text("a program of runtime {runtime}", runtime=runtime)
    return Text(
        "a program of runtime {runtime}; install it, on Debian with `apt install {package}`",
        runtime=runtime,
        package=package,
    )


def _lies_within(name: str, directory: Path) -> bool:
    relative = PurePosixPath(name)
    return not relative.is_absolute() and ".." not in relative.parts and (directory / relative).is_file()
