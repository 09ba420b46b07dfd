"""Everything that keeps a service from starting; each message is one line with the remedy.

DaemonError
├── SettingsError      a setting is unknown or has a wrong value
├── HomeError          the home directory cannot be used
│   └── HomeHeldError  another `arena serve` runs on this home
└── ListenError        an address cannot be listened on
"""

from typing import ClassVar


class DaemonError(Exception):
    """The root of what this package raises on purpose."""

    kind: ClassVar[str] = "failed"


class SettingsError(DaemonError):
    """A setting is unknown, or has a value that it cannot have."""

    kind = "misuse"


class HomeError(DaemonError):
    """The home directory cannot be used."""


class HomeHeldError(HomeError):
    """Another `arena serve` runs on this home."""


class ListenError(DaemonError):
    """An address cannot be listened on."""
