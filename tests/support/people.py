"""People in their seats: a service that lets them sit down, tables as the pages have them, and how they choose."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final
from unittest import mock

from arena.hosting.procfs.processes import list_processes
from arena.model.human_play import PlayLimits
from arena.model.port import ArenaPort
from arena.rpc.channel import Endpoint
from arena.rpc.login import connect
from arena.service.home import make_home
from arena.service.lifecycle import process
from arena.service.settings import load_settings
from arena.web.people.game_table import GameTable, TableOrder
from arena.web.people.human_seat import HumanSeat, HumanSeatState, PendingDecision
from arena.web.people.service_client import ServiceClient
from arena.web.people.tables import GameTables
from tests.support.patience import PATIENCE_S
from tests.support.places import Place
from tests.support.processes import command_lines
from tests.support.web_pages import Played

if TYPE_CHECKING:
    from playwright.sync_api import Page

Choose = Callable[[HumanSeat, PendingDecision], int]

RULES = PlayLimits(most=6, idle_s=600, per_visitor=6, per_hour=1000)


def by_chance(seed: int = 1) -> Choose:
    """A person who draws."""
    random = Random(seed)
    return lambda _seat, asked: random.choice(asked.legal)


@asynccontextmanager
async def open_game_tables(
    home: Path, rules: PlayLimits = RULES, file: Path | None = None
) -> AsyncIterator[GameTables]:
    """The tables of people beside the service in that home."""

    @contextmanager
    def organiser() -> Iterator[ArenaPort]:
        with connect(f"unix:{home / 'run' / 'owners.sock'}") as arena:
            yield arena

    async with GameTables(
        rules, Endpoint(f"unix:{home / 'run' / 'seats.sock'}"), ServiceClient(organiser), file
    ) as game_tables:
        yield game_tables


def order(*sitting: str | None, game: str = "foreign_king", **changes: object) -> TableOrder:
    return TableOrder(game=game, sitting=sitting, **changes)  # type: ignore[arg-type]


async def until(table: GameTable, holds: Callable[[GameTable], bool]) -> None:
    """Wait until something is true of a table."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds(table):
            await table.wait(table.sequence, PATIENCE_S)


async def until_asked(table: GameTable) -> HumanSeat:
    """Wait until a seat is asked, or all is over, and return the one to be shown."""
    await until(table, lambda one: one.is_over or one.turn.stage is HumanSeatState.ASKED)
    return table.turn


async def play(table: GameTable, choose: Choose, most: int = 100_000) -> int:
    """Decide for all people at a table until it is over, or `most` times; return how often."""
    for count in range(most):
        seat = await until_asked(table)
        asked = seat.asked
        if asked is None:
            return count
        seat.choose(asked.ply, choose(seat, asked))
    return most


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


SitDown = Callable[..., None]


def wait_until_asked(page: Page) -> None:
    """Wait for what the script offers; the buttons that a page brings along are for browsers without one."""
    page.wait_for_selector("#choices:not([hidden]) .play-actions button[type=button]")


def give_up(page: Page) -> None:
    page.click("#resign summary")
    page.click("#resign button.danger")
