"""One service for all tests without a browser, and one for all with one, which let people sit down."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.web.people.tables import GameTables
from tests.support.patience import PATIENCE_S
from tests.support.people import SitDown, open_game_tables, people_service
from tests.support.places import CHOICES, Place, serving, write_quick_bot

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service take its time to open a seat: what is tested is not how quick a busy machine is."""
    monkeypatch.setattr("arena.web.people.visitor_accounts.ENTER_PATIENCE_S", PATIENCE_S)


@contextmanager
def furnished() -> Iterator[Place]:
    """A place with quick bots and one that was not admitted."""
    # The path of pytest's own directory can be too long for a socket.
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        made = Place(Path(directory))
        made.ok("bot", "add", *(write_quick_bot(made.directory / "sources" / name, name) for name in CHOICES))
        hopeful = write_quick_bot(made.directory / "sources" / "hopeful", "first", name="hopeful")
        made.ok("bot", "add", hopeful, "--owner", "ada")
        yield made


@pytest.fixture(scope="package")
def place() -> Iterator[Place]:
    """Where a service runs in a thread of the tests."""
    with furnished() as made, people_service(made):
        yield made


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """Where a browser finds the pages of a service in processes of its own."""
    with (
        furnished() as made,
        serving(made, "--people", "6", "--workers", "1", "--stop-grace", "1", web="127.0.0.1:0") as running,
    ):
        yield running.addresses["web"]
        assert running.stop() == 0


@pytest.fixture
async def game_tables(place: Place) -> AsyncIterator[GameTables]:
    async with open_game_tables(place.directory) as opened:
        yield opened


@pytest.fixture
def sit_down(address: str) -> SitDown:
    """Lets a page order a table of a game and so many seats, the first of them people's."""

    def order(page: Page, game: str = "foreign_king", seats: int = 2, people: int = 1) -> None:
        page.emulate_media(reduced_motion="reduce")  # moves of others are shown without a pause
        page.goto(f"{address}/play?game={game}&seats={seats}")
        for seat in range(seats):
            page.select_option(f"select[name=seat{seat}]", "?person" if seat < people else "first")
        page.fill("input[name=name0]", "Anna <b>")
        page.click("form.order button.main")
        page.wait_for_selector("#table")

    return order
