"""A service that lets people sit down, in a thread of the test; only the process in which they play is one of its own.

It plays hosted matches itself, as `tests.support.played` does, and serves no pages: tests ask those in their process.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Final
from unittest import mock

from arena.hosting.procfs.processes import list_processes
from arena.service.home import make_home
from arena.service.lifecycle import process
from arena.service.settings import load_settings
from tests.support.patience import PATIENCE_S
from tests.support.places import Place
from tests.support.played import Played
from tests.support.processes import command_lines

_SETTINGS: Final = {
    "service.address": "",
    "service.admin_address": "",
    "service.web_address": "127.0.0.1:0",  # without pages nobody sits down
    "service.people": "6",
    "service.workers": "1",
    "service.sandbox": "none",
    "service.leak_checks": "0%",
    "service.stop_grace": "0",
}


class _Life:
    """One life of the service: ready from `start` on, over with `stop`."""

    def __init__(self, place: Place) -> None:
        self._home = make_home(place.directory, "")
        self._changed = threading.Semaphore(0)
        self._end: Callable[[], object] | None = None
        self._is_ready = False
        self._thread = threading.Thread(target=self._serve, name="service")

    def start(self) -> None:
        self._thread.start()
        assert self._changed.acquire(timeout=PATIENCE_S)
        assert self._is_ready, "it has ended instead"

    def stop(self) -> None:
        if self._end is not None:
            self._end()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        settings = load_settings(self._home.settings_file, _SETTINGS, {}).values
        try:
            process.serve(self._home, settings, self_signed=False, on_ready=self._note_ready, say=lambda _: None)
        finally:
            self._changed.release()

    def _note_ready(self, _ready: object) -> None:
        self._is_ready = True
        self._changed.release()

    @contextmanager
    def stop_signals(self, _say: object) -> Iterator[asyncio.Event]:
        wanted, loop = asyncio.Event(), asyncio.get_running_loop()
        self._end = lambda: loop.call_soon_threadsafe(wanted.set)
        yield wanted


@contextmanager
def people_service(place: Place) -> Iterator[None]:
    """Serve the home in that place for the block."""
    life = _Life(place)
    with (
        mock.patch.object(process, "stop_signals", life.stop_signals),
        mock.patch.object(process, "open_web", return_value=None),
        mock.patch.object(process, "logging_to", return_value=nullcontext()),
        mock.patch("arena.service.lifecycle.process.LocalExecutor", Played),
    ):
        life.start()
        try:
            yield
        finally:
            life.stop()


def kill_guests(place: Place) -> None:
    """Kill the process of remote bots and people."""
    seats = str(place.directory / "run" / "seats.sock")
    (pid,) = [pid for pid, line in command_lines(list_processes()) if "arena.remote" in line and seats in line]
    os.kill(pid, signal.SIGKILL)
