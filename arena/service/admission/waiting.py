"""Why versions wait although nothing is wrong with them: the machine has no sandbox that works."""

from __future__ import annotations

from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.sandbox.programs import StoredPrograms
from engine.text import Text

NO_SANDBOX = Text(
    "service.waits_no_bot_owner_can",
    "It waits: no bot of an owner can run at this service now, because its sandbox does not work; the "
    "organiser sees why with `arena serve --check`.",
)
SANDBOX = "sandbox"
"""The part of the service's health that tells of it."""


def sandbox_problem(programs: StoredPrograms) -> str:
    """Return why bots of owners cannot run here, with the remedy, or an empty text if they can. It may take seconds."""
    try:
        programs.sandbox_level(has_owner=True)
    except SandboxUnavailableError as error:
        return str(error)
    return ""
