"""Machines unlike this one: another kernel, no room for processes or files, no Linux; and a user who is not root."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import pytest

from arena.hosting.launcher import client
from arena.hosting.prctl import die_with_parent
from arena.hosting.procfs import processes, tree, usage
from arena.hosting.procfs import run_delay as waiting
from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT

KERNEL = "linux.uml"
MISSING = "" if shutil.which(KERNEL) else f"{KERNEL} is not installed: apt-get install user-mode-linux"
_INIT = """#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs -o mode=1777 tmpfs {empty}
export HOME={empty} TMPDIR={empty} PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin PYTHONDONTWRITEBYTECODE=1
cd {root}
{command}
halt -f
"""


def run_booted(directory: Path, command: Sequence[str]) -> str:
    """Run a command as all that there is in a kernel of its own, and return what stood on its console at the end."""
    init = directory / "init"
    words = {"root": shlex.quote(str(ROOT)), "command": shlex.join(command), "empty": _empty_place()}
    init.write_text(_INIT.format(**words), encoding="utf-8")
    init.chmod(0o755)
    booted = [KERNEL, "mem=1G", "rootfstype=hostfs", "rootflags=/", "rw", f"init={init}", "con=null", "con0=fd:0,fd:1"]
    with subprocess.Popen(
        [*booted, "quiet"],
        env={"PATH": os.environ["PATH"], "HOME": str(directory)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=partial(die_with_parent, signal.SIGKILL),  # it would go on for ever if the test is killed
        text=True,
        errors="replace",
    ) as kernel:
        try:
            return kernel.communicate(timeout=PATIENCE_S)[0]
        finally:
            if kernel.poll() is None:
                os.killpg(kernel.pid, signal.SIGKILL)


def why_not_booted(console: str) -> str:
    """Return why the kernel cannot run on this machine, by what stood on its console; nothing if it can.

    It sets the registers of its processes in a size of its own. Where the processor has more of them (AMX), the
    machine's kernel refuses that, and the first process in there is killed before it did anything.
    """
    if "ptrace set fp regs failed" in console:
        return f"{KERNEL} cannot run on this processor, whose registers are larger than it knows (AMX)"
    return ""


def _empty_place() -> str:
    """A directory that every system has and nothing of ours lies in; it is short, for the sake of sockets."""
    ours = [Path(place) for place in (ROOT, sys.prefix, sys.base_prefix)]
    free = (place for place in ("/mnt", "/media", "/srv", "/opt") if Path(place).is_dir())
    return next(place for place in free if not any(one.is_relative_to(place) for one in ours))


def own_python() -> str:
    """The interpreter of the tests, by a path that also holds in there."""
    return sys.executable


_FIRST_UID = 1_880_000_000
"""Above the ids of containers, below those that the arena gives to bots."""

# Arguments: how many processes are allowed before these can start none (nothing: as many as may be), and their ids.
_LIMIT = """
import contextlib, resource, sys
most, *processes = sys.argv[1:]
for pid in map(int, processes):
    with contextlib.suppress(ProcessLookupError):  # it has ended
        _, allowed = resource.prlimit(pid, resource.RLIMIT_NPROC)
        resource.prlimit(pid, resource.RLIMIT_NPROC, (int(most or allowed), allowed))
"""


class SmallUser:
    """A user to whom a limit of processes applies; for root, whom none stops, that is a user of its own."""

    def __init__(self, directory: Path) -> None:
        """Give that user a directory with all that is in it. The test is skipped where no such user can be had."""
        self.words: list[str] = []
        """What runs a command as that user."""
        if sys.platform != "linux" or shutil.which("setpriv") is None:
            pytest.skip("it takes setpriv, of Linux")
        if os.getuid() == 0:
            uid = _FIRST_UID + os.getpid()
            # It must read the interpreter, wherever that lies, and has no right to pass its limit.
            kinds = ("inh-caps", "ambient-caps", "bounding-set")
            rights = [f"--{kind}=-all,+dac_read_search" for kind in kinds]
            self.words = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *rights]
            for path in (directory, *directory.rglob("*")):
                os.chown(path, uid, uid, follow_symlinks=False)
            tried = subprocess.run([*self.words, "true"], capture_output=True, text=True, check=False)
            if tried.returncode:
                pytest.skip(f"nothing runs here as another user: {tried.stderr.strip()}")

    @contextmanager
    def crowded(self, processes: Iterable[int]) -> Iterator[None]:
        """While this is open, these processes of the user can start no other one, nor a thread."""
        numbers = [str(pid) for pid in processes]
        command = [*self.words, sys.executable, "-c", _LIMIT]
        subprocess.run([*command, "1", *numbers], check=True)
        try:
            yield
        finally:
            subprocess.run([*command, "", *numbers], check=True)


def run_on_small_disk(
    directory: Path, size_kb: int, words: Sequence[str], after: str = "true", options: str = "exec"
) -> list[str]:
    """The lines that a command prints while a small disk of its own lies at `directory`, then a shell command.

    Skips the test where no disk may be mounted.
    """
    if not _may_mount():
        pytest.skip("no small disk may be mounted here")
    directory.mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size={size_kb}k,{options} none "{directory}" && "$@" && {after}'
    command = ["unshare", "-m", "sh", "-c", script, "sh", *words]
    done = subprocess.run(command, input="go\n", capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@cache
def _may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/tmp"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


LAUNCHER = """
import builtins, os, runpy, sys

def hiding(real):
    def function(path=".", *rest, **more):
        if isinstance(path, str) and path.startswith("/proc"):
            raise FileNotFoundError(2, "there is no /proc here", path)
        return real(path, *rest, **more)
    return function

builtins.open, os.listdir, os.open = map(hiding, (builtins.open, os.listdir, os.open))
os.path.exists = lambda path, exists=os.path.exists: not str(path).startswith("/proc") and exists(path)
for name in ("waitid", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "pipe2"):
    delattr(os, name)
sys.platform = "darwin"
runpy.run_path({program!r}, run_name="__main__")
"""
"""The program of a launcher that finds no /proc and none of Linux's own calls, prctl(2) included."""


@pytest.fixture
def unlike_linux(tmp_path: Path) -> Iterator[None]:
    """Hide /proc from this process, and from its launchers what else is Linux's own."""
    program = tmp_path / "launcher.py"
    program.write_text(LAUNCHER.format(program=str(client._PROGRAM)), encoding="utf-8")

    def no_proc(*_: object) -> None:
        raise FileNotFoundError(2, "there is no /proc here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_PROGRAM", program)
        for name in ("sched_getaffinity", "sched_setaffinity"):
            patch.delattr(os, name)
        for module in (processes, tree):
            patch.setattr(module, "read_threads", no_proc)
        for module in (processes, usage):
            patch.setattr(module, "read_file", no_proc)
        patch.setattr(waiting.TaskFiles, "_open", no_proc)
        yield


NOBODY = 65534


def as_ordinary_user(action: Callable[[], str]) -> str:
    """What an action returns that is done in a child without the rights of root."""
    ours, its = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            os.write(its, action().encode())
        except BaseException as error:
            os.write(its, repr(error).encode())
        finally:
            os._exit(0)
    os.close(its)
    os.waitpid(child, 0)
    with os.fdopen(ours, "rb") as read:
        return read.read().decode()
