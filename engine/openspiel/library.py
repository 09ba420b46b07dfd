"""OpenSpiel itself: which version is installed, and the module, loaded when a game is played."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Any, Final

from engine.core import UnknownGameError
from engine.text import Text

VERSION: Final = "2.0.2"
"""The only version that is played: its rules stand in every record, and another one's may differ."""
REMEDY: Final = Text(
    "openspiel.install_pip_install_kingmaker_arena", "install it by `pip install 'kingmaker-arena[openspiel]'`"
)
_DISTRIBUTION: Final = "open_spiel"


@cache
def installed_version() -> str | None:
    """Return the version of OpenSpiel that is installed, or None. OpenSpiel is not imported for it."""
    try:
        return metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return None


def is_usable() -> bool:
    """Return whether the version that is played is installed."""
    return installed_version() == VERSION


def need_usable(name: str) -> None:
    """Raise UnknownGameError with the remedy unless games can be played here; `name` is what was asked for."""
    installed = installed_version()
    if installed is None:
        raise UnknownGameError(
            Text(
                "openspiel.game_openspiel_which_not_installed",
                "{name} is a game of OpenSpiel {version}, which is not installed; {remedy}",
                name=name,
                version=VERSION,
                remedy=REMEDY,
            )
        )
    if installed != VERSION:
        raise UnknownGameError(
            Text(
                "openspiel.game_openspiel_installed",
                "{name} is a game of OpenSpiel {version}, and {installed} is installed; {remedy}",
                name=name,
                version=VERSION,
                installed=installed,
                remedy=REMEDY,
            )
        )


@cache
def load() -> Any:
    """Return the module `pyspiel`. Raises UnknownGameError if it cannot be loaded."""
    try:
        import pyspiel
    except ImportError as error:
        raise UnknownGameError(
            Text(
                "openspiel.openspiel_cannot_loaded",
                "OpenSpiel {version} cannot be loaded ({error}); {remedy}",
                version=VERSION,
                error=error,
                remedy=REMEDY,
            )
        ) from error
    return pyspiel
