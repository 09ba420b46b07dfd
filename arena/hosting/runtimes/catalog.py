"""Knows every runtime of this arena: finds it by the name in a bot's `bot.toml`, hashes it, tells what is in it."""

from __future__ import annotations

import difflib
import hashlib
import json
import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.hosting.debian_packages import NODE, install_command, missing_packages
from arena.hosting.manifest import MANIFEST_NAME, BotManifest, check_for_strangers, resolve_command
from arena.hosting.runtimes import native, node, own, venv
from arena.hosting.runtimes.errors import RuntimeBrokenError, UnknownRuntimeError
from arena.hosting.runtimes.hashes import FileHashes
from arena.hosting.runtimes.installed import installed_runtimes
from arena.hosting.runtimes.runtime import (
    SYSTEM_PATH,
    InstalledRuntime,
    RuntimeContents,
    RuntimeDescription,
    RuntimeLayout,
)
from arena.hosting.runtimes.settings import PREDEFINED, RuntimeDefinition, RuntimeKind, RuntimeSettings
from arena.hosting.user_directories import cache_directory
from engine.text import Text, placed

_LAY_OUT = {
    RuntimeKind.ARENA: own.lay_out,
    RuntimeKind.BUNDLED: native.lay_out,
    RuntimeKind.PYTHON: venv.lay_out,
    RuntimeKind.NODE: node.lay_out,
    RuntimeKind.NATIVE: native.lay_out,
}
_CONTENTS = {
    RuntimeKind.ARENA: own.contents,
    RuntimeKind.BUNDLED: native.contents,
    RuntimeKind.PYTHON: venv.contents,
    RuntimeKind.NODE: node.contents,
    RuntimeKind.NATIVE: native.contents,
}
NO_RUNTIMES = RuntimeSettings()


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
        self.changes = 0
        """How often `look_again` has found that some have changed."""

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
            raise UnknownRuntimeError(
                Text(
                    "hosting.runtime_arena_knows",
                    "runtime is {name}, and this arena knows {known}; {remedy}",
                    name=repr(name),
                    known=", ".join(map(repr, self.names)),
                    remedy=self._remedy(name),
                )
            )
        return self._definitions[name]

    def _remedy(self, name: str) -> str:
        missing = missing_packages(name) if name == NODE else []
        if missing:
            return f"Node.js is not installed where it runs: {install_command(missing)}"
        if name == NODE:
            return f"{shutil.which(NODE)} is not the system's; define it as [runtimes.node], or apt install nodejs"
        near = difflib.get_close_matches(name, self.names, n=1)
        return (
            Text("hosting.did_you_mean", "did you mean {name}?", name=repr(near[0]))
            if near
            else "`arena runtime list` shows what is in each"
        )

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
                    contents = self.contents(runtime.name).to_json()
                    return RuntimeDescription(runtime.name, runtime.kind.value, contents)
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

    def _look_if_it_works(self, name: str) -> InstalledRuntime | None:
        with suppress(RuntimeBrokenError):
            return self._look_at(self._definitions[name])
        return None

    def _look_at(self, definition: RuntimeDefinition) -> InstalledRuntime:
        layout = _LAY_OUT[definition.kind](definition)
        return InstalledRuntime(
            name=definition.name,
            kind=definition.kind,
            hash=self._hash(definition, layout),
            places=layout.places,
            trees=layout.trees,
            environment=layout.environment,
        )

    def _hash(self, definition: RuntimeDefinition, layout: RuntimeLayout) -> str:
        places = sorted(f"{name}={path}" for name, path in layout.hashed.items())
        digits = hashlib.sha256("\0".join(places).encode()).hexdigest()[:32]
        hashes = FileHashes((self._cache or cache_directory()) / f"runtime-{digits}.json")
        content = [definition.kind.value, layout.facts, hashes.hash_all(layout.hashed)]
        hashes.save()
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()
