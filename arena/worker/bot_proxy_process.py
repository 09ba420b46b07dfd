"""The bot proxy: a process that serves the listener of one bot for a worker, so that what breaks there breaks alone.

    python -m arena.worker.bot_proxy_process --link FD --directory DIRECTORY --memory MB --cpu SECONDS
                                             --stream FD FD [--lines]

The bot's connections end here, its messages are read here first, and whole ones are passed on. Messages to the worker
are frames (`arena.hosting.framed_pipe`):

    {"event": "open", "socket": "...", "token": "..."}      the bot may come; no socket if it speaks lines
    {"event": "stream"}                                     it has opened its stream
    {"event": "message"}                                    what it said, as the blob
    {"event": "refused", "why": "..."}                      it said what is no message, whose beginning is the blob
    {"event": "read"}                                       it has read all that it was sent, or has gone
    {"event": "second"}                                     it has opened another stream
    {"event": "flood", "why": "...", "evidence": {...}}     it was disconnected for a flood
    {"event": "ended"}                                      its stream has ended
    {"event": "alive"}                                      the bot proxy goes on

From the worker, which closes the link to end the bot proxy:

    {"do": "send"}                                          what the bot is to be sent, as the blob
    {"do": "await_read"}                                    tell when it has read all that it was sent
    {"do": "abort", "error": {...}}                         end the stream with an error
    {"do": "dismiss"}                                       end it in order, and let nobody in
    {"do": "disconnect"}                                    end every connection: the bot has flooded the arena
    {"do": "beat"}                                          say whether you go on
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import socket
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from arena.hosting.errors import exit_over_limit
from arena.hosting.framed_pipe import encode_frame, read_frame
from arena.hosting.prctl import die_with_parent
from arena.referee.forwarded_stream import PassedDescriptorStream, PassedStream, error_of
from arena.referee.framing import LineFraming
from arena.referee.queue.loop import run
from arena.referee.server import JoinError
from arena.referee.stream import BotStream, Flood, StreamClosedError
from arena.worker.bot_listener import DirectListener, StreamEnds
from arena.worker.own_limits import FloodWatch, OwnLimits, OwnWatch
from arena.worker.starter import BackgroundTasks
from engine.translatable import to_json

LOOK_S = 0.1
"""How often the connections are counted."""


class BotProxy:
    """Does at one listener what the worker tells it."""

    def __init__(self, listener: DirectListener, link: asyncio.StreamWriter) -> None:
        self._listener = listener
        self._link = link
        self._background = BackgroundTasks()

    async def obey(self, head: Mapping[str, Any], blob: bytes) -> None:
        """Do one thing."""
        stream = self._listener.admission.open_stream
        if head["do"] == "send" and stream is not None:
            with contextlib.suppress(StreamClosedError):  # the worker hears of the end as of any other
                await stream.send(blob)
        elif head["do"] == "await_read" and stream is not None:
            self._background.run(self._report_read(stream))
        elif head["do"] == "abort" and stream is not None:
            stream.close(error_of(head["error"]))
        elif head["do"] == "dismiss":
            self._listener.dismiss()
        elif head["do"] == "disconnect":
            self._listener.disconnect(Flood())
        elif head["do"] == "beat":
            _send(self._link, "alive")

    async def watch(self) -> None:
        """Count the connections of the bot. Never ends."""
        while True:
            await asyncio.sleep(LOOK_S)
            self._listener.look()

    async def _report_read(self, stream: BotStream) -> None:
        await stream.wait_until_read()
        _send(self._link, "read")

    async def report_refusal(self) -> None:
        """Tell of a flood before there was a stream."""
        try:
            await asyncio.shield(self._listener.admission.stream)
        except JoinError as error:
            _send(self._link, "flood", why=to_json(str(error)), evidence=error.evidence)


def _send(link: asyncio.StreamWriter, event: str, blob: bytes = b"", **values: object) -> None:
    link.write(encode_frame({"event": event, **values}, blob))


async def _serve(link: socket.socket, directory: Path, limits: OwnLimits, ends: StreamEnds, *, lines: bool) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=link)
    tell = partial(_send, writer)
    listener = await DirectListener.open(
        directory,
        LineFraming("", ()) if lines else None,
        ends,
        partial(PassedStream, pass_on=tell, drain=writer.drain),
        partial(PassedDescriptorStream, pass_on=tell, drain=writer.drain),
    )
    tell("open", socket=str(listener.socket or ""), token=listener.admission.token)
    limits.set_hard_stop()
    proxy = BotProxy(listener, writer)
    works = FloodWatch(lambda: [listener], OwnWatch(limits)).run(), proxy.watch(), proxy.report_refusal()
    tasks = [asyncio.create_task(work) for work in works]
    while (frame := await read_frame(reader)) is not None:
        await proxy.obey(*frame)
    for task in tasks:
        task.cancel()
    await listener.close()


def main() -> None:
    """Serve one bot until the worker closes the link."""
    parser = argparse.ArgumentParser(prog="python -m arena.worker.bot_proxy_process", description=__doc__)
    parser.add_argument("--link", type=int, required=True)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--memory", type=int, required=True)
    parser.add_argument("--cpu", type=float, required=True)
    parser.add_argument("--stream", type=int, nargs=2, required=True)
    parser.add_argument("--lines", action="store_true")
    options = parser.parse_args()
    die_with_parent(signal.SIGKILL)
    link = socket.socket(fileno=options.link)
    try:
        reading, writing = options.stream
        ends = StreamEnds(reading, writing, {})
        run(_serve(link, options.directory, OwnLimits(options.memory, options.cpu), ends, lines=options.lines))
    except MemoryError:
        exit_over_limit("it had no memory left")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main()
