"""Boots a kernel as a plain process, Debian's user-mode-linux, so that tests see a machine unlike this one.

Its root is this machine's own files, with an empty directory for temporary ones; what runs there is root, whoever
started the test.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from arena.hosting.prctl import die_with_parent
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
