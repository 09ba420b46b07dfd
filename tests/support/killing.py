"""kill -9 amid a tournament of bots that fork, ignore TERM and flood stderr: who is killed, and what is left."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from arena.hosting.procfs.processes import list_processes
from tests.support.patience import ANY_TIME
from tests.support.places import CHOICES, HOLD, Place, write_manifest
from tests.support.processes import command_lines, parent_of

ARENA, WORKER, LAUNCHER, ALL = "arena", "worker", "launcher", "all three"
VICTIMS = (ARENA, WORKER, LAUNCHER, ALL)
FIERCE_BOT = """
import signal, subprocess, sys
from bots.kit import Bot, Decision, run
{hold}
signal.signal(signal.SIGTERM, signal.SIG_IGN)
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
command = [sys.executable, "-I", "-S", "-c", DEAF, *sys.argv[1:]]
subprocess.Popen(command, stdin=subprocess.DEVNULL)
try:
    subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
except PermissionError:  # in a sandbox
    subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
os.write(2, b"noise " * 50_000)

class {name}(Bot):
    def decide(self, decision: Decision) -> int:
        wait_if_held(decision.match)
        os.write(2, b"noise " * 50)
        return decision.{choice}

run({name}())
"""


class Field(Place):
    """A place with three fierce deterministic bots, and a directory for temporary files of its own."""

    def __init__(self, directory: Path, temporary: Path, level: str) -> None:
        super().__init__(directory)
        self.temporary = temporary  # with a short path: a socket lies in it
        self.environment |= {"TMPDIR": str(temporary), "ARENA_SANDBOX": level}

    def processes(self) -> dict[int, str]:
        """Those with our HOME, and those that say where they belong: a sandbox hides the HOME."""
        found = super().processes()
        for pid, command in command_lines(list_processes()):
            if str(self.directory) in command and pid != os.getpid():
                found[pid] = command
        return found

    def left_behind(self) -> list[str]:
        """Files, sockets and mounts that belong to nobody any more when nothing runs."""
        left = [str(path) for path in self.temporary.iterdir()]
        for listing in ("/proc/net/unix", "/proc/self/mountinfo"):
            lines = Path(listing).read_text(encoding="utf-8").splitlines()
            left += [line for line in lines if str(self.temporary) in line]
        return left


def add_fierce_bots(field: Field) -> None:
    """Deterministic ones, so that every run of the tournament gives the same table."""
    for name, choice in CHOICES.items():
        directory = field.directory / "sources" / name
        directory.mkdir(parents=True)
        body = FIERCE_BOT.format(name=name.title(), choice=choice, hold=HOLD)
        (directory / "main.py").write_text(body, encoding="utf-8")
        write_manifest(directory, name, str(field.directory))
    field.ok("bot", "add", *(field.directory / "sources" / name for name in CHOICES))


def order(blocks: int) -> list[str]:
    """A tournament of so many blocks of three matches, named `monday`."""
    words = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--workers", "1"]
    words += ["--bots", ",".join(CHOICES), "--blocks", str(blocks), "--seed", "11", "--name", "monday"]
    return [*words, *ANY_TIME]


def find_victims(field: Field, arena: int, victim: str) -> list[int]:
    """Process ids of whom it means; empty if one is not there yet."""
    found = {ARENA: [arena]}
    running = field.processes()
    found[WORKER] = [pid for pid, command in running.items() if "arena.worker" in command and parent_of(pid) == arena]
    # Not that of a trial of the sandbox, which is the arena's own.
    found[LAUNCHER] = [
        pid for pid, command in running.items() if "hosting/launcher" in command and parent_of(pid) in found[WORKER]
    ]
    wanted = [found[ARENA], found[WORKER], found[LAUNCHER]] if victim == ALL else [found[victim]]
    return [pid for pids in wanted for pid in pids] if all(wanted) else []


def kill(field: Field, arena: int, victim: str) -> dict[int, str] | None:
    """Kill them at once; what ran at that moment and must not outlive them. None if they are not there yet."""
    victims = find_victims(field, arena, victim)
    if not victims:
        return None
    running = field.processes()
    for pid in victims:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    if victim not in (ARENA, ALL):
        running.pop(arena, None)  # it goes on, with another worker
    return running


def survivors(field: Field, before: dict[int, str]) -> dict[int, str]:
    """Those of before that still run."""
    now = field.processes()
    return {pid: command for pid, command in before.items() if now.get(pid) == command}
