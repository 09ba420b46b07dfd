"""Finds or makes the bots that a program names: by name, by directory, or as a callable."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.app.bot_store import add_bot
from arena.hosting.builder.build import BuildFailure, build_here
from arena.hosting.manifest import MANIFEST_NAME, BotManifest, ManifestError
from arena.hosting.sample_bots import sample_directory, sample_names
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import StoredVersion
from arena.model.bots import AddedBot
from arena.model.errors import RefusedError, UnknownError, unknown
from arena.model.tournaments import ALL
from arena.scripting.arguments import can_be_path
from arena.scripting.callables import PRINT_NAME, PROGRAM_NAME, PackedCallable, is_callable, pack
from arena.scripting.database_arena import OpenArena
from arena.scripting.errors import CallableError
from arena.scripting.fetch_tables import all_of
from arena.scripting.playing import run_silently
from ratings.values.page import MOST_LIMIT


def find_or_add(arena: OpenArena, bots: Iterable[Any]) -> tuple[str, ...]:
    """Return what the book of record knows these bots by, after adding those that it does not have yet.

    A bot is a name (`greedy`, `greedy@hash`; a sample bot is added when it is first named), a directory with a
    bot.toml, or a callable. What adding raises comes out, and two callables of one name raise CallableError.
    """
    if isinstance(bots, str | os.PathLike) or is_callable(bots) or not isinstance(bots, Iterable):
        raise RefusedError("bots are a list, one for each entrant or seat; write it in brackets")
    packed = [pack(bot) if is_callable(bot) else bot for bot in bots]
    named: dict[str, PackedCallable] = {}
    for one in packed:
        if isinstance(one, PackedCallable):
            known = named.setdefault(one.name, one)
            is_equal = known.files == one.files if one.fingerprint is None else known.fingerprint == one.fingerprint
            if not is_equal:
                raise CallableError(
                    f"two callables are called {one.name!r}; name them with Entrant(bot, name='another')"
                )
    found = []
    for one in packed:
        text = "" if isinstance(one, PackedCallable) else _as_text(one)
        if isinstance(one, str):
            try:
                if text != ALL:
                    arena.port.bots.find_version(text)
                found.append(text)
                continue
            except UnknownError:
                if not _is_there(text) and text not in sample_names():
                    raise _unknown(arena, text) from None
        version = _added_callable(arena, one, None) if isinstance(one, PackedCallable) else add(arena, one, None)
        found.append(f"{version.bot}@{version.content_hash}")
    return tuple(found)


def add(arena: OpenArena, bot: Any, owner: str | None) -> AddedBot:
    """Add a bot, given by a directory, as a callable, or as the name of a sample; nothing changes if it is there."""
    if is_callable(bot):
        return _added_callable(arena, pack(bot), owner)
    text = _as_text(bot)
    if not can_be_path(text) or not (text.isprintable() or _is_there(text)):
        raise _unknown(arena, text)
    directory = Path(text).expanduser()
    if isinstance(bot, str) and text in sample_names() and not (directory / MANIFEST_NAME).is_file():
        directory = sample_directory(text)
    return add_bot(arena.database, arena.programs, directory, owner, _build)


def _as_text(bot: Any) -> str:
    if not isinstance(bot, str | os.PathLike):
        raise CallableError(
            f"{type(bot).__name__} is no bot; give a name, a directory with a bot.toml, or a function of a decision"
        )
    return os.fsdecode(bot)


def _is_there(text: str) -> bool:
    return can_be_path(text) and Path(text).expanduser().exists()


def _unknown(arena: OpenArena, text: str) -> UnknownError:
    """Return the error for a bot that is nowhere, with the nearest that is in the database or among the samples."""
    known = [bot.name for bot in all_of(lambda after: arena.port.bots.list_bots(MOST_LIMIT, after))]
    remedy = "Arena.bots() shows all; a directory, a sample bot or a callable will do, too"
    return unknown("bot", text.partition("@")[0], [*known, *sample_names()], remedy)


def _added_callable(arena: OpenArena, packed: PackedCallable, owner: str | None) -> AddedBot:
    """Add a callable unless an equal one is there.

    Raises CallableError if another kind of bot has its name, or it cannot be a bot with what is said of it.
    """
    is_taken = packed.name in sample_names()
    if not is_taken:
        with suppress(UnknownError):
            newest = arena.port.bots.get_bot(packed.name).newest
            is_taken = PROGRAM_NAME not in newest.manifest.get("command", ())
    if is_taken:
        raise CallableError(
            f"a bot that is no callable is called {packed.name!r}; name yours with Entrant(bot, name='another')"
        )
    known = None if owner is not None else _known(arena, packed)
    if known is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="kingmaker-callable-") as made:
        packed.write(Path(made))
        try:
            return add_bot(arena.database, arena.programs, Path(made), owner, _build)
        except ManifestError as error:  # which names the file, and nobody but us has written that
            raise CallableError(str(error).replace(str(Path(made) / MANIFEST_NAME), packed.name)) from error


def _known(arena: OpenArena, packed: PackedCallable) -> AddedBot | None:
    """Return the version, of those added last, that has the same fingerprint."""
    if packed.fingerprint is None:
        return None
    try:
        versions = arena.port.bots.list_versions(packed.name).items
    except UnknownError:
        return None
    for version in versions:
        fingerprint = None
        if version.withdrawn_at_us is None and version.directory is not None:
            with suppress(OSError, UnicodeDecodeError):
                fingerprint = (Path(version.directory) / PRINT_NAME).read_text(encoding="ascii").strip()
        if fingerprint == packed.fingerprint:
            return AddedBot(
                packed.name,
                version.version_id,
                version.number,
                version.content_hash,
                BotManifest.from_json(version.manifest).to_json(),
                version.created_at_us,
                new=False,
            )
    return None


def _build(programs: StoredPrograms, stored: StoredVersion, has_owner: bool) -> None:
    """Build a version that needs it. Raises RefusedError with the last line that its build command said."""
    outcome = run_silently(lambda: build_here(programs, stored, has_owner=has_owner))
    if isinstance(outcome, BuildFailure):
        said = next((line for line in reversed(outcome.last_lines) if line.strip()), "")
        told = f"; it said last: {said.strip()}" if said else ""
        raise RefusedError(f"{stored.manifest.name} was not added: {outcome.sentence}{told}")
