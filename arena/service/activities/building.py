"""Builds versions before they are looked at or play, unless they are built already for their runtime as it is."""

from __future__ import annotations

import asyncio

from arena.hosting.builder.build import BuildFailure, build_version
from arena.hosting.sandbox.programs import StoredPrograms
from arena.model.admissions import Finding
from arena.service.supervision import Supervisor
from arena.trial.trials import TrialCheck, failed
from ratings.read.tournaments import entrant_versions
from ratings.store.database import Database

_SHOWN_CHARACTERS = 4000


async def build_for_admission(programs: StoredPrograms, version: str, *, has_owner: bool) -> Finding | None:
    """Build a version, and return what its author did wrong, with the end of the log; None if it can be looked at.

    Raises BotDirectoryError, StoreError, HostingError.
    """
    outcome = await build_version(programs, version, has_owner=has_owner)
    if not isinstance(outcome, BuildFailure):
        return None
    return failed(TrialCheck.START, outcome.sentence, {"log": outcome.log[-_SHOWN_CHARACTERS:]})


async def build_entrants(
    database: Database, programs: StoredPrograms, tournament_id: str, supervisor: Supervisor
) -> None:
    """Build every entrant of a tournament anew whose runtime has changed since it was built.

    Raises BotDirectoryError, StoreError, HostingError.
    """
    for version, bot in await asyncio.to_thread(entrant_versions, database, tournament_id):
        if version.manifest.get("build"):
            outcome = await build_version(programs, version.content_hash, has_owner=bot.owner_id is not None)
            about = f"build of {version.id}"
            if not isinstance(outcome, BuildFailure):
                supervisor.problems.end(about)
            elif supervisor.problems.is_new(about, outcome.sentence):
                log, short = supervisor.log, version.content_hash[:12]
                log.warning("not built", bot=bot.name, version=short, why=outcome.sentence)
