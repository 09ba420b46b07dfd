"""Builds the command line of level `standard`: bubblewrap around a bot. Runs nothing.

Inside there are a read-only system, the interpreter at its own place, the bot at /bot, an empty directory of limited
size, and the referee's socket; no network, no other process, no privilege. Words in braces are filled in by the
launcher.
"""

from __future__ import annotations

import resource
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.bot_environment import kit_places, python_trees, system_settings, system_trees
from arena.hosting.sandbox.limits import SandboxLimits
from engine.translatable import Text, joined

BOT = Path("/bot")
SOCKET = Path("/run/arena.sock")
WORK = Path("/tmp/bot")
"""Always empty at the start; /tmp itself is not if the arena is installed below it."""
UID, SECCOMP, STATUS = "{uid}", "{seccomp}", "{status}"
_TOOL_PATH = "/usr/bin:/usr/sbin:/bin:/sbin"
SHARED_MEMORY_BYTES = 8 << 20
_SPARE_PROCESSES = 32
"""The kernel's limit lies above the watchdog's, so that a fork bomb is ended with its cause reported."""
PER_USER = {"sigpending": 1024, "memlock": 64 << 10}
"""What the kernel limits for each user of a user namespace: signals that wait and timers, which are its own memory, and
bytes that may not be swapped out, on which programs that keep secrets count."""
_COUNTERS = (
    *("buddyinfo", "diskstats", "interrupts", "key-users", "keys", "latency_stats", "locks", "mdstat", "pagetypeinfo"),
    *("sched_debug", "schedstat", "slabinfo", "softirqs", "swaps", "timer_list", "vmallocinfo", "vmstat", "zoneinfo"),
)
_FOLDERS_OF_COUNTERS = ("fs", "irq", "pressure", "sys/fs", "sys/kernel/pty")
"""What /proc counts for the whole machine and no program needs: one bot can move it, and another one read it."""
_OUTERMOST = (Path("/usr"), Path("/run"), Path("/etc"))


class MissingToolError(Exception):
    """A program that the sandbox needs is not installed; the message names the remedy."""


def find_tool(name: str) -> str:
    """Return the path of a system program. Raises MissingToolError."""
    found = shutil.which("bwrap") if name == "bwrap" else shutil.which(name, path=_TOOL_PATH)
    if found is None:
        package = "bubblewrap" if name == "bwrap" else "util-linux"
        raise MissingToolError(
            joined(
                Text("{name} is not installed", name=name),
                Text("install it with: apt-get install {package}", package=package),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class SandboxMounts:
    """What a bot sees of this machine besides the system."""

    directory: Path
    """Where its files lie."""
    trees: Sequence[Path] | None = None
    """What its runtime needs; None for what the arena's own Python does."""
    is_writable: bool = False
    """Whether it may change its files; it works there then."""


def wrapper(limits: SandboxLimits, shown: SandboxMounts, *, own_uid: bool) -> list[str]:
    """Return the words to put in front of a bot's command.

    With `own_uid` root starts it, or a user in a namespace where he is root, and it gets a user id of its own. Raises
    MissingToolError.
    """
    words = [find_tool("bwrap"), "--die-with-parent", "--hostname", "bot", "--json-status-fd", STATUS]
    words += _namespaces(own_uid=own_uid)
    words += _mounts(limits, shown)
    words += ["--seccomp", SECCOMP, "--chdir", str(BOT if shown.is_writable else WORK), "--"]
    if own_uid:
        words += [find_tool("setpriv"), "--reuid", UID, "--regid", UID, "--clear-groups", "--inh-caps=-all", "--"]
    # Inside, since outside each would count what all bots of this user have, and one could use it up for all. That of
    # processes does not bind root, hence setpriv comes first.
    bounds = {"nproc": most_processes(limits)} | {name: _at_most(name, most) for name, most in PER_USER.items()}
    return [*words, find_tool("prlimit"), *(f"--{name}={most}:{most}" for name, most in bounds.items()), "--"]


def _at_most(name: str, most: int) -> int:
    """Return a limit, lower than asked if this process itself may have no more."""
    _, own = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
    return most if own == resource.RLIM_INFINITY else min(own, most)


def most_processes(limits: SandboxLimits) -> int:
    """Return how many processes and threads the kernel allows in the sandbox."""
    return limits.processes + _SPARE_PROCESSES


def _namespaces(*, own_uid: bool) -> list[str]:
    if own_uid:
        spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        return [*spaces, "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"]


def _mounts(limits: SandboxLimits, shown: SandboxMounts) -> list[str]:
    words = [word for path in _OUTERMOST for word in _directory(path)]
    for tree in system_trees():
        words += ["--ro-bind", str(tree), str(tree)]
    words += _root_links()
    for path in system_settings():
        words += ["--ro-bind-try", str(path), str(path)]
    words += [*_proc(), "--dev", "/dev"]
    # Terminals are counted for the whole machine: without them bots can neither use them up nor tell who has some.
    words += ["--perms", "0755", "--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    # Mapped, it would be shared memory of any size, whatever the filter says of memory without a file.
    words += ["--ro-bind", "/dev/null", "/dev/zero"]
    # Writable for any user, and limited: by default /dev would be a tmpfs without a size.
    words += ["--perms", "1777", "--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    words += ["--perms", "1777", "--size", str(limits.disk_mb << 20), "--tmpfs", "/tmp"]
    words += ["--perms", "1777", "--dir", str(WORK)]
    trees = python_trees() if shown.trees is None else shown.trees
    hidden = _hidden(shown.directory, [*system_trees(), *trees])
    words += _trees(trees, hidden)
    words += ["--bind" if shown.is_writable else "--ro-bind", str(shown.directory), str(BOT)]
    if limits.socket is not None:
        words += ["--bind", str(limits.socket), str(SOCKET)]
    words += [word for place in hidden for word in ("--remount-ro", str(place))]
    return [*words, "--remount-ro", "/"]


def _proc() -> Iterator[str]:
    """Return the words for a /proc that can be read only: what is written there weighs, names and hides processes."""
    yield from ("--proc", "/proc")
    for path in (Path("/proc", name) for name in _COUNTERS):
        if path.exists():
            yield from ("--ro-bind", "/dev/null", str(path))
    for path in (Path("/proc", name) for name in _FOLDERS_OF_COUNTERS):
        if path.exists():
            yield from ("--perms", "0755", "--size", "4096", "--tmpfs", str(path), "--remount-ro", str(path))
    yield from ("--remount-ro", "/proc")


def _directory(path: Path) -> list[str]:
    # By default bubblewrap makes directories that only their owner may enter.
    return ["--perms", "0755", "--dir", str(path)]


def _root_links() -> Iterator[str]:
    """Return the words for /bin, /lib and so on: links into /usr on a modern system, directories on others."""
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))


def _hidden(directory: Path, trees: Sequence[Path]) -> list[Path]:
    """Return what lies within a tree that is shown and is not for bots.

    That is the directory of the store with its database, and what is installed beside the kit.
    """
    places = [directory.parent.parent, *kit_places()]
    return [place for place in places if any(place != tree and place.is_relative_to(tree) for tree in trees)]


def _trees(trees: Sequence[Path], hidden: Sequence[Path]) -> list[str]:
    """Return the words that bind trees at their own places, outer ones first, and cover hidden directories in them."""
    words: list[str] = []
    shown = dict.fromkeys(system_trees(), True)
    made = {Path("/"), Path("/tmp"), *_OUTERMOST}
    for place in sorted({*trees, *hidden}, key=lambda path: (len(path.parts), path)):
        if place not in hidden and _is_shown(place, shown):
            continue
        for parent in reversed(place.parents):
            if parent not in made and not _is_shown(parent, shown):
                words += _directory(parent)
                made.add(parent)
        shown[place] = place not in hidden
        if place in hidden:
            words += ["--perms", "0755", "--size", "4096", "--tmpfs", str(place)]
        else:
            words += ["--ro-bind", str(place), str(place)]
    return words


def _is_shown(path: Path, shown: Mapping[Path, bool]) -> bool:
    """Return whether the innermost place around a path is bound rather than hidden."""
    around = [place for place in shown if path.is_relative_to(place)]
    return bool(around) and shown[max(around, key=lambda place: len(place.parts))]
