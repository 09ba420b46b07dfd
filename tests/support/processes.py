"""Which processes are there, found by a mark in their environment."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterable, Iterator

from arena.hosting.procfs.processes import list_processes, parse_stat, read_environment, read_file, read_relations

_FLAGS = 9 - 3
"""Where proc_pid_stat(5) has the flags of the kernel, in what `parse_stat` returns."""
_PF_EXITING = 0x4


def command_lines(pids: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Those of processes that still live, with spaces between the words."""
    for pid in pids:
        try:
            yield pid, read_file(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue


def marked_processes(mark: str) -> dict[int, str]:
    """Command lines by id of all living processes with `mark` in their environment, the calling one left out."""
    others = (pid for pid in list_processes() if pid != os.getpid())
    return dict(command_lines(pid for pid in others if _has_mark(pid, mark.encode())))


def outliving_processes(mark: str) -> dict[int, str]:
    """Those with `mark` that nobody has ended, once the kernel is done with those that were killed."""
    wait_until(lambda: not any(map(_is_dying, marked_processes(mark))))
    return marked_processes(mark)


def _is_dying(pid: int) -> bool:
    """Whether it was killed, or has ended itself, and got no processor yet for what is left to do."""
    try:
        status = dict(line.split(b":", 1) for line in read_file(f"/proc/{pid}/status").splitlines())
        flags = int(parse_stat(read_file(f"/proc/{pid}/stat"))[_FLAGS])
    except OSError:
        return False
    pending = int(status[b"SigPnd"], 16) | int(status[b"ShdPnd"], 16)
    return bool(pending & 1 << signal.SIGKILL - 1 or flags & _PF_EXITING)


def _has_mark(pid: int, mark: bytes) -> bool:
    return any(mark in entry for entry in read_environment(pid))


def parent_of(pid: int) -> int:
    """The process that started it; 0 if it has ended."""
    relations = read_relations(pid)
    return relations.parent if relations else 0


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again; the test's own time limit ends it."""
    while not condition():
        select.select([], [], [], 0.01)
