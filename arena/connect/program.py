"""Makes a bot's directory into a program that is ready to run, and tells its author why if that cannot be."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from arena.connect.errors import BotFailsError
from arena.connect.news import Note, OnNews
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.builder.preparing import prepare_copy
from arena.hosting.manifest import BotManifest, load_manifest
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.match.spec import SeatSpec, program_seat
from engine.text import Text

DEFAULT_VERSION_DIGITS = 12


@dataclass(frozen=True, slots=True)
class LocalProgram:
    """A version of a bot that is ready to run on this machine."""

    manifest: BotManifest
    hash: str
    seat: SeatSpec
    """What its processes are started with."""

    @property
    def default_version(self) -> str:
        """What the version is called unless its author has another word for it."""
        return self.hash[:DEFAULT_VERSION_DIGITS]


async def prepare(
    directory: Path, policy: SandboxPolicy, runtimes: RuntimeCatalog, root: Path | None, tell: OnNews
) -> LocalProgram:
    """Copy the files of a bot to where this user's copies lie, build it if it needs that, and return its program.

    Raises BotDirectoryError, StoreError, HostingError; BotFailsError, after its log was told, if it cannot be built.
    """

    def announce(manifest: BotManifest) -> None:
        tell(
            Note(
                Text(
                    "connect.building_with",
                    "building {name} with `{command}`",
                    name=manifest.name,
                    command=shlex.join(manifest.build),
                )
            )
        )

    prepared = await prepare_copy(directory, policy, runtimes, root, announce)
    if isinstance(prepared, BuildFailure):
        for line in prepared.last_lines:
            tell(Note(f"| {line}"))
        raise BotFailsError(
            Text(
                "command.cannot_built",
                "{directory} cannot be built: {why}",
                directory=load_manifest(directory).name,
                why=prepared.sentence,
            )
        )
    name = prepared.manifest.name
    seat = program_seat(name, prepared.version, prepared.program, prepared.level)
    return LocalProgram(prepared.manifest, prepared.version, seat)
