"""The process that starts bots. It imports neither gRPC nor anything of ours, and has one thread.

Run by path with an isolated interpreter; commands come on stdin and events go to stdout, one JSON object a line:

    {"do": "start", "id": 1, "argv": [...], "directory": "...", "scratch": "..." | null, "env": {...}}
                                                                         -> started | failed
    {"do": "signal", "id": 1, "signal": 15}                              the process and its whole group
    {"do": "collect", "id": 1}                                           -> output, as long as it has not exited

    {"event": "started", "id": 1, "pid": 4711}
    {"event": "failed", "id": 1, "error": "...", "errno": 2, "missing": "..."}
                                                                         the path the error is about, if about one
    {"event": "output", "id": 1, "stdout": "...", "stderr": "...", "dropped": 0}
    {"event": "exited", "id": 1, "status": 0, "signal": 0, "stdout": "...", "stderr": "...", "dropped": 0}
                                                                         nothing of its group and session is left then

A bot works in its scratch directory, which is made for it and removed when it has ended; without one, in `directory`.
Each bot leads a session of its own and dies with this process; its output is drained and the last part kept. What a
bot leaves behind, daemons included, becomes a child of this process and is killed when the bot has ended. At the end
of stdin (the worker is gone) or at SIGTERM every bot is killed and the directories given as arguments are removed.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

KEPT_BYTES = 64 * 1024
READ_BYTES = 64 * 1024
CHECK_INTERVAL_S = 0.02
LAST_CHECKS_S = 5.0
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

_IS_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None) if _IS_LINUX else None


def _prctl(option: int, value: int) -> None:
    if _LIBC is not None:
        _LIBC.prctl(option, value, 0, 0, 0)


def _die_with(parent: int) -> None:
    """In a new bot, before its program: die with the launcher, also if that died just now."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _read_process(pid: int) -> tuple[int, int, int, bytes] | None:
    """Parent, group, session and state of a process; None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib would double the start-up
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[1]), int(fields[2]), int(fields[3]), fields[0]


def _read_environ(pid: int) -> set[bytes]:
    """The environment a process was started with; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 - as above
            return set(file.read().split(b"\0"))
    except OSError:
        return set()


def _list_processes() -> list[int]:
    """All process ids; none where there is no /proc."""
    return [int(name) for name in (os.listdir("/proc") if _IS_LINUX else ()) if name.isdigit()]  # noqa: PTH208


def _make_scratch(path: str | None) -> None:
    if path is not None:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120 - as above
        os.mkdir(path, 0o700)  # noqa: PTH102 - as above


def _remove(path: str | None) -> None:
    """Remove a directory, also if the bot took away its own right to change something in it."""
    if path is None:
        return
    for root, names, _ in os.walk(path):
        for name in (".", *names):
            directory = os.path.join(root, name)  # noqa: PTH118 - as above
            if not os.path.islink(directory):  # noqa: PTH114 - as above
                os.chmod(directory, 0o700)  # noqa: PTH101 - as above
    shutil.rmtree(path, ignore_errors=True)


def _kill_exactly(pid: int, relations: tuple[int, int, int]) -> None:
    """Kill a process that is not our child, unless its number belongs to another one by now."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        process = _read_process(pid)
        if process is not None and process[:3] == relations:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(handle)


class Tail:
    """The last bytes of a stream."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.dropped = 0

    def add(self, data: bytes) -> None:
        """Append, and forget what is too old."""
        self._bytes += data
        if len(self._bytes) > 2 * KEPT_BYTES:
            self._trim()

    def text(self) -> str:
        """What was kept."""
        self._trim()
        return self._bytes.decode("utf-8", "replace")

    def _trim(self) -> None:
        excess = max(len(self._bytes) - KEPT_BYTES, 0)
        self.dropped += excess
        del self._bytes[:excess]


class Bot:
    """A process that was started."""

    def __init__(self, command: dict[str, Any], process: subprocess.Popen[bytes]) -> None:
        self.key: int = command["id"]
        self.mark = f"ARENA_TOKEN={command['env'].get('ARENA_TOKEN', self.key)}".encode()
        self.scratch: str | None = command["scratch"]
        self.process = process
        self.pid = process.pid
        self.stdout, self.stderr = Tail(), Tail()
        self.open_pipes = {process.stdout: self.stdout, process.stderr: self.stderr}
        self.has_exited = False
        self.give_up_at = 0.0

    def output(self) -> dict[str, Any]:
        """The last part of what it wrote, read without waiting."""
        for pipe, tail in self.open_pipes.items():
            assert pipe is not None
            try:
                for _ in range(16):
                    data = os.read(pipe.fileno(), READ_BYTES)
                    if not data:
                        break
                    tail.add(data)
            except BlockingIOError:
                pass
        texts = {"stdout": self.stdout.text(), "stderr": self.stderr.text()}
        return {**texts, "dropped": self.stdout.dropped + self.stderr.dropped}


class Launcher:
    """The bots, and the loop that serves them."""

    def __init__(self) -> None:
        self._bots: dict[int, Bot] = {}
        self._selector = selectors.DefaultSelector()
        self._input = b""
        self._is_running = True
        self._has_deaths = False
        self._has_listener = True
        self._pid = os.getpid()

    def run(self, wakeup: int) -> None:
        """Serve until the end of stdin or SIGTERM, then kill every bot."""
        self._selector.register(0, selectors.EVENT_READ, self._read_commands)
        self._selector.register(wakeup, selectors.EVENT_READ, lambda: self._read_signals(wakeup))
        try:
            while self._is_running:
                self._turn()
        except BrokenPipeError:
            pass  # nobody listens any more: as at the end of stdin
        self._kill_all()

    def _turn(self) -> None:
        is_waiting = any(bot.has_exited for bot in self._bots.values())
        for ready, _ in self._selector.select(CHECK_INTERVAL_S if is_waiting else None):
            ready.data()
        if self._has_deaths or is_waiting:
            self._has_deaths = False
            self._reap()

    # Commands.

    def _read_commands(self) -> None:
        data = os.read(0, READ_BYTES)
        if not data:
            self._is_running = False
            return
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            getattr(self, "_do_" + command["do"])(command)

    def _do_start(self, command: dict[str, Any]) -> None:
        try:
            os.stat(command["directory"])  # noqa: PTH116 - as above
            _make_scratch(command["scratch"])
            process = subprocess.Popen(
                command["argv"],
                cwd=command["scratch"] or command["directory"],
                env=command["env"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                # Safe here: one thread, no gRPC.
                preexec_fn=lambda: _die_with(self._pid),
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            _remove(command["scratch"])
            about = {"errno": getattr(error, "errno", None) or 0, "missing": getattr(error, "filename", None) or ""}
            self._send({"event": "failed", "id": command["id"], "error": str(error), **about})
            return
        bot = self._bots[command["id"]] = Bot(command, process)
        for pipe in list(bot.open_pipes):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, lambda pipe=pipe: self._read_output(bot, pipe))
        self._send({"event": "started", "id": bot.key, "pid": bot.pid})

    def _do_signal(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            self._signal(bot, command["signal"])

    def _do_collect(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            self._send({"event": "output", "id": bot.key, **bot.output()})

    def _send(self, event: dict[str, Any]) -> None:
        if not self._has_listener:
            return
        data = memoryview(json.dumps(event).encode() + b"\n")
        while data:
            data = data[os.write(1, data) :]

    # Output.

    def _read_output(self, bot: Bot, pipe: Any) -> None:
        try:
            data = os.read(pipe.fileno(), READ_BYTES)
        except BlockingIOError:
            return
        if data:
            bot.open_pipes[pipe].add(data)
        else:
            self._close(bot, pipe)

    def _close(self, bot: Bot, pipe: Any) -> None:
        if bot.open_pipes.pop(pipe, None) is not None:
            self._selector.unregister(pipe)
            pipe.close()

    # Ends.

    def _read_signals(self, wakeup: int) -> None:
        for number in os.read(wakeup, 4096):
            if number == signal.SIGCHLD:
                self._has_deaths = True
            else:
                self._is_running = False

    @staticmethod
    def _signal(bot: Bot, number: int) -> None:
        """Signal a group. Its leader is not reaped yet, so the number cannot belong to anybody else."""
        try:
            os.killpg(bot.pid, number)
        except ProcessLookupError:
            pass
        except PermissionError:
            bot.process.send_signal(number)  # macOS refuses if one member is a zombie

    def _reap(self) -> None:
        """Look after dead children: a bot stays a zombie until all that it started is gone as well."""
        for bot in self._bots.values():
            if not bot.has_exited:
                flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
                bot.has_exited = os.waitid(os.P_PID, bot.pid, flags) is not None
                bot.give_up_at = time.monotonic() + LAST_CHECKS_S
        dead = [bot for bot in self._bots.values() if bot.has_exited]
        for bot in dead:
            self._signal(bot, signal.SIGKILL)  # the others of its group
        busy = self._clear_up({bot.pid for bot in dead})
        for bot in dead:
            if bot.pid not in busy or time.monotonic() > bot.give_up_at:
                self._bury(bot)

    def _clear_up(self, leaders: set[int]) -> set[int]:
        """Reap orphans; after an end kill those of no living bot and what is left of the sessions. Who left any.

        An orphan belongs to a living bot if it is in its session, or has its token in the environment.
        """
        ours = {self._pid, *(bot.pid for bot in self._bots.values())}
        living = ours - leaders
        marks = {bot.mark for bot in self._bots.values() if not bot.has_exited}
        busy = set()
        for pid in _list_processes():
            process = _read_process(pid) if pid not in ours else None
            if process is None:
                continue
            parent, group, session, state = process
            if parent == self._pid and state == b"Z":
                os.waitpid(pid, os.WNOHANG)
            elif {group, session} & leaders or (
                leaders and parent == self._pid and session not in living and not marks & _read_environ(pid)
            ):
                busy |= {group, session} & leaders or leaders
                _kill_exactly(pid, process[:3])
        return busy

    def _bury(self, bot: Bot) -> None:
        output = bot.output()
        _, status = os.waitpid(bot.pid, 0)
        bot.process.returncode = code = os.waitstatus_to_exitcode(status)
        for pipe in list(bot.open_pipes):
            self._close(bot, pipe)
        del self._bots[bot.key]
        _remove(bot.scratch)
        self._send({"event": "exited", "id": bot.key, "status": max(code, 0), "signal": max(-code, 0), **output})

    def _kill_all(self) -> None:
        self._has_listener = False
        until = time.monotonic() + LAST_CHECKS_S
        while self._bots and time.monotonic() < until:
            for bot in self._bots.values():
                self._signal(bot, signal.SIGKILL)
            time.sleep(CHECK_INTERVAL_S / 4)
            self._reap()


def main() -> None:
    """Serve stdin; the arguments are directories to remove at the end."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    parent = os.getppid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() == parent:
        Launcher().run(read_end)
    for directory in sys.argv[1:]:
        _remove(directory)


if __name__ == "__main__":
    main()
