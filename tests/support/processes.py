"""The processes and descriptors of tests: found by a mark, told afterwards, and fixtures that see to it."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.hosting.procfs.processes import list_processes, parse_stat, read_environment, read_file, read_relations
from tests.support.patience import patient_endings
from tests.support.specs import installed_script_game

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


_GRPCS = ("socket:", "anon_inode:[eventfd]", "anon_inode:[eventpoll]")
"""What gRPC's threads, which other tests of the process have begun, open and close when they like."""


def held_descriptors() -> list[str]:
    """Return what this process's descriptors lead to, but for the kinds that gRPC's threads hold."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]  # the listing's own is gone
    opened = {link.name: str(link.readlink()) for link in links}
    return sorted(f"{number} {target}" for number, target in opened.items() if not target.startswith(_GRPCS))


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Stands in the environment of every process that the tests of a module start; none outlives them."""
    with marked_home(tmp_path_factory.mktemp("home")) as mark:
        yield mark


@contextmanager
def marked_home(home: Path) -> Iterator[str]:
    """Give the mark of all processes that are started in the block, by their home; none outlives it."""
    with pytest.MonkeyPatch.context() as patch, patient_endings():
        patch.setenv("HOME", str(home))
        yield f"HOME={home}"
        left = outliving_processes(f"HOME={home}")
        assert left == {}, left


@pytest.fixture(scope="module", autouse=True)
def script_game() -> Iterator[None]:
    with installed_script_game():
        yield
