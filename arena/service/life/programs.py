"""Makes what a service knows of its bots' programs from its home and its settings."""

from __future__ import annotations

from arena.hosting.runtimes.book import Runtimes
from arena.hosting.runtimes.settings import parse_runtimes
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.service.home import Home
from arena.service.settings.values import ServiceSettings

_AUTO = "auto"


def make_programs(home: Home, settings: ServiceSettings) -> StoredPrograms:
    """Return the programs of a home, in the runtimes that its settings define. Raises RuntimeSettingsError."""
    service = settings.service
    level = None if service.sandbox == _AUTO else service.sandbox
    return StoredPrograms(
        VersionStore(home.store),
        SandboxPolicy(level, service.allow_reduced_sandbox),
        Runtimes(parse_runtimes(settings.runtimes, place=str(home.settings_file))),
        home.builds,
    )
