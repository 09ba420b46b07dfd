"""Knows every runtime of this arena: finds it by the name in a bot's `bot.toml`, hashes it, tells what is in it.

A file counts with its place, size, permissions and content, a link with its place and target. `__pycache__` does not
count: it is made anew by whoever may write there. The hashes of unchanged files are remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.hosting.bot_languages import NODE
from arena.hosting.debian_packages import install_command, missing_packages
from arena.hosting.manifest import MANIFEST_NAME, BotManifest, check_for_strangers, resolve_command
from arena.hosting.runtimes.inspection import (
    INSTALL_COMMANDS,
    arena_contents,
    lay_out_arena,
    lay_out_native,
    lay_out_node,
    lay_out_venv,
    native_contents,
    node_contents,
    packages_missing,
    venv_contents,
)
from arena.hosting.runtimes.runtime import (
    PREDEFINED,
    SYSTEM_PATH,
    InstalledRuntime,
    RuntimeBrokenError,
    RuntimeContents,
    RuntimeDefinition,
    RuntimeDescription,
    RuntimeKind,
    RuntimeSettings,
    UnknownRuntimeError,
)
from arena.hosting.user_directories import cache_directory
from engine.os_errors import os_error_text
from engine.translatable import Text, did_you_mean, placed

_LAY_OUT = {
    RuntimeKind.ARENA: lay_out_arena,
    RuntimeKind.BUNDLED: lay_out_native,
    RuntimeKind.PYTHON: lay_out_venv,
    RuntimeKind.NODE: lay_out_node,
    RuntimeKind.NATIVE: lay_out_native,
}
_CONTENTS = {
    RuntimeKind.ARENA: arena_contents,
    RuntimeKind.BUNDLED: native_contents,
    RuntimeKind.PYTHON: venv_contents,
    RuntimeKind.NODE: node_contents,
    RuntimeKind.NATIVE: native_contents,
}
NO_RUNTIMES = RuntimeSettings()
_IGNORED = "__pycache__"
_MOST_NAMED = 5


class RuntimeCatalog:
    """The runtimes of one arena, each as it was when it was looked at last. Threads may share it."""

    def __init__(
        self, settings: RuntimeSettings = NO_RUNTIMES, cache: Path | None = None, *, path: str = SYSTEM_PATH
    ) -> None:
        """Remember the hashes of files in the directory `cache`, by default in that of this user.

        What nobody defines is looked for along `path`, by default where the system's own programs lie.
        """
        own_ones = {name: RuntimeDefinition(name, RuntimeKind(name)) for name in PREDEFINED}
        others = {**installed_runtimes(path), **settings.definitions}
        self._definitions = {**own_ones, **dict(sorted(others.items()))}
        self._settings = settings
        self._cache = cache
        self._found: dict[str, InstalledRuntime] = {}
        self._lock = threading.Lock()
        self.changes = 0  # how often `look_again` has found that some have changed

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all runtimes: `arena` and `bundled` first, then what is installed or the organiser defined."""
        return tuple(self._definitions)

    def tables(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what the organiser defined, as tables of TOML: `parse_runtimes` reads them."""
        return {name: definition.table() for name, definition in self._settings.definitions.items()}

    def definition(self, name: str) -> RuntimeDefinition:
        """Return how a runtime is defined. Raises UnknownRuntimeError."""
        if name not in self._definitions:
            why = Text(
                "runtime is {name}, and this arena knows {known}; {remedy}",
                name=repr(name),
                known=", ".join(map(repr, self.names)),
                remedy=self._remedy(name),
            )
            raise UnknownRuntimeError(why)
        return self._definitions[name]

    def _remedy(self, name: str) -> str:
        missing = missing_packages(name) if name == NODE else []
        if missing:
            return f"Node.js is not installed where it runs: {install_command(missing)}"
        if name == NODE:
            return f"{shutil.which(NODE)} is not the system's; define it as [runtimes.node], or apt install nodejs"
        return did_you_mean(name, self.names) or "`arena runtime list` shows what is in each"

    def get(self, name: str) -> InstalledRuntime:
        """Return a runtime with the hash of what it consists of. Raises UnknownRuntimeError, RuntimeBrokenError."""
        definition = self.definition(name)
        with self._lock:
            if name not in self._found:
                self._found[name] = self._look_at(definition)
            return self._found[name]

    def look_again(self) -> list[str]:
        """Look anew at every runtime that was looked at, and return the names of those that have changed.

        One that works no longer has changed, too; whoever asks for it is told why.
        """
        before = dict(self._found)
        now = {name: found for name in before if (found := self._look_if_it_works(name)) is not None}
        with self._lock:
            self._found = {**{name: one for name, one in self._found.items() if name not in before}, **now}
        changed = [name for name, known in before.items() if now.get(name) != known]
        self.changes += bool(changed)
        return changed

    def all(self) -> list[InstalledRuntime]:
        """Return every runtime. Raises RuntimeBrokenError for the first that is not as it was defined."""
        return [self.get(name) for name in self.names]

    def contents(self, name: str) -> RuntimeContents:
        """Return what is in a runtime. Raises UnknownRuntimeError, RuntimeBrokenError."""
        definition = self.definition(name)
        return _CONTENTS[definition.kind](definition)

    def describe(self, runtime_hash: str) -> RuntimeDescription | None:
        """Return what the runtime with that hash consists of; None if it was not looked at or works no longer."""
        for runtime in list(self._found.values()):
            if runtime.hash == runtime_hash:
                with suppress(RuntimeBrokenError):
                    return RuntimeDescription(runtime.name, runtime.kind.value, self.contents(runtime.name).to_json())
        return None

    def check_bot(self, manifest: BotManifest, directory: Path, *, is_stranger: bool) -> None:
        """Check that a bot can run here: its runtime is known, its program is there, a stranger's also in the sandbox.

        Raises UnknownRuntimeError, ManifestError; RuntimeBrokenError.
        """
        try:
            runtime = self.get(manifest.runtime)
        except UnknownRuntimeError as error:
            raise UnknownRuntimeError(placed(directory / MANIFEST_NAME, error)) from None
        if not manifest.build:
            resolve_command(manifest, directory, runtime.places)
        if is_stranger:
            trees = None if runtime.trees is None else [*map(Path, runtime.trees)]
            check_for_strangers(manifest, directory, runtime.places, trees)

    def notes_on_packages(self, manifest: BotManifest, directory: Path) -> list[Text]:
        """Return a sentence for each list of packages in a bot's directory of which some are nowhere.

        One with a build command may install them itself. Raises UnknownRuntimeError, RuntimeBrokenError.
        """
        if manifest.build or not any((directory / name).is_file() for name in INSTALL_COMMANDS):
            return []
        return [
            Text(
                "{file} names {packages}, and nothing installs what runtime {runtime} does not have: run `{command}` "
                "in the bot's directory, or name a runtime that has it (`arena runtime list`).",
                file=file,
                packages=", ".join(missing[:_MOST_NAMED]),
                runtime=repr(manifest.runtime),
                command=INSTALL_COMMANDS[file],
            )
            for file, missing in packages_missing(self.contents(manifest.runtime), directory)
        ]

    def _look_if_it_works(self, name: str) -> InstalledRuntime | None:
        with suppress(RuntimeBrokenError):
            return self._look_at(self._definitions[name])
        return None

    def _look_at(self, definition: RuntimeDefinition) -> InstalledRuntime:
        layout = _LAY_OUT[definition.kind](definition)
        places = sorted(f"{name}={path}" for name, path in layout.hashed.items())
        digits = hashlib.sha256("\0".join(places).encode()).hexdigest()[:32]
        hashes = FileHashes((self._cache or cache_directory()) / f"runtime-{digits}.json")
        content = [definition.kind.value, layout.facts, hashes.hash_all(layout.hashed)]
        hashes.save()
        return InstalledRuntime(
            name=definition.name,
            kind=definition.kind,
            hash=hashlib.sha256(json.dumps(content).encode()).hexdigest(),
            places=layout.places,
            trees=layout.trees,
            environment=layout.environment,
        )


# What is remembered of a file, and compared: when one of these differs, it is read again.
_Seen = list[Any]


class FileHashes:
    """Remembers the hash of each file of one runtime in a small file, which may be missing or lost at any time."""

    def __init__(self, memory: Path | None) -> None:
        self._memory = memory
        self._known: dict[str, _Seen] = _load(memory)
        self._used: dict[str, _Seen] = {}

    def hash_all(self, places: Mapping[str, Path]) -> str:
        """Return the hash of files and directories, each counting under its name. Raises RuntimeBrokenError."""
        digest = hashlib.sha256()
        try:
            for name, path in sorted(places.items()):
                for line in self._lines(name, path):
                    digest.update(json.dumps(line).encode() + b"\n")
        except OSError as error:
            why = Text("cannot be read ({why}); every file of a runtime must be readable", why=os_error_text(error))
            raise RuntimeBrokenError(placed(error.filename, why)) from error
        return digest.hexdigest()

    def save(self) -> None:
        """Remember what was hashed; without a place to write, everything is hashed again next time."""
        if self._memory is None or self._used == self._known:
            return
        with suppress(OSError):
            self._memory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=f".{self._memory.name}-", dir=self._memory.parent)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                json.dump(self._used, file, separators=(",", ":"))
            Path(name).replace(self._memory)

    def _lines(self, name: str, path: Path) -> Iterator[list[Any]]:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            yield from self._directory_lines(name, str(path))
        else:
            yield [name, facts.st_size, stat.S_IMODE(facts.st_mode), self._file_hash(str(path), facts)]

    def _directory_lines(self, name: str, path: str) -> Iterator[list[Any]]:
        with os.scandir(path) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
        for entry in entries:
            here, facts = f"{name}/{entry.name}", entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(facts.st_mode):
                if entry.name != _IGNORED:
                    yield from self._directory_lines(here, entry.path)
            elif stat.S_ISLNK(facts.st_mode):
                yield [here, os.readlink(entry.path)]  # noqa: PTH115 - there is no Path here yet
            elif stat.S_ISREG(facts.st_mode):
                yield [here, facts.st_size, stat.S_IMODE(facts.st_mode), self._file_hash(entry.path, facts)]

    def _file_hash(self, path: str, facts: os.stat_result) -> str:
        identity = [facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino]
        known = self._known.get(path)
        if known is None or known[:-1] != identity:
            with open(path, "rb") as file:  # noqa: PTH123 - as above
                known = [*identity, hashlib.file_digest(file, "sha256").hexdigest()]
        self._used[path] = known
        return str(known[-1])


def _load(memory: Path | None) -> dict[str, _Seen]:
    """Return what was remembered; nothing if that is not there or was damaged."""
    if memory is None:
        return {}
    with suppress(OSError, ValueError):
        known = json.loads(memory.read_text(encoding="ascii"))
        if isinstance(known, dict):
            return {path: seen for path, seen in known.items() if isinstance(seen, list) and len(seen) == 5}
    return {}


def installed_runtimes(path: str) -> Mapping[str, RuntimeDefinition]:
    """Return `node` if its program lies in one of the directories of `path`, which is written like PATH."""
    program = shutil.which(NODE, path=path)
    return {} if program is None else {NODE: RuntimeDefinition(NODE, RuntimeKind.NODE, program=Path(program))}
