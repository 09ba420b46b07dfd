"""What breaks while people play: the process of the pages, that of the guests, the service; tables outlive them all."""

import asyncio
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.model.human_play import PlayLimits
from arena.web.people.errors import NoTableError, NotReachedError
from arena.web.people.game_table import load_tables
from arena.web.people.human_seat import HumanSeatState
from arena.web.people.tables import GameTables
from tests.support.people import (
    by_chance,
    kill_guests,
    open_game_tables,
    order,
    people_service,
    play,
    until,
    until_asked,
)
from tests.support.places import Place, write_quick_bot
from tests.support.sources import ROOT

PAGES = """
import asyncio, sys
from pathlib import Path
from tests.support.people import *

async def main():
    async with open_game_tables(Path(sys.argv[1]), file=Path(sys.argv[2])) as tables:
        table = await tables.open("v", "address", order(None, "drawn", None, names=("Anna", "Bob")))
        await play(table, by_chance(), 7)
        await until_asked(table)
        print(table.key, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("pages-killed")
async def test_when_the_pages_are_killed_their_successor_goes_on_with_the_tables(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "tables.json"
    words = [sys.executable, "-c", PAGES, str(place.directory), str(file)]
    environment = {**place.environment, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as pages:
        assert pages.stdout is not None
        key = pages.stdout.readline().strip()
        pages.kill()
    assert file.stat().st_mode & 0o777 == 0o600
    async with open_game_tables(place.directory, file=file) as game_tables:
        table = game_tables.find(key)
        assert table.about.names == ("Anna", "drawn", "Bob")
        seat = await until_asked(table)
        assert seat.board is not None
        assert len(seat.board.moves) >= 7, "everything that was played is told again"
        assert game_tables.free == game_tables.rules.most - 2
        await play(table, by_chance())
        assert [one.restarts for one in table.seats] == [0, 0]
        assert all(one.ending is not None and one.ending.faults == () for one in table.seats)
    assert load_tables(file) == []
    async with open_game_tables(place.directory, file=file) as game_tables:
        with pytest.raises(NoTableError):
            game_tables.find(key)


async def test_what_ended_while_the_pages_were_down_is_known_afterwards(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "tables.json"
    async with open_game_tables(place.directory, PlayLimits(most=6), file) as game_tables:
        table = await game_tables.open("v", "address", order(None, "first"))
        await until_asked(table)
        left = file.read_bytes()
        game_tables.leave(table)
        await until(table, lambda one: one.is_over)
        assert table.seats[0].ending is not None
    file.write_bytes(left)
    async with open_game_tables(place.directory, file=file) as game_tables:
        again = game_tables.find(table.key)
        await until(again, lambda one: one.is_over)
        assert again.seats[0].ending is not None
        assert again.seats[0].ending.ranks == table.seats[0].ending.ranks


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("process-of-guests-killed")
async def test_when_the_process_of_the_guests_is_killed_the_match_begins_anew(
    place: Place, game_tables: GameTables
) -> None:
    table = await game_tables.open("v", "address", order(None, "first", None))
    await play(table, by_chance(), 5)
    kill_guests(place)
    await until(table, lambda one: all(seat.restarts == 1 for seat in one.seats))
    seat = await until_asked(table)
    assert seat.board is not None
    assert len(seat.board.moves) < 5
    await play(table, by_chance())
    assert all(one.stage is HumanSeatState.OVER for one in table.seats)


async def test_a_file_that_cannot_be_read_is_as_good_as_none(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "tables.json"
    for text in ("", "{", "[1]", '[{"about": {}}]', "\udcff"):
        file.write_bytes(text.encode(errors="surrogateescape"))
        async with open_game_tables(place.directory, file=file) as game_tables:
            assert game_tables.free == game_tables.rules.most


async def test_a_table_that_another_process_forgot_does_not_hold_the_seat(place: Place) -> None:
    rules = PlayLimits(most=1)
    async with open_game_tables(place.directory, rules) as game_tables:
        forgotten = await game_tables.open("v", "address", order(None, "first"))
        await until_asked(forgotten)
    async with open_game_tables(place.directory, rules) as game_tables:
        table = await game_tables.open("v", "address", order(None, "first"))
        await play(table, by_chance())
        assert table.seats[0].ending is not None
        assert table.seats[0].ending.resigned == ""


async def test_without_a_service_a_visitor_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.people.visitor_accounts.ENTER_PATIENCE_S", 0.3)
    async with open_game_tables(tmp_path) as game_tables:
        with pytest.raises(NotReachedError, match="try again"):
            await game_tables.open("v", "address", order(None, "first"))
        assert game_tables.free == game_tables.rules.most


@pytest.mark.needs("minutes")
async def test_a_service_that_is_started_anew_plays_the_match_again() -> None:
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        own = Place(Path(directory))
        own.ok("bot", "add", write_quick_bot(own.directory / "sources" / "first", "first"))
        async with open_game_tables(own.directory) as game_tables:
            with ExitStack() as service:
                service.enter_context(people_service(own))
                table = await game_tables.open("v", "address", order(None, "first"))
                await play(table, by_chance(), 5)
                await until_asked(table)
                await asyncio.to_thread(service.close)
            await until(table, lambda one: not one.is_connected)
            with ExitStack() as service:
                service.enter_context(people_service(own))
                await until(table, lambda one: one.seats[0].restarts == 1)
                await play(table, by_chance())
                assert table.seats[0].stage is HumanSeatState.OVER
                await asyncio.to_thread(service.close)
