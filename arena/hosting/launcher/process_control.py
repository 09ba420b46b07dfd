"""Sends signals to a bot with all its processes: ends them, freezes them, and thaws them. For the launcher: one thread.

To freeze a bot in a sandbox, a small process of ours enters the bot's PID namespace and signals everybody in it: that
is atomic against forks, because the kernel refuses them while a signal is pending, and reaches whatever group or
session a process is in. Without a sandbox the group and the descendants are signalled one by one, which a bot that
wants to can escape.
"""

from __future__ import annotations

import fcntl
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from arena.hosting.cgroups.cgroup import Cgroup
from arena.hosting.launcher.launched_bot import FreezeError, LaunchedBot, ProcessFreezer
from arena.hosting.prctl import CLONE_NEWUSER, PR_SET_DUMPABLE, prctl, set_namespace
from arena.hosting.procfs.processes import Relations, is_ending, list_children, list_descendants, read_relations
from engine.translatable import Text, to_json

TRIES = 3
"""How often it is tried again when the process inside was stopped or killed, which only the bot there can have done."""
_CLONE_NEWPID = 0x20000000
_NS_GET_USERNS = 0xB701
_DONE, _IMPOSSIBLE, _DISTURBED = range(3)


def signal_bot(bot: LaunchedBot, number: int) -> None:
    """Signal a bot's process group. Its leader is not reaped yet, so its number cannot belong to another group.

    Where it has a control group all of that is killed, and one that is frozen is thawed, since it would not end.
    """
    if bot.group is not None:
        _signal_group(bot.group, number)
    if bot.is_wrapped and number != signal.SIGKILL and not bot.has_exited:
        _signal_inside(bot, number)
        return
    try:
        os.killpg(bot.pid, number)
    except ProcessLookupError:
        pass
    except PermissionError:
        # macOS refuses to signal a group in which one member is a zombie.
        if bot.process.returncode is None:
            os.kill(bot.pid, number)


def _signal_group(group: Cgroup, number: int) -> None:
    if number == signal.SIGKILL:
        group.kill()
        return
    with suppress(OSError):  # it is gone
        group.thaw()


def _signal_inside(bot: LaunchedBot, number: int) -> None:
    """Signal the bot inside a sandbox. The sandbox itself would die at once and take the bot along."""
    for init in list_children(bot.pid):
        for pid in list_children(init):
            relations = read_relations(pid)
            if relations is not None and relations.parent == init:
                signal_exactly(pid, relations, number)


def signal_exactly(pid: int, relations: Relations, number: int = signal.SIGKILL) -> None:
    """Signal a process that is not our child, unless its id belongs to another process by now."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        now = read_relations(pid)
        if now is not None and replace(now, is_zombie=relations.is_zombie) == relations:
            signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        pass
    finally:
        os.close(handle)


Outcome = dict[str, Any]


class _SignalFreezer(ABC):
    """Stops a bot whose outermost process is `pid`, and lets it go on, by signals."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def freeze(self) -> None:
        """Stop them: nothing of the bot computes any more when this returns. Raises FreezeError."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let all of them go on. Raises FreezeError."""
        self._signal(signal.SIGCONT)

    @abstractmethod
    def _signal(self, number: int) -> None:
        """Send everybody a signal. Raises FreezeError."""


class NamespaceFreezer(_SignalFreezer):
    """For a bot in a sandbox, with a PID namespace of its own: everybody in it but its first process is signalled.

    That one is the sandbox itself.
    """

    is_whole = True

    def _signal(self, number: int) -> None:
        outcome = _DISTURBED
        for _ in range(TRIES):
            first = next(iter(list_children(self._pid)), None)
            if first is None:
                return  # the sandbox has ended
            outcome = _signal_namespace(first, number)
            if outcome == _DONE or is_ending(first):
                return
        if outcome == _DISTURBED:
            raise FreezeError(
                Text("It stopped or killed the process that puts it to sleep."),
                is_own=True,
            )
        raise FreezeError(Text("Its namespaces cannot be entered."))


class TreeFreezer(_SignalFreezer):
    """For a bot without a sandbox: its group, and its descendants as far as they are found. Best effort.

    Parents are signalled before children, so that whoever is stopped has no more children later.
    """

    is_whole = False

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)
        for pid in list_descendants(self._pid)[1:]:
            relations = read_relations(pid)
            if relations is not None and relations.group != self._pid:
                signal_exactly(pid, relations, number)


def freezer_of(bot: LaunchedBot) -> ProcessFreezer:
    """Return what freezes a bot: its own freezer if its level gave it one."""
    if bot.freezer is not None:
        return bot.freezer
    return NamespaceFreezer(bot.pid) if bot.is_wrapped else TreeFreezer(bot.pid)


def freeze(bot: LaunchedBot) -> Outcome:
    """Stop all of a bot, and return what came of it."""
    freezer = freezer_of(bot)
    return _outcome_of(freezer, freezer.freeze)


def thaw(bot: LaunchedBot) -> Outcome:
    """Let all of a bot go on, and return what came of it."""
    freezer = freezer_of(bot)
    return _outcome_of(freezer, freezer.thaw)


def _outcome_of(freezer: ProcessFreezer, action: Callable[[], None]) -> Outcome:
    """Return the outcome as it is told to the worker (`messages.FreezeOutcome`)."""
    try:
        action()
    except FreezeError as error:
        return {"problem": to_json(str(error)), "is_own": error.is_own, "is_whole": freezer.is_whole}
    return {"problem": "", "is_own": False, "is_whole": freezer.is_whole}


def _signal_namespace(first: int, number: int) -> int:
    """Signal everybody in the namespace of process `first`, and return how that went."""
    middle = os.fork()
    if middle:
        return os.waitstatus_to_exitcode(os.waitpid(middle, 0)[1])
    outcome = _IMPOSSIBLE
    try:
        outcome = _enter_and_signal(first, number)
    except OSError:
        pass  # told by the status; if the sandbox has ended meanwhile, the caller finds that out
    finally:
        os._exit(outcome)


def _enter_and_signal(first: int, number: int) -> int:
    """Have a child in that namespace signal it, from a process that is made for this. Raises OSError."""
    space = os.open(f"/proc/{first}/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    if os.fstat(space).st_ino == os.stat("/proc/self/ns/pid").st_ino:  # noqa: PTH116 - pathlib is slow to load
        return _IMPOSSIBLE  # it would signal every process of this machine
    owner = fcntl.ioctl(space, _NS_GET_USERNS)
    prctl(PR_SET_DUMPABLE, 0)  # nobody inside may look into it
    # An ordinary user gets the right to enter a namespace by entering the user namespace that owns it: his own.
    if os.fstat(owner).st_ino != os.stat("/proc/self/ns/user").st_ino:  # noqa: PTH116 - as above
        set_namespace(owner, CLONE_NEWUSER)
    set_namespace(space, _CLONE_NEWPID)
    inside = os.fork()
    if inside:
        # A bot of the same user can stop it or kill it; it cannot touch this process, which it does not see.
        status = os.waitpid(inside, os.WUNTRACED)[1]
        if os.WIFSTOPPED(status):
            os.kill(inside, signal.SIGKILL)
        return _DONE if status == 0 else _DISTURBED
    try:
        with suppress(ProcessLookupError):  # nobody is left but the first process
            os.kill(-1, number)
    finally:
        os._exit(_DONE)
