"""A listener that is served by a bot proxy, a process of its own, which bears whatever the bot does to it.

This is how a worker plays on after one has crashed and nobody knows by whose doing: if a bot proxy crashes, it was its
bot.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from arena.hosting import framed_pipe as pipes
from arena.hosting.errors import describe_end, is_crash
from arena.hosting.framed_pipe import FrameError, HeartbeatWatch, encode_frame, read_frame
from arena.match.decisions import Malformed
from arena.referee.forwarded_stream import DistantCall, DistantStream
from arena.referee.framing import PROTOBUF, Framing, LineFraming
from arena.referee.server import StreamAdmission
from arena.referee.stream import Flood
from arena.worker.bot_listener import StreamEnds
from arena.worker.own_limits import OwnLimits
from engine.translatable import Text, from_json

PROGRAM = (sys.executable, "-P", "-m", "arena.worker.bot_proxy_process")
START_PATIENCE_S = 60.0
END_GRACE_S = 2.0
KEPT_STDERR_BYTES = 4000
OnLost = Callable[[str], None]
"""Is told why a bot proxy ended that did not fall: the worker cannot go on without it, as without a launcher."""
_WHY = Text("It brought down what serves its connection to the arena.")


class ProxiedListener:
    """A `BotListener`. `open` opens it; `close` is for its end."""

    def __init__(
        self, process: asyncio.subprocess.Process, link: _Link, ends: StreamEnds, framing: Framing, on_lost: OnLost
    ) -> None:
        self.socket: Path | None = None
        self.address = ""
        self.admission = StreamAdmission()
        self._process = process
        self._link = link
        self._ends = ends
        self._framing = framing
        self._on_lost = on_lost
        self._call: DistantCall | None = None
        self._stream: DistantStream | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stderr = bytearray()
        self._draining = asyncio.create_task(self._drain())
        self._is_closing = False
        self._heartbeat = HeartbeatWatch()

    @classmethod
    async def open(
        cls, directory: Path, limits: OwnLimits, on_lost: OnLost, framing: LineFraming | None = None
    ) -> Self:
        """Start a bot proxy for lines in that framing, or else for protobuf, with a socket in a runtime directory.

        Raises RuntimeError if that is impossible.
        """
        ends = StreamEnds.make(speaks_lines=framing is not None)
        ours, theirs = socket.socketpair()
        with theirs, ends.lent():
            link = str(theirs.fileno())
            bounds = ("--memory", str(limits.memory_mb), "--cpu", f"{limits.cpu_s:g}")
            stream = ("--stream", str(ends.reading), str(ends.writing), *(() if framing is None else ("--lines",)))
            process = await asyncio.create_subprocess_exec(
                *PROGRAM, "--link", link, "--directory", str(directory), *bounds, *stream,
                pass_fds=(theirs.fileno(), ends.reading, ends.writing), stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
        link_ends = await asyncio.open_unix_connection(sock=ours)
        listener = cls(process, _Link(*link_ends), ends, framing or PROTOBUF, on_lost)
        try:
            async with asyncio.timeout(START_PATIENCE_S):
                opened = await listener._link.read()
            if opened is None:
                raise RuntimeError(await listener._describe_end())
            listener.socket = Path(opened[0]["socket"]) if framing is None else None
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await listener.close()
            if isinstance(error, TimeoutError):
                raise RuntimeError(f"a bot proxy did not open its listener within {START_PATIENCE_S:g} s") from error
            raise
        listener.address = "" if listener.socket is None else f"unix:{listener.socket}"
        listener.admission.token = opened[0]["token"]
        listener._tasks += [asyncio.create_task(listener._follow()), asyncio.create_task(listener._kill_if_silent())]
        return listener

    @property
    def offered(self) -> Mapping[str, int]:
        return self._ends.offered

    def note_started(self) -> None:
        self._ends.close_offered()

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
        self._ends.close_offered()
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
            self._call = DistantCall(
                self._link.send,
                lambda error: self._link.write({"do": "abort", "error": error}),
                lambda: self._link.write({"do": "await_read"}),
            )
            stream = self._stream = self._call.stream(self._framing)
            self._tasks.append(asyncio.create_task(stream.serve()))
            self.admission.stream.set_result(stream)
        elif event == "read" and self._call is not None:
            self._call.note_read()
        elif event in {"message", "ended"} and self._call is not None:
            await self._call.arrive(blob if event == "message" else None)
        elif event == "refused" and self._call is not None and self._stream is not None:
            malformed = Malformed(from_json(head["why"]))
            await self._call.arrive(partial(self._stream.refuse, blob, malformed))
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
