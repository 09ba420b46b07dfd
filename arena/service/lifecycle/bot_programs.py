"""Makes what a service knows of its bots' programs from its home and its settings."""

from __future__ import annotations

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import parse_runtimes
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.service.home import Home
from arena.service.settings import ServiceSettings

_AUTO = "auto"


def make_programs(home: Home, settings: ServiceSettings) -> StoredPrograms:
    """Return the programs of a home, in the runtimes that its settings define. Raises RuntimeSettingsError."""
    service = settings.service
    return StoredPrograms(
        VersionStore(home.store),
        policy_of(service.sandbox, allow_reduced=service.allow_reduced_sandbox),
        RuntimeCatalog(parse_runtimes(settings.runtimes, place=str(home.settings_file))),
        home.builds,
    )


def policy_of(sandbox: str, *, allow_reduced: bool) -> SandboxPolicy:
    """Return what the two settings about sandboxes mean."""
    return SandboxPolicy(None if sandbox == _AUTO else sandbox, allow_reduced)
