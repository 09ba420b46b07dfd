"""Starts a program of ours with holes that nobody has thought of: metadata of a call that bring down its server, and
a message that brings down whoever plays.

    python -m tests.support.hole MODULE [ARGUMENT ...]

A worker that is started so starts its bot proxies so.
"""

from __future__ import annotations

import hashlib
import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable

from arena.referee.call_context import CallContext
from arena.referee.server import PlayServer, StreamAdmission
from arena.referee.stream import BotStream
from arena.worker import proxied_listener

KEY = "hole"
_held: list[bytes] = []


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _fill() -> None:
    _held.append(b"\1" * (400 << 20))


def _burn() -> None:
    def burn() -> None:
        while True:
            hashlib.pbkdf2_hmac("sha256", b"x", b"y", 200_000)  # as gRPC's threads: without the interpreter's lock

    threading.Thread(target=burn, daemon=True).start()


HOLES: dict[str, Callable[[], None]] = {"crash": _crash, "fill": _fill, "burn": _burn}


def _with_hole(
    find: Callable[[PlayServer, CallContext], StreamAdmission | None],
) -> Callable[[PlayServer, CallContext], StreamAdmission | None]:
    def find_admission(server: PlayServer, context: CallContext) -> StreamAdmission | None:
        for key, value in context.invocation_metadata() or ():
            if key == KEY:
                HOLES[str(value)]()
        return find(server, context)

    return find_admission


WORDS = b"down with whoever plays"


def _with_crash(receive: Callable[[BotStream, bytes], bool]) -> Callable[[BotStream, bytes], bool]:
    def crash(stream: BotStream, data: bytes) -> bool:
        if WORDS in data:
            _crash()
        return receive(stream, data)

    return crash


if __name__ == "__main__":
    PlayServer.find_admission = _with_hole(PlayServer.find_admission)  # type: ignore[method-assign, assignment]
    BotStream._receive = _with_crash(BotStream._receive)  # type: ignore[method-assign, assignment]
    proxied_listener.PROGRAM = (sys.executable, "-m", "tests.support.hole", "arena.worker.bot_proxy_process")
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
