"""Asks bots of this process, whose faults must not stop who learns beside them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from arena.adapters.errors import OpponentError
from arena.adapters.opponents import name_of
from arena.v1 import play_pb2
from arena.wire.messages import encode_joined, parse_join
from bots.loopback import Loopback
from bots.session import Bot
from engine.core import Game


class ThinkingBot:
    """A bot of this process in one seat; it thinks in a thread, so that one that never answers is noticed."""

    def __init__(self, bot: Bot, game: Game, patience_s: float) -> None:
        """Raise OpponentError from `prepare` or `send` when it has not answered for so many seconds."""
        self._loopback = Loopback(bot)
        self._name = name_of(bot)
        self._game = game
        self._patience_s = patience_s
        self._thread = _Thread()
        self._has_joined = False

    def prepare(self, seat: int) -> None:
        """Let the bot prepare itself, unless it has done so, and tell it of the game. Raises OpponentError."""
        if self._has_joined:
            return
        join = parse_join(self._call(seat, self._loopback.join))
        assert isinstance(join, play_pb2.Join), "a session begins with its Join"
        self.send(seat, encode_joined(join.games, self._game))
        self._has_joined = True

    def send(self, seat: int, message: bytes) -> bytes:
        """Hand it a `PlayResponse` and return its answer, no bytes if none is asked for. Raises OpponentError."""
        return self._call(seat, lambda: self._loopback.send(message))

    def _call(self, seat: int, work: Callable[[], bytes]) -> bytes:
        try:
            return self._thread.call(work, self._patience_s)
        except TimeoutError:
            self._thread = _Thread()
            raise OpponentError(
                seat,
                f"{self._name} in seat {seat} has not answered for {self._patience_s:g} s; it computes here, where "
                "nothing can end it; mend it, or put it into a directory of its own and name that",
            ) from None
        except _RaisedError as raised:
            error = raised.error
            raise OpponentError(seat, f"{self._name} in seat {seat} raised {type(error).__name__}: {error}") from error

    def close(self) -> None:
        """End its thread."""
        self._thread.close()


class _RaisedError(Exception):
    """What the work of a thread raised: so its SystemExit does not end who asked, and is no Ctrl-C of theirs."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Thread:
    """Does one piece of work at a time in a thread that ends with the process."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], bytes] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[bytes | BaseException] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def call(self, work: Callable[[], bytes], patience_s: float) -> bytes:
        """Return what the work returns. Raises _RaisedError for whatever it raises, and TimeoutError."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="opponent")
            self._thread.start()
        self._work.put(work)
        try:
            done = self._done.get(timeout=patience_s)
        except queue.Empty:
            self.close()  # when it comes back, if ever
            raise TimeoutError from None
        if isinstance(done, BaseException):
            raise _RaisedError(done)
        return done

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                self._done.put(work())
            except BaseException as error:  # whatever it is, who waits is told
                self._done.put(error)

    def close(self) -> None:
        """End it when its work is done."""
        self._work.put(None)
