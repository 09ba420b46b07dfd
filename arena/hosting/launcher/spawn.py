"""Starts the process of a bot: its directory, its limits, the sandbox around it. For a launcher of one thread."""

from __future__ import annotations

import base64
import os
import resource
import signal
import subprocess
from typing import Any

from arena.hosting.launcher.bot import Bot
from arena.hosting.launcher.confine import confine
from arena.hosting.launcher.uids import take_uid
from arena.hosting.proc.processes import PR_SET_PDEATHSIG, prctl, remove_tree


def start(command: dict[str, Any], launcher: int) -> Bot:
    """Start what a command of the arena asks for. Raises OSError, ValueError, SubprocessError; nothing is left then."""
    os.stat(command["directory"])  # noqa: PTH116 - pathlib would double the start-up
    keep = command["keep"] or {}
    uid, lock = take_uid() if keep.get("own_uid") else (None, None)
    inherited: list[int] = []
    status = None
    try:
        _make_scratch(command["scratch"])
        fillings = {"{uid}": str(uid)}
        if keep.get("wrapped"):
            inherited.append(_feed(base64.b64decode(keep["seccomp"])))
            status, write_end = os.pipe()
            inherited.append(write_end)
            fillings |= {"{seccomp}": str(inherited[0]), "{status}": str(write_end)}
        head = [fillings.get(word, word) for word in keep.get("wrapper", ())]
        bot = Bot(command, _spawn(command, [*head, *command["argv"]], keep, inherited, launcher))
    except BaseException:
        remove_tree(command["scratch"])
        if status is not None:
            os.close(status)
        if lock is not None:
            lock.close()
        raise
    finally:
        for descriptor in inherited:
            os.close(descriptor)
    bot.status_pipe, bot.uid, bot.uid_lock = status, uid, lock
    return bot


def _make_scratch(path: str | None) -> None:
    if path is not None:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120 - as above
        os.mkdir(path, 0o700)  # noqa: PTH102 - as above


def _feed(data: bytes) -> int:
    """A descriptor to read those few bytes from."""
    read_end, write_end = os.pipe()
    os.write(write_end, data)
    os.close(write_end)
    return read_end


def _spawn(
    command: dict[str, Any], argv: list[str], keep: dict[str, Any], inherited: list[int], launcher: int
) -> subprocess.Popen[bytes]:
    def prepare() -> None:
        """In the new process, before its program: die with the launcher, also if that died just now."""
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != launcher:
            os._exit(1)
        for name, limit in keep.get("rlimits", {}).items():
            _set_limit(getattr(resource, name), limit)
        if "landlock" in keep:
            confine(keep["landlock"], base64.b64decode(keep["seccomp"]))

    return subprocess.Popen(
        argv,
        cwd=command["scratch"] or command["directory"],
        env=command["env"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=inherited,
        preexec_fn=prepare,  # safe here: one thread, no gRPC
    )


def _set_limit(which: int, limit: int) -> None:
    """As low as asked, or lower where the host allows no more."""
    _, most = resource.getrlimit(which)
    soft, hard = limit, limit + 1 if which == resource.RLIMIT_CPU else limit  # at the hard one it would be SIGKILL
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))
