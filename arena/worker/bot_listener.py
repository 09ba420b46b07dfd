"""Where one bot process connects: a socket or a port of its own, on which nobody listens once the bot has connected.

What comes through a listener is that bot's doing, whatever it is: nobody else can be meant when it is too much. Only
the bot reaches a socket. A port is reached by everybody on this machine: so it is shut only when somebody has shown the
bot's token, or a stranger could shut the bot out with one call.

A `ProxiedListener` is served by a bot proxy, a process of its own, which bears whatever the bot does to it. This is how
a worker plays on after one has crashed and nobody knows by whose doing: if a bot proxy crashes, it was its bot.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from arena.hosting import framed_pipe as pipes
from arena.hosting.errors import describe_end, is_crash
from arena.hosting.framed_pipe import FrameError, HeartbeatWatch, encode_frame, read_frame
from arena.hosting.procfs.own_sockets import Connections, connections, limit_waiting, stop_listening
from arena.hosting.user_directories import new_socket_path
from arena.referee.forwarded_stream import DistantCall
from arena.referee.server import MakeStream, PlayServer, StreamAdmission
from arena.referee.stream import BotStream, Flood
from arena.worker.own_limits import OwnLimits
from engine.translatable import Text, from_json

MOST_CONNECTIONS = 4
"""How many connections a bot may have. It needs one; a program may be slow to close another one."""
MOST_CONNECTIONS_SEEN = 16
"""How many different ones may be seen before it has joined."""
PROGRAM = (sys.executable, "-P", "-m", "arena.worker.bot_proxy_process")
START_PATIENCE_S = 60.0
END_GRACE_S = 2.0
KEPT_STDERR_BYTES = 4000
OnLost = Callable[[str], None]
"""Is told why a bot proxy ended that did not fall: the worker cannot go on without it, as without a launcher."""
_WHY = Text("It brought down what serves its connection to the arena.")


class BotListener(Protocol):
    """Where one bot connects, and its right to do so once."""

    socket: Path | None
    """The socket; None for a port."""
    address: str
    """Where the bot connects."""
    admission: StreamAdmission
    """The right, and the stream of the bot that used it."""

    def look(self) -> None:
        """Disconnect a bot that has connected too often; to be called from time to time until it has joined."""

    def count_messages(self) -> int:
        """Return how many messages the bot has sent."""

    def descriptor(self) -> int | None:
        """Return the descriptor of the socket through which its messages come, once it has connected."""

    def disconnect(self, flood: Flood) -> None:
        """End its connections, since it did what costs the arena more than it may."""

    def dismiss(self) -> None:
        """Revoke its right, and close its stream."""

    async def close(self) -> None:
        """End what serves it, and remove the socket."""


class DirectListener:
    """A `BotListener` that this process serves itself. `open_socket` or `open_port` opens it; `close` ends it."""

    def __init__(self, path: Path | None = None, make_stream: MakeStream = BotStream) -> None:
        self.socket = path  # the socket; None for a port
        self.address = ""  # where the bot connects
        self._server = PlayServer(self._note_call, make_stream=make_stream)
        self.admission = self._server.admit()
        self._seen: set[int] = set()
        self._descriptor: int | None = None

    @classmethod
    async def open_socket(cls, directory: Path, make_stream: MakeStream = BotStream) -> Self:
        """Open a listener with a socket in a runtime directory. Raises RuntimeError if that is impossible."""
        path = new_socket_path(directory)
        listener = cls(path, make_stream)
        listener.address = f"unix:{path}"
        await listener._server.start(listener.address)
        limit_waiting(listener._name, MOST_CONNECTIONS_SEEN)
        return listener

    @classmethod
    async def open_port(cls, host: str) -> Self:
        """Open a listener with a port of this machine. Raises RuntimeError if that is impossible."""
        listener = cls()
        listener.admission.stream.add_done_callback(lambda _: listener._shut())
        listener.address = f"{host}:{await listener._server.start(f'{host}:0')}"
        return listener

    def look(self) -> None:
        """Disconnect a bot that has connected too often; to be called from time to time until it has joined."""
        now = connections().get(self._name, Connections()).inodes
        self._seen |= now
        if len(now) > MOST_CONNECTIONS or len(self._seen) > MOST_CONNECTIONS_SEEN:
            most = max(len(now), len(self._seen))
            why = Text("It opened {most} connections to the arena; a bot needs one for its whole life.", most=most)
            self.disconnect(Flood(why, {"connections": most}))

    def count_messages(self) -> int:
        """Return how many messages the bot has sent."""
        return self.admission.count_messages()

    def descriptor(self) -> int | None:
        """Return the descriptor of its connection. The first call looks at every socket of this process."""
        if self._descriptor is None:
            self._descriptor = next(iter(connections().get(self._name, Connections()).descriptors), None)
        return self._descriptor

    def disconnect(self, flood: Flood) -> None:
        """End its connections, since it did what costs the arena more than it may."""
        self._shut()
        self._server.disconnect(flood)

    def dismiss(self) -> None:
        """Revoke its right, and close its stream."""
        self._server.dismiss(self.admission)

    async def close(self) -> None:
        """End the server, and remove the socket."""
        await self._server.stop()
        if self.socket is not None:
            self.socket.unlink(missing_ok=True)

    def _note_call(self) -> None:
        """Shut a socket: whoever makes a call there is the bot."""
        if self.socket is not None:
            self._shut()

    def _shut(self) -> None:
        """Accept nobody any more: the bot has connected, and needs one connection."""
        stop_listening(self._name)

    @property
    def _name(self) -> str:
        return self.address if self.socket is None else str(self.socket)


ListenerOpener = Callable[[], Awaitable[BotListener]]


class ProxiedListener:
    """An `arena.worker.bot_listener.BotListener`. `open` opens it; `close` is for its end."""

    def __init__(self, process: asyncio.subprocess.Process, link: _Link, on_lost: OnLost) -> None:
        self.socket: Path | None = None
        self.address = ""
        self.admission = StreamAdmission()
        self._process = process
        self._link = link
        self._on_lost = on_lost
        self._call: DistantCall | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stderr = bytearray()
        self._draining = asyncio.create_task(self._drain())
        self._is_closing = False
        self._heartbeat = HeartbeatWatch()

    @classmethod
    async def open(cls, directory: Path, limits: OwnLimits, on_lost: OnLost) -> Self:
        """Start a bot proxy that listens in a runtime directory. Raises RuntimeError if that is impossible."""
        ours, theirs = socket.socketpair()
        with theirs:
            link = str(theirs.fileno())
            bounds = ("--memory", str(limits.memory_mb), "--cpu", f"{limits.cpu_s:g}")
            process = await asyncio.create_subprocess_exec(
                *PROGRAM, "--link", link, "--directory", str(directory), *bounds,
                pass_fds=(theirs.fileno(),), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
        listener = cls(process, _Link(*await asyncio.open_unix_connection(sock=ours)), on_lost)
        try:
            async with asyncio.timeout(START_PATIENCE_S):
                opened = await listener._link.read()
            if opened is None:
                raise RuntimeError(await listener._describe_end())
            listener.socket = Path(opened[0]["socket"])
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await listener.close()
            if isinstance(error, TimeoutError):
                raise RuntimeError(f"a bot proxy did not open its listener within {START_PATIENCE_S:g} s") from error
            raise
        listener.address = f"unix:{listener.socket}"
        listener.admission.token = opened[0]["token"]
        listener._tasks += [asyncio.create_task(listener._follow()), asyncio.create_task(listener._kill_if_silent())]
        return listener

    def look(self) -> None:
        """Do nothing: the bot proxy looks."""

    def count_messages(self) -> int:
        return self.admission.count_messages()

    def descriptor(self) -> int | None:
        return self._link.descriptor

    def disconnect(self, flood: Flood) -> None:
        self._link.write({"do": "disconnect"})
        self.admission.report_flood(flood)

    def dismiss(self) -> None:
        self.admission.close()
        self._link.write({"do": "dismiss"})

    async def close(self) -> None:
        self._is_closing = True
        self.dismiss()
        await asyncio.sleep(0)  # a stream that ends with an error says so
        self._link.close()
        try:
            async with asyncio.timeout(END_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        finally:
            for task in (*self._tasks, self._draining):
                task.cancel()
            if self.socket is not None:
                self.socket.unlink(missing_ok=True)

    async def _follow(self) -> None:
        """Hear what the bot proxy says, and find out why it says no more."""
        with contextlib.suppress(FrameError):
            while (frame := await self._link.read()) is not None:
                self._heartbeat.note_answer()
                await self._receive(*frame)
        if self._is_closing:
            return
        why = await self._describe_end()
        if not self._is_closing and is_crash(self._process.returncode, self._stderr.decode("utf-8", "replace")):
            self.admission.report_flood(Flood(_WHY, {"bot_proxy": why}))
        elif not self._is_closing:
            self._on_lost(why)

    async def _kill_if_silent(self) -> None:
        """Kill a bot proxy that has ceased to answer: it is stopped, or its disk hangs, and its match would hang."""
        await self._heartbeat.wait(lambda: self._link.write({"do": "beat"}))
        self._stderr += f"\nit said nothing for {pipes.SILENCE_S:g} s, and was ended".encode()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def _describe_end(self) -> str:
        code = await self._process.wait()
        await self._draining
        words = self._stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return f"a bot proxy ended ({describe_end(code)}){': ' if words else ''}{''.join(words)}"

    async def _drain(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(4096):
            self._stderr += data
            del self._stderr[:-KEPT_STDERR_BYTES]

    async def _receive(self, head: Mapping[str, Any], blob: bytes) -> None:
        event = head["event"]
        if event == "stream" and not self.admission.stream.done():
            self._call = DistantCall(self._link.send, lambda error: self._link.write({"do": "abort", "error": error}))
            stream = self._call.stream()
            self._tasks.append(asyncio.create_task(stream.serve()))
            self.admission.stream.set_result(stream)
        elif event in {"message", "ended"} and self._call is not None:
            await self._call.arrive(blob if event == "message" else None)
        elif event == "second":
            self.admission.report_second_stream()
        elif event == "flood":
            self.admission.report_flood(Flood(from_json(head["why"]), head["evidence"]))


class _Link:
    """The link to a bot proxy, which may be gone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @property
    def descriptor(self) -> int:
        return int(self._writer.get_extra_info("socket").fileno())

    async def read(self) -> tuple[dict[str, Any], bytes] | None:
        return await read_frame(self._reader)

    def write(self, head: Mapping[str, Any], blob: bytes = b"") -> None:
        if not self._writer.is_closing():
            self._writer.write(encode_frame(head, blob))

    async def send(self, data: bytes) -> None:
        """Hand on a message for the bot. Raises ConnectionError when nobody takes it."""
        self.write({"do": "send"}, data)
        await self._writer.drain()

    def close(self) -> None:
        self._writer.close()
