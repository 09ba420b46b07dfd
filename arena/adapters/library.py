"""The errors that the adapters raise on purpose, and the loader of the optional packages that they are made for.

Every message is one line that ends with the remedy.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final

REMEDY: Final = "install it by `pip install 'kingmaker-arena[research]'`"


class AdapterError(ValueError):
    """An argument that an adapter does not take."""


class LibraryError(ImportError):
    """The package of an adapter is not installed, or is of a version that it does not know."""


class OpponentError(RuntimeError):
    """A bot in another seat could not play on, and the playing ends with that: `seat` tells which."""

    def __init__(self, seat: int, message: str) -> None:
        super().__init__(message)
        self.seat = seat


class TableError(RuntimeError):
    """The process that hosts the other seats failed. It is nobody's fault in the playing; `reset` begins anew."""


@dataclass(frozen=True, slots=True)
class Library:
    """A package, and the versions of it that its adapter was made for."""

    title: str
    distribution: str
    module: str
    least: str
    below: str
    """The first version after `least` that is not known; empty if only `least` itself is."""
    has: str
    """What its module has: a file of the same name beside somebody's program has it not."""

    def is_known(self, version: str) -> bool:
        """Return whether the adapter was made for that version."""
        if not self.below:
            return version == self.least
        return _numbers(self.least) <= _numbers(version) < _numbers(self.below)

    def known(self) -> str:
        """Return the versions that are known, in words."""
        return f"{self.least} to below {self.below}" if self.below else self.least


LIBRARIES: Final = {
    library.module: library
    for library in (
        Library("PettingZoo", "pettingzoo", "pettingzoo", "1.26", "2", "AECEnv"),
        Library("Gymnasium", "gymnasium", "gymnasium", "1.2", "2", "Env"),
        Library("OpenSpiel", "open_spiel", "pyspiel", "2.0.2", "", "PlayerId"),
    )
}
"""By the module that is imported; the extra `research` in pyproject.toml asks for the same versions."""


def load(module: str) -> Any:
    """Return one of the modules of `LIBRARIES`, or one below it. Raises LibraryError."""
    library = LIBRARIES[module.partition(".")[0]]
    try:
        version = metadata.version(library.distribution)
    except metadata.PackageNotFoundError:
        raise LibraryError(f"{library.title} is not installed; {REMEDY}") from None
    if not library.is_known(version):
        raise LibraryError(f"{library.title} {version} is installed, and {library.known()} is needed; {REMEDY}")
    try:
        top, found = importlib.import_module(library.module), importlib.import_module(module)
    except Exception as error:  # whatever it is that a package raises which does not fit those beside it
        why = " ".join(str(error).split())
        raise LibraryError(f"{library.title} {version} cannot be loaded ({why:.200}); {REMEDY}") from error
    if not hasattr(top, library.has):
        place = getattr(top, "__file__", None)
        raise LibraryError(f"the module {library.module} in {place} is not {library.title}; rename it, or {REMEDY}")
    return found


def _numbers(version: str) -> tuple[int, ...]:
    found = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        found.append(int(part))
    return tuple(found)
