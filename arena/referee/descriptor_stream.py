"""A bot's stream over file descriptors that its process was started with: a socket pair, or two pipes.

The event loop waits for the descriptor itself: there is no task, no thread and no other library between a bot's bytes
and its match. A message is written at once, as far as the kernel takes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import struct
import termios
from collections.abc import Callable

from arena.referee import stream as streams
from arena.referee.framing import PROTOBUF, FrameTooLongError, Framing
from arena.referee.queue.loop import QueueLoop
from arena.referee.stream import KEPT_OUTPUT_BYTES, STOPPED_READING, BotStream, StreamClosedError
from arena.wire.status import Status
from engine.translatable import Text

READ_BYTES = 65_536
MANY_READS = 8
"""After so many readings without a whole message, it is read on only now and then."""
PAUSE_S, MOST_PAUSES = 0.001, 20
"""How long it waits then, each time longer up to so many times that: a bot that writes byte by byte hardly waits, and
one that writes nothing but blanks costs a few hundredths of a core."""
LAST_WORDS_S = 0.5
"""How long the end of a broken stream may take to be read."""
START_LOOK_S = 0.002
"""How often it is looked whether a bot has read its first line."""
SHOWN_BYTES = 64


def ignore(_stream: DescriptorStream) -> None:
    """Be what is told of a first message that nobody waits for."""


class DescriptorStream(BotStream):
    """A stream through descriptors that it owns: `start` begins to read, the end of the stream closes them."""

    def __init__(self, reading: int, writing: int, framing: Framing = PROTOBUF) -> None:
        """`reading` and `writing` are the same for a socket."""
        super().__init__(framing)
        self._reading, self._writing = reading, writing
        self._on_first: Callable[[DescriptorStream], None] = ignore
        self._buffer = bytearray()
        self._reads = 0  # how many readings have not completed a message
        self._unsent = bytearray()
        self._sent: asyncio.Future[None] | None = None  # ends when the kernel has taken all that is unsent
        self._is_reading = False
        self._is_open = True
        self._is_broken = False  # whether the bot reads no more
        self._has_started = framing.join is None  # whether it is known to read

    def start(self, on_first: Callable[[DescriptorStream], None] = ignore) -> None:
        """Begin to read, and call `on_first` before the first message is taken."""
        self._on_first = on_first
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self._read_on()

    def descriptor(self) -> int | None:
        return self._reading if self._is_open else None

    # What arrives.

    def _read_on(self) -> None:
        if self._is_open and not self._is_reading and not self._is_muted:
            self._is_reading = True
            self._loop.add_reader(self._reading, self._read)

    def _stop_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._reading)

    def _read(self) -> None:
        try:
            data = os.read(self._reading, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # the bot has ended with something unread
            data = b""
        self._buffer += data
        is_last = not data
        if self._take_messages(is_last=is_last) and is_last:
            self._end(Text("Its stream ended."))

    def _take_messages(self, *, is_last: bool) -> bool:
        """Take all messages that have come whole, and return whether reading goes on."""
        self._reads += 1
        try:
            while (message := self.framing.split(self._buffer, is_last=is_last)) is not None:
                self._reads = 0
                if not self._take(message):
                    self._stop_reading()
                    return False
        except FrameTooLongError as error:
            self._note_first()
            self.refuse(bytes(self._buffer[:SHOWN_BYTES]), error.malformed)
            return False
        if is_last:
            self._stop_reading()
        elif self._reads >= MANY_READS:
            self._stop_reading()
            self._loop.call_later(PAUSE_S * min(self._reads - MANY_READS + 1, MOST_PAUSES), self._read_on)
        return True

    def _take(self, message: bytes) -> bool:
        """Take one message, and return whether the next one is to be taken."""
        self._note_first()
        is_first = not self.first_message.done()
        return self._receive(message) and (is_first or self._inbox is not None)  # an idle bot has nothing to say

    def _note_first(self) -> None:
        on_first, self._on_first = self._on_first, ignore
        on_first(self)

    def mute(self) -> None:
        super().mute()
        self._stop_reading()
        del self._buffer[KEPT_OUTPUT_BYTES:]

    def _stray_bytes(self) -> bytes:
        return super()._stray_bytes() + self._buffer[:KEPT_OUTPUT_BYTES]

    def _end(self, why: str) -> None:
        super()._end(why)
        self._release()

    # For the owner of the bot.

    async def send(self, data: bytes) -> None:
        if self._ending.done():
            raise StreamClosedError(self.spoiled)
        self._write(self.framing.pack(data))
        if self._unsent and self._has_started:  # a bot that has not started yet reads it when it has
            await self._wait_until_sent()
        if self._is_broken:
            # What it said last may not be read yet, such as that it leaves.
            await asyncio.wait({self._ending}, timeout=LAST_WORDS_S)
            self._end(Text("Its stream broke off."))
        if self._ending.done():
            raise StreamClosedError(self.spoiled)

    async def _wait_until_sent(self) -> None:
        self._sent = self._sent or self._loop.create_future()
        try:
            async with asyncio.timeout(streams.STOPPED_READING_S):
                await asyncio.shield(self._sent)
        except TimeoutError as error:
            self._end(STOPPED_READING)
            raise StreamClosedError(STOPPED_READING) from error

    def listen(self) -> None:
        """Take the answer that comes in a moment, without a turn of the event loop."""
        if self._is_reading and isinstance(self._loop, QueueLoop) and self._loop.wait_briefly(self._reading):
            self._read()

    async def wait_until_read(self) -> None:
        """Wait until the bot has read all that it was sent, if it sends no `Join`; the caller limits the time."""
        while not self._has_started and self._is_open and (self._unsent or _unread_bytes(self._writing)):
            await asyncio.sleep(START_LOOK_S)
        self._has_started = True

    def _write(self, frame: bytes) -> None:
        """Write a frame behind what is unsent, as far as the kernel takes it."""
        if not self._unsent:
            try:
                written = os.write(self._writing, frame)
            except BlockingIOError:
                written = 0
            except OSError:
                self._is_broken = True
                return
            if written == len(frame):
                return
            frame = frame[written:]
            self._loop.add_writer(self._writing, self._write_on)
        self._unsent += frame

    def _write_on(self) -> None:
        try:
            del self._unsent[: os.write(self._writing, self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._is_broken = True
            self._unsent.clear()
        if not self._unsent:
            self._loop.remove_writer(self._writing)
            self._note_sent()

    def _note_sent(self) -> None:
        if self._sent is not None and not self._sent.done():
            self._sent.set_result(None)
        self._sent = None

    def close(self, error: Status | None = None) -> None:
        super().close(error)
        self._release()

    def _release(self) -> None:
        """Give the descriptors back."""
        if not self._is_open:
            return
        self._stop_reading()
        if self._unsent:
            self._loop.remove_writer(self._writing)
            self._unsent.clear()
        self._note_sent()
        self._is_open = False
        for number in {self._reading, self._writing}:
            with contextlib.suppress(OSError):
                os.close(number)


def _unread_bytes(pipe: int) -> int:
    """Return how many bytes lie in a pipe; 0 if that is unknown."""
    try:
        (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    except OSError:
        return 0
    return int(count)
