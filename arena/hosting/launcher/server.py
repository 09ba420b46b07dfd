"""The loop of the launcher: takes commands, drains output, enforces limits, and clears up after bots that end.

Commands come on stdin and events go to stdout, one JSON object a line:

    {"do": "start", "id": 1, "request": {...}}                   -> started | failed; see `messages.StartRequest`
    {"do": "signal", "id": 1, "signal": 15}                      the process and its whole group
    {"do": "collect", "id": 1}                                   -> output, as long as it has not exited
    {"do": "mark", "id": 1}                                      -> marked, likewise: a match begins here in its output
    {"do": "log", "id": 1, "start": 0}                           -> log, likewise: its output since the mark
    {"do": "sleep", "id": 1}                                     -> slept, likewise: nothing of it computes any more
    {"do": "wake", "id": 1}                                      -> woken, likewise
    {"do": "beat"}                                               -> alive
    {"do": "find_ids"}                                           -> ids

    {"event": "started", "id": 1, "pid": 4711, "group": {...}}   see `GroupPlace`; null without a control group
    {"event": "failed", "id": 1, "error": "...", "errno": 2, "missing": "..."}
                                                                 the path the error is about, if about one
    {"event": "output", "id": 1, "stdout": "...", "stderr": "...", "totals": [0, 0]}
                                                                 a character a byte; bytes written in all
    {"event": "marked", "id": 1, "totals": [0, 0]}
    {"event": "log", "id": 1, "data": "...", "head": 0, "cut": 0, "peak": 0, "stdout": 0}
                                                                 base64; `cut` bytes are missing after the `head` first,
                                                                 and `stdout` bytes of all were written there
    {"event": "slept", "id": 1, "problem": "", "is_own": false, "is_whole": true}
                                                                 a sentence if it could not be frozen, and whether
                                                                 it prevented that; whether all of it is frozen for sure
    {"event": "woken", "id": 1, "problem": "", ...}              likewise
    {"event": "ids", "problem": ""}                              why bots cannot get user ids of their own, if so
    {"event": "exceeded", "id": 1, "what": "memory", "used": 2, "limit": 1}      it is killed now
    {"event": "exited", "id": 1, "status": 0, "signal": 0, "has_begun": true, "killed_by_host": false,
     ... as in output, "log": {as in log}}                       nothing of its group and session is left then

Each bot leads a session of its own and dies with this process; its output is drained and the last part kept. What a
bot leaves behind, daemons included, becomes a child of this process and is killed when the bot has ended. At the end
of stdin (the worker is gone) or at SIGTERM every bot is killed.
"""

from __future__ import annotations

import errno
import json
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from arena.hosting.cgroups.launcher_groups import GroupHolder
from arena.hosting.launcher.guardian import Guardian
from arena.hosting.launcher.launched_bot import READ_BYTES, LaunchedBot, token_entry
from arena.hosting.launcher.messages import KEY_BYTES, MOST_DESCRIPTORS, StartRequest
from arena.hosting.launcher.own_ids import OwnIds
from arena.hosting.launcher.process_control import freeze, signal_bot, signal_exactly, thaw
from arena.hosting.launcher.spawn import spawn
from arena.hosting.launcher.watchdog import LOOK_INTERVAL_S, look
from arena.hosting.procfs.processes import Relations, list_children, list_processes, read_environment, read_relations
from arena.hosting.removal import remove_tree
from engine.translatable import to_json

CHECK_INTERVAL_S = 0.02
LAST_CHECKS_S = 5.0
_REST_PER_LOOK = 20
"""How long it rests, in multiples of the time of a look: watching many bots costs a twentieth of a core at most."""
LONGEST_INTERVAL_S = 1.0
_BY_SIGNAL = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "disk"}


class LauncherServer:
    """Holds the bots and serves commands about them."""

    def __init__(self, guardian: Guardian, groups: GroupHolder, passed: PassedDescriptors) -> None:
        self._guardian, self._groups, self._passed = guardian, groups, passed
        self._own_ids: OwnIds | None = None
        self._bots: dict[int, LaunchedBot] = {}
        self._selector = selectors.DefaultSelector()
        self._input = b""
        self._is_running = True
        self._has_deaths = False
        self._has_listener = True
        self._next_look = 0.0
        self._pid = os.getpid()

    def run(self, wakeup: int) -> None:
        """Serve until stdin ends or SIGTERM arrives, then kill every bot. Signals arrive at the descriptor `wakeup`."""
        self._selector.register(0, selectors.EVENT_READ, self._read_commands)
        self._selector.register(wakeup, selectors.EVENT_READ, lambda: self._read_signals(wakeup))
        try:
            while self._is_running:
                self._turn()
        except BrokenPipeError:
            pass  # nobody reads the events any more, which is as good as the end of stdin
        self._kill_all()
        if self._own_ids is not None:
            self._own_ids.close()

    def _turn(self) -> None:
        is_waiting = any(bot.has_exited for bot in self._bots.values())
        for ready, _ in self._selector.select(self._patience(is_waiting)):
            ready.data()
        if self._has_deaths or is_waiting:
            self._has_deaths = False
            self._reap()
        self._watch()

    def _patience(self, is_waiting: bool) -> float | None:
        if is_waiting:
            return CHECK_INTERVAL_S
        if any(bot.limits for bot in self._bots.values()):
            return max(self._next_look - time.monotonic(), 0.0)
        return None

    def _read_signals(self, wakeup: int) -> None:
        for number in os.read(wakeup, 4096):
            if number == signal.SIGCHLD:
                self._has_deaths = True
            else:
                self._is_running = False

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
        key, request = command["id"], StartRequest.from_json(command["request"])
        self._guardian.watch(-key, token_entry(request.environment, key))
        passed: Sequence[int] = ()
        try:
            passed = self._passed.take(key) if request.descriptors else ()
            bot = self._bots[key] = spawn(key, request, self._pid, self._groups, self._own_ids, passed)
            self._guardian.watch(bot.pid, bot.token)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            about = {"errno": getattr(error, "errno", None) or 0, "missing": getattr(error, "filename", None) or ""}
            self._send({"event": "failed", "id": key, "error": to_json(str(error)), **about})
            return
        finally:
            self._guardian.forget(-key)
            for number in passed:
                os.close(number)
        for pipe in list(bot.open_pipes):
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, lambda pipe=pipe: self._read_output(bot, pipe))
        place = bot.group.place.to_json() if bot.group is not None else None
        self._send({"event": "started", "id": key, "pid": bot.pid, "group": place})

    def _do_beat(self, _command: dict[str, Any]) -> None:
        self._send({"event": "alive"})

    def _do_find_ids(self, _command: dict[str, Any]) -> None:
        problem = ""
        if self._own_ids is None and os.geteuid() != 0:
            try:
                self._own_ids = OwnIds()
            except OSError as error:
                problem = str(error)
        self._send({"event": "ids", "problem": to_json(problem)})

    def _do_signal(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            signal_bot(bot, command["signal"])

    def _do_collect(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            self._send({"event": "output", "id": bot.key, **bot.output()})

    def _do_mark(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            self._send({"event": "marked", "id": bot.key, **bot.mark()})

    def _do_log(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            self._send({"event": "log", "id": bot.key, **bot.log(command["start"])})

    def _do_sleep(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            self._send({"event": "slept", "id": bot.key, **freeze(bot)})

    def _do_wake(self, command: dict[str, Any]) -> None:
        bot = self._bots.get(command["id"])
        if bot is not None:
            self._send({"event": "woken", "id": bot.key, **thaw(bot)})

    def _send(self, event: dict[str, Any]) -> None:
        if not self._has_listener:
            return
        data = memoryview(json.dumps(event).encode() + b"\n")
        while data:
            data = data[os.write(1, data) :]

    # Output and limits.

    def _read_output(self, bot: LaunchedBot, pipe: Any) -> None:
        if not bot.read(pipe):
            self._close(bot, pipe)
        elif bot.exceeded is not None:
            self._kill_for(bot, bot.exceeded)

    def _close(self, bot: LaunchedBot, pipe: Any) -> None:
        if bot.open_pipes.pop(pipe, None) is not None:
            self._selector.unregister(pipe)
            pipe.close()

    def _watch(self) -> None:
        if time.monotonic() < self._next_look:
            return
        started_s = time.process_time()
        watched = [bot for bot in self._bots.values() if bot.limits and not bot.has_exited and not bot.exceeded]
        orphans = find_orphans(watched, self._pid) if watched else {}
        for bot in watched:
            excess = bot.find_group_excess() or look(bot, orphans[bot.pid])
            if excess is not None:
                self._kill_for(bot, excess)
        # In processor time: on a busy host a look takes long, which must not delay the next one.
        rest_s = (time.process_time() - started_s) * _REST_PER_LOOK
        self._next_look = time.monotonic() + min(max(LOOK_INTERVAL_S, rest_s), LONGEST_INTERVAL_S)

    def _kill_for(self, bot: LaunchedBot, excess: dict[str, Any]) -> None:
        """Kill a bot for exceeding a limit. The event goes first, so that the end is never seen without the reason."""
        bot.exceeded = excess
        if "told" not in excess:
            excess["told"] = True
            self._send({"event": "exceeded", "id": bot.key, **excess})
            signal_bot(bot, signal.SIGKILL)

    # Ends.

    def _reap(self) -> None:
        """Handle bots that have exited: each stays a zombie until all processes it started are gone as well."""
        for bot in self._bots.values():
            if not bot.has_exited:
                bot.has_exited = _has_exited(bot)
                bot.give_up_at = time.monotonic() + LAST_CHECKS_S
        dead = [bot for bot in self._bots.values() if bot.has_exited]
        for bot in dead:
            signal_bot(bot, signal.SIGKILL)  # the others of its group
        own = {self._pid, self._guardian.pid} | ({self._own_ids.reader_pid} if self._own_ids else set())
        busy = clear_up(self._bots.values(), dead, own)
        for bot in dead:
            is_busy = bot.pid in busy or (bot.group is not None and not bot.group.is_empty())
            if not is_busy or time.monotonic() > bot.give_up_at:
                self._finish(bot)

    def _finish(self, bot: LaunchedBot) -> None:
        """Collect the output and status of a dead bot, forget it, and report its end."""
        bot.reap()
        output, log = bot.output(), bot.log()
        for pipe in list(bot.open_pipes):
            self._close(bot, pipe)
        del self._bots[bot.key]
        self._guardian.forget(bot.pid)
        remove_tree(bot.scratch)
        killed_for_memory = bot.was_killed_for_memory()
        excess = bot.find_group_excess() if bot.exceeded is None else None
        if excess is None and bot.exceeded is None and killed_for_memory:
            excess = bot.find_resident_excess()
        if excess is not None:
            self._send({"event": "exceeded", "id": bot.key, **excess})
            bot.exceeded = excess
        if bot.group is not None:
            bot.group.remove()
        ended = _describe_end(bot) | {"killed_by_host": killed_for_memory and bot.exceeded is None}
        if bot.uid_lock is not None:
            bot.uid_lock.close()
        if what := _BY_SIGNAL.get(ended["signal"]) if bot.limits and bot.exceeded is None else None:
            self._send({"event": "exceeded", "id": bot.key, "what": what, "used": None, "limit": None})
        self._send({"event": "exited", "id": bot.key, **ended, **output, "log": log})

    def _kill_all(self) -> None:
        self._has_listener = False
        until = time.monotonic() + LAST_CHECKS_S
        while self._bots and time.monotonic() < until:
            for bot in self._bots.values():
                signal_bot(bot, signal.SIGKILL)
            time.sleep(CHECK_INTERVAL_S / 4)
            self._reap()


class PassedDescriptors:
    """Descriptors that come through a socket before the command to start: those of a bot in a message with its key."""

    def __init__(self, number: int) -> None:
        self._socket = socket.socket(fileno=number)
        self._socket.setblocking(False)

    def take(self, key: int) -> Sequence[int]:
        """Return those of one bot; of others that were not asked for, the start was cancelled. Raises OSError."""
        while True:
            name, numbers, flags, _ = socket.recv_fds(self._socket, KEY_BYTES, MOST_DESCRIPTORS)
            is_its_own = int.from_bytes(name, "little") == key
            is_whole = not flags & socket.MSG_CTRUNC  # else this process may open no more
            if is_its_own and is_whole:
                return numbers
            for number in numbers:
                os.close(number)
            if is_its_own:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def _has_exited(bot: LaunchedBot) -> bool:
    """Return whether the process of a bot has ended. It stays a zombie where it can: nobody else gets its number."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, bot.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return bot.reap(os.WNOHANG)  # macOS has it from Python 3.13 on


def _describe_end(bot: LaunchedBot) -> dict[str, Any]:
    """Return how a bot ended, inside its sandbox if it had one; `has_begun` tells whether the sandbox was ready."""
    has_begun, code = True, bot.exit_code()
    if bot.status_pipe is not None:
        with open(bot.status_pipe, "rb") as pipe:  # noqa: PTH123 - pathlib would double the start-up
            has_begun = b"exit-code" in pipe.read(4096)
    return {"status": max(code, 0), "signal": max(-code, 0), "has_begun": has_begun}


def find_orphans(bots: Iterable[LaunchedBot], launcher: int) -> dict[int, list[int]]:
    """Return the orphans of living bots by the bot's process id, recognised by their session or their token."""
    owners = {bot.pid: bot for bot in bots}
    tokens = {bot.token: bot.pid for bot in owners.values()}
    found: dict[int, list[int]] = {pid: [] for pid in owners}
    for pid in list_children(launcher):
        relations = read_relations(pid) if pid not in owners else None
        if relations is None:
            continue
        owner = relations.session if relations.session in owners else _owner_by_token(pid, tokens)
        if owner is not None:
            found[owner].append(pid)
    return found


def _owner_by_token(pid: int, tokens: dict[bytes, int]) -> int | None:
    return next((tokens[entry] for entry in read_environment(pid) if entry in tokens), None)


def clear_up(bots: Collection[LaunchedBot], dead: Collection[LaunchedBot], own: set[int]) -> set[int]:
    """Reap orphans that have ended, and kill those of dead bots; return the ids of the dead bots that still had any.

    `own` are the processes of the launcher itself, which are left alone.
    """
    launcher = os.getpid()
    leaders = {bot.pid for bot in dead}
    ours = {*own, *(bot.pid for bot in bots)}
    living_tokens = {bot.token for bot in bots if not bot.has_exited}
    busy: set[int] = set()
    for pid in list_processes():
        process = read_relations(pid) if pid not in ours else None
        if process is None:
            continue
        is_ours = process.parent == launcher
        related = {process.group, process.session} & leaders
        if is_ours and process.is_zombie:
            os.waitpid(pid, os.WNOHANG)
        elif related or (leaders and is_ours and not _belongs_to_living(pid, process, ours - leaders, living_tokens)):
            busy |= related or leaders
            signal_exactly(pid, process)
    return busy


def _belongs_to_living(pid: int, process: Relations, living: set[int], tokens: set[bytes]) -> bool:
    """Return whether an orphan is in the session of a living bot, or has a living bot's token."""
    return process.session in living or bool(tokens & read_environment(pid))
