"""What a leased match is played with: its chance, and the runtimes of its bots, also when they change."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeSettings, UnknownRuntimeError
from arena.tournament.creation import create_tournament
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.match_specs import MatchSpecs
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from engine import registry
from ratings.ledger.leasing import LeasedMatch, LeasedSeat
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.matches import match_detail, seen_runtimes
from ratings.store.models import PoolRecord, TournamentRecord
from tests.support.pythons import NAME, add_package, make_venv, settings_for
from tests.tournament.book import TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor

SECRET = bytes(32)
OF_BLOCK = 7


def chance_seeds(*, remote: bool) -> list[int]:
    """The seeds of two blocks of two matches."""
    game = registry.get("rex_romanorum")
    pool = PoolRecord(
        id="p", game=game.name, rules_version=game.rules_version, seats=2, options={}, time_control="1s", cores=1,
        mu=25, sigma=8, beta=4, tau=0.1, draw_probability=0, created_at_us=0, remote=remote,
    )  # fmt: skip
    settings = {"start_limit_us": 1, "margin_us": 1, "opening_plies": 0}
    tournament = TournamentRecord(
        id="t", name="t", format="roundrobin", pool_id="p", secret=SECRET.hex(), seeded=False, settings=settings,
        rated=True, created_at_us=0,
    )  # fmt: skip
    specs = MatchSpecs(tournament, pool, cast(Any, None))
    return [specs.spec(leased(block, rotation)).chance_seed for block in range(2) for rotation in range(2)]


def leased(block: int, rotation: int) -> LeasedMatch:
    seats = tuple(LeasedSeat(name, "v" + name, "ada", is_remote=True) for name in ("ada/fox", "ada/owl"))
    return LeasedMatch("m", 1, 0, block, rotation, (), OF_BLOCK, seats)


def test_hosted_bots_play_all_matches_of_a_block_with_its_chance() -> None:
    assert chance_seeds(remote=False) == [OF_BLOCK] * 4


@pytest.mark.hostile("remember-the-chance-of-a-block")
def test_remote_bots_which_remember_what_they_saw_meet_the_same_chance_in_no_two_matches() -> None:
    found = chance_seeds(remote=True)
    assert len({*found, OF_BLOCK}) == 5
    assert found[3] == seeds.match_chance_seed(SECRET, 1, 1)


@pytest.mark.parametrize("place", [(0, 0), (1, 0), (0, 1)])
def test_the_chance_of_a_match_is_none_of_a_blocks(place: tuple[int, int]) -> None:
    assert seeds.match_chance_seed(SECRET, *place) not in {seeds.chance_seed(SECRET, block) for block in range(20)}


def plan(book: Book, settings: RuntimeSettings, *names: str) -> TournamentRecord:
    programs = replace(book.programs, runtimes=RuntimeCatalog(settings))
    form = RoundRobin(TERMS.seats, 1)
    return create_tournament(book.database, programs, TERMS, form, bots=names, choose_name=lambda _: "robin")


async def play(book: Book, tournament: TournamentRecord, settings: RuntimeSettings, *, most: int | None = None) -> None:
    """Play in the runtimes as they are now, until so many matches are recorded."""
    programs = replace(book.programs, runtimes=RuntimeCatalog(settings))
    stop = asyncio.Event()

    def look(progress: RunProgress) -> None:
        if most is not None and progress.finished >= most:
            stop.set()

    async with ScriptedExecutor() as executor:
        running = asyncio.create_task(
            run_tournament(book.database, tournament.id, executor, programs, on_progress=look)
        )
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            running.cancel()
        stopping.cancel()
        await asyncio.gather(running, stopping, return_exceptions=True)
        if most is None:
            running.result()


async def test_matches_before_and_after_a_change_of_the_runtime_have_two_hashes(book: Book, tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "venv", "fakenet==1.2")
    settings = settings_for(venv)
    for name in ("eva", "fay", "gil"):
        book.add_bot(name, runtime=NAME)
    tournament = plan(book, settings, "eva", "fay", "gil", "ann")
    await play(book, tournament, settings, most=1)
    old = RuntimeCatalog(settings).get(NAME).hash
    add_package(venv, "fakenet", "1.3")
    await play(book, tournament, settings)
    new = RuntimeCatalog(settings).get(NAME).hash
    own = RuntimeCatalog().get("arena").hash

    rows = list_matches(book.database, MatchFilter(tournament.id), limit=None, newest_first=False).items
    details = [match_detail(book.database, row.match.id) for row in rows]
    hashes = [{seat.bot: seat.seat.runtime for seat in detail.seats} for detail in details]
    assert {runtime for match in hashes for bot, runtime in match.items() if bot == "ann"} == {own}
    assert {runtime for match in hashes for bot, runtime in match.items() if bot != "ann"} == {old, new}
    assert all(len({runtime for bot, runtime in match.items() if bot != "ann"}) == 1 for match in hashes)

    noted = {row.hash: row for row in seen_runtimes(book.database)}
    assert set(noted) == {old, new, own}
    assert noted[old].contents["packages"] == {"fakenet": "1.2"}
    assert noted[new].contents["packages"] == {"fakenet": "1.3"}
    assert (noted[new].name, noted[new].kind) == (NAME, "python")


async def test_a_bot_whose_runtime_is_not_defined_here_cannot_be_entered(book: Book) -> None:
    book.add_bot("eva", runtime=NAME)
    with pytest.raises(UnknownRuntimeError, match="runtime is 'python-ml', and this arena knows 'arena', 'bundled'"):
        plan(book, RuntimeSettings(), "eva", "ann", "bob")
