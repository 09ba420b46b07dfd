"""The programs of a service's bots: its store, what its settings say of sandbox and runtimes, and what was built."""

from __future__ import annotations

from arena.hosting.runtimes.book import Runtimes
from arena.hosting.runtimes.errors import RuntimeSettingsError
from arena.hosting.runtimes.settings import parse_runtimes
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.service.errors import SettingsError
from arena.service.home import Home
from arena.service.settings.values import ServiceSettings

AUTO = "auto"


def make_programs(home: Home, settings: ServiceSettings) -> StoredPrograms:
    """Return the programs of a home, in the sandbox and the runtimes of the settings. Raises SettingsError."""
    service = settings.service
    level = None if service.sandbox == AUTO else service.sandbox
    policy = SandboxPolicy(level, service.allow_reduced_sandbox)
    return StoredPrograms(VersionStore(home.store), policy, make_runtimes(home, settings), home.builds)


def make_runtimes(home: Home, settings: ServiceSettings) -> Runtimes:
    """Return the runtimes that the settings define. Raises SettingsError."""
    try:
        return Runtimes(parse_runtimes(settings.runtimes, place=str(home.settings_file)))
    except RuntimeSettingsError as error:
        raise SettingsError(str(error)) from error
