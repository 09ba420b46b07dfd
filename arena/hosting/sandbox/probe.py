"""Finds out whether a level works here, by the real command line, once per boot, kernel, version and interpreter.

Only success is remembered, in the user's cache directory; after a failure it is tried again, so that a remedy helps
at once.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from arena.hosting.cgroups.hierarchy import GroupError, GroupPlace
from arena.hosting.cgroups.offer import find_offer
from arena.hosting.errors import HostingError
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.procfs.machine import read_boot_id
from arena.hosting.sandbox.bubblewrap import MissingToolError, SandboxMounts, wrapper
from arena.hosting.sandbox.limits import STRICT, WRAPPED_LEVELS, SandboxLimits
from arena.hosting.sandbox.seccomp import UnknownMachineError, seccomp_filter
from arena.hosting.sandbox.trial import PROGRAM, SandboxCheck, try_level
from arena.hosting.user_directories import cache_directory
from engine.translatable import Text, all_of, split

T = TypeVar("T")
_APPARMOR = Text(
    "AppArmor keeps bubblewrap from its namespaces: give bwrap a profile that allows userns, or run `sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0`"
)
_FORBIDDEN = Text(
    "user namespaces are forbidden here: run `sysctl user.max_user_namespaces=10000` (on older systems also "
    "kernel.unprivileged_userns_clone=1); in a container, start that with --cap-add SYS_ADMIN and "
    "--security-opt seccomp=unconfined"
)
_REMEDIES = {"uid map": _APPARMOR, "RTM_NEWADDR": _APPARMOR, "namespace": _FORBIDDEN, "not permitted": _FORBIDDEN}
_CHECK_DOCTOR = Text("look at the sandbox lines of `arena doctor`")


@dataclass(frozen=True, slots=True)
class Probe:
    """What a trial of a level showed."""

    level: str
    checks: Sequence[SandboxCheck] = ()
    """Empty if nothing could be started, or if an earlier success is remembered."""
    problem: str = ""
    remedy: str = ""

    @property
    def works(self) -> bool:
        """Whether strangers' bots may run in it."""
        return not self.problem


def probe(level: str, *, remembered: bool = True) -> Probe:
    """Try a level; with `remembered`, an earlier success is enough. Blocks a running event loop."""
    if sys.platform != "linux":
        return Probe(level, (), Text("sandboxes need Linux"), Text("run the arena on Linux"))
    try:
        offer = find_offer() if level == STRICT else None
    except GroupError as error:
        what, remedy = split(str(error))
        return Probe(level, (), what, remedy)
    try:
        success = _success_file(level, offer)
    except (MissingToolError, UnknownMachineError) as error:
        what, remedy = split(str(error))
        return Probe(level, (), what, remedy or Text("take an x86_64 or aarch64 machine"))
    if remembered and success.exists():
        return Probe(level)
    found = _try(level)
    with suppress(OSError):  # without a cache directory it is tried in every run
        if found.works:
            success.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            success.touch()
        else:
            success.unlink(missing_ok=True)
    return found


def explain_shared_ids() -> str:
    """Return why bots of this user cannot have user ids of their own, with the remedy; an empty text if they can."""

    async def ask() -> str:
        async with LauncherClient() as launcher:
            return await launcher.explain_shared_ids()

    try:
        return _run(ask())
    except (HostingError, OSError) as error:
        return str(error)


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns, in a thread with an event loop of its own: the caller may be running one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _try(level: str) -> Probe:
    try:
        checks = _run(try_level(level))
    except (HostingError, OSError) as error:
        why = str(error)
        return Probe(
            level, (), why, next((remedy for words, remedy in _REMEDIES.items() if words in why), _CHECK_DOCTOR)
        )
    failed = [check for check in checks if not check.holds]
    problem = all_of(Text("{what}: no ({why})", what=check.name, why=check.found) for check in failed)
    return Probe(level, checks, problem, _CHECK_DOCTOR if failed else "")


def _success_file(level: str, offer: GroupPlace | None) -> Path:
    """Return the file that records success with this command line, filter, interpreter, user, kernel and boot."""
    own_uid = os.geteuid() == 0
    words = (
        wrapper(SandboxLimits(level), SandboxMounts(PROGRAM.parent), own_uid=own_uid) if level in WRAPPED_LEVELS else []
    )
    with suppress(OSError):
        words.append(read_boot_id())
    if shutil.which("newuidmap"):
        with suppress(OSError):
            words.append(Path("/etc/subuid").read_text("utf-8", "replace"))
    if words:
        words.append(str(Path(words[0]).stat().st_mtime_ns) if level in WRAPPED_LEVELS else "")
    if offer is not None:
        words.append(str(offer.version))
    words += [level, platform.release(), sys.version, sys.prefix, sys.executable, str(os.geteuid())]
    digest = hashlib.sha256("\0".join(words).encode() + seccomp_filter() + PROGRAM.read_bytes()).hexdigest()
    return cache_directory() / f"sandbox-{level}-{digest[:32]}"
