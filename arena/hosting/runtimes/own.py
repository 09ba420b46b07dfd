"""Reads the runtime `arena`: the interpreter that runs the arena itself, with the packages that it needs."""

from __future__ import annotations

import hashlib
import re
import site
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution
from pathlib import Path

from arena.hosting.bot_environment import package_roots
from arena.hosting.manifest import arena_places
from arena.hosting.runtimes.runtime import RuntimeContents, RuntimeLayout
from arena.hosting.runtimes.settings import RuntimeDefinition

_OURS = "kingmaker-arena"
# What bots.kit needs, where the arena runs from a checkout that was not installed.
_LEAST = ("grpcio", "protobuf")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION = re.compile(r"^Version:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_REQUIRES = re.compile(r"^Requires-Dist:[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def lay_out(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the arena's interpreter lies. Its packages count with the hashes that they were installed with."""
    del definition
    packages = (f"{name}=={version_of(one)} {_record_hash(one)}" for name, one in sorted(_packages().items()))
    return RuntimeLayout(
        places=arena_places(),
        trees=None,
        hashed={"interpreter": Path(sys.executable).resolve()},
        facts=(sys.version, *packages),
    )


def contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return the versions of the arena's interpreter and packages."""
    del definition
    versions = {name: version_of(one) for name, one in sorted(_packages().items())}
    return RuntimeContents(sys.version.split()[0], versions)


def _packages() -> dict[str, Distribution]:
    """Return the arena's own distribution and all that it requires, directly or not, by normal name."""
    found: dict[str, Distribution] = {}
    wanted, places = [_OURS, *_LEAST], _places()
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in found:
            continue
        one = next(iter(Distribution.discover(name=name, path=places)), None)
        if one is not None:
            found[name] = one
            wanted += _required(one)
    return found


def _places() -> list[str]:
    """Return where the interpreter finds packages by itself; a process may have added to its path what no bot sees."""
    user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    return [*map(str, package_roots()), *site.getsitepackages(), *user]


def _required(distribution: Distribution) -> Iterator[str]:
    """Return the names of what a distribution requires; what only its extras need does not count."""
    for line in requirements_of(distribution):
        requirement, _, marker = line.partition(";")
        if "extra" not in marker and (name := _NAME.match(requirement.strip())):
            yield name[0]


def version_of(distribution: Distribution) -> str:
    """Return the version of a distribution, as its own `version` does."""
    found = _VERSION.search(_head(distribution))
    return found[1] if found else distribution.version


def requirements_of(distribution: Distribution) -> Sequence[str]:
    """Return what a distribution requires, extras included, as its own `requires` does."""
    head = _head(distribution)
    return _REQUIRES.findall(head) if head else distribution.requires or ()


def _head(distribution: Distribution) -> str:
    """Return the fields of its METADATA; an empty text if it was installed without that file.

    The standard library parses the file as a mail, for each question anew and with the README that hangs on it, which
    took a tenth of the time of a command.
    """
    return (distribution.read_text("METADATA") or "").partition("\n\n")[0]


def _record_hash(distribution: Distribution) -> str:
    """Return the hash of the list of the files and their hashes with which a distribution was installed."""
    return hashlib.sha256((distribution.read_text("RECORD") or "").encode()).hexdigest()
