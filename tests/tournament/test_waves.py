import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.match.spec import MatchSpec
from arena.tournament.creation import create_format, create_match
from arena.tournament.entering import join, withdraw
from arena.tournament.errors import NotPlayableError, OrderError
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.format import Format, Standing
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import Swiss
from arena.tournament.planner import Planner
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.ledger import entry as ledger
from ratings.ledger import waves
from ratings.ledger.bots import set_disabled
from ratings.ledger.check import check
from ratings.store.database import read, write
from ratings.store.models import Tournament
from tests.tournament.book import BOTS, TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor

TWO = replace(TERMS, seats=2)
FORMATS = [
    RoundRobin(2, 2),
    Sample(2, 2),
    Gauntlet(2, 2),
    Swiss(2, 3),
    Knockout(2, lives=2, best_of=3),
    Ladder(2, 5),
    Swiss(3, 2),
    Ladder(3, 3),
    Knockout(3),
]


def plan(book: Book, form: Format, bots: Sequence[str] = BOTS) -> Tournament:
    terms = replace(TERMS, seats=form.seats)
    with write(book.database) as session:
        return create_format(session, book.store, terms, form, name=form.name, bots=bots)


async def play(
    book: Book, tournament: Tournament, executor: ScriptedExecutor | None = None, **more: Any
) -> RunProgress:
    async with executor or ScriptedExecutor() as started:
        return await run_tournament(book.database, tournament.id, started, store=book.store, **more)


def standings(book: Book, tournament: Tournament) -> list[Standing]:
    with read(book.database) as session:
        found = session.get_one(Tournament, tournament.id)
        planner = Planner.of(session, found)
        assert planner is not None
        return planner.standings(session)


def outcome(book: Book, tournament: Tournament) -> tuple[Any, ...]:
    """Everything that must not depend on how the tournament was run."""
    return book.table(tournament), book.results(tournament), standings(book, tournament)


@pytest.mark.parametrize("form", FORMATS, ids=str)
async def test_every_format_is_played_to_its_end(book: Book, form: Format) -> None:
    tournament = plan(book, form)
    final = await play(book, tournament)
    assert final.finished == final.total > 0
    with read(book.database) as session:
        assert ledger.progress(session, tournament.id).is_over
    rows = standings(book, tournament)
    assert len(rows) == len(BOTS)
    assert rows[0].place == 1
    assert check(book.database) == []
    with pytest.raises(NotPlayableError, match="is finished"):
        await play(book, tournament)


@pytest.mark.parametrize("form", [Swiss(2, 3), Knockout(2, 2), Ladder(2, 6)], ids=str)
async def test_workers_order_lost_attempts_and_stops_do_not_show(book: Book, form: Format) -> None:
    undisturbed = plan(book, form)
    await play(book, undisturbed, ScriptedExecutor(slots=1))
    first = book.results(undisturbed), standings(book, undisturbed)
    for seed in (1, 2):
        tournament = plan(book, form)
        await play(book, tournament, ScriptedExecutor(slots=1 + 4 * seed, seed=seed, loses=0.3))
        assert (book.results(tournament), standings(book, tournament)) == first


async def test_a_ladder_plans_two_waves_ahead_so_that_no_worker_waits_for_the_last_match_of_a_wave(book: Book) -> None:
    tournament = plan(book, Ladder(2, 6))
    with read(book.database) as session:
        assert len(waves.planned_waves(session, tournament.id)) == 2
    totals: list[int] = []
    await play(book, tournament, ScriptedExecutor(slots=4), on_progress=lambda state: totals.append(state.total))
    assert totals[0] == 8
    assert totals[-1] == 24
    assert totals == sorted(totals)


async def test_a_void_match_voids_its_block(book: Book) -> None:
    class LosesTheFirst(ScriptedExecutor):
        def is_lost(self, spec: MatchSpec) -> bool:
            return spec.match_id == self.specs[0].match_id

    tournament = plan(book, RoundRobin(2), ["ann", "bob"])
    final = await play(book, tournament, LosesTheFirst())
    assert (final.finished, final.void) == (1, 1)
    assert [(row.points, row.blocks) for row in standings(book, tournament)] == [(0, 0), (0, 0)]


def test_a_wave_is_written_once(book: Book) -> None:
    tournament = plan(book, Swiss(2, 3))
    with write(book.database) as session:
        before = waves.planned_waves(session, tournament.id)
        planner = Planner.of(session, tournament)
        assert planner is not None
        assert planner.plan_ready(session) == 0  # the first round is not over
        assert not waves.add_wave(session, tournament.id, 0, [])
        assert waves.planned_waves(session, tournament.id) == before


async def test_a_cancelled_ladder_is_over(book: Book) -> None:
    tournament = plan(book, Ladder(2, 0))

    def stop(state: RunProgress) -> None:
        if state.finished >= 20:
            with write(book.database) as session:
                ledger.cancel(session, tournament.id)

    final = await play(book, tournament, on_progress=stop)
    assert final.is_cancelled
    assert final.finished >= 20
    with read(book.database) as session:
        assert ledger.progress(session, tournament.id).is_over


async def test_who_joins_late_plays_from_the_next_wave_on(book: Book) -> None:
    book.add_bot("eve")
    tournament = plan(book, Swiss(2, 4))
    with write(book.database) as session:
        _, wave = join(session, book.store, tournament, "eve")
    assert wave == 1
    await play(book, tournament)
    rows = {row.entrant: row for row in standings(book, tournament)}
    assert len(rows) == 5
    assert rows[book.add_bot("eve").id].blocks >= 1


@pytest.mark.parametrize("form", [RoundRobin(2, 2), Swiss(2, 3), Knockout(2), Ladder(2, 4)], ids=str)
async def test_who_withdraws_plays_no_more_and_its_open_blocks_are_void(book: Book, form: Format) -> None:
    tournament = plan(book, form)
    with write(book.database) as session:
        version, void = withdraw(session, tournament, "bob")
    assert void > 0
    executor = ScriptedExecutor()
    await play(book, tournament, executor)
    assert not [spec for spec in executor.specs if any(seat.name == "bob" for seat in spec.seats)]
    (row,) = [row for row in standings(book, tournament) if row.entrant == version.id]
    assert (row.status, row.blocks) == ("withdrawn", 0)
    assert check(book.database) == []


async def test_withdrawing_while_the_tournament_runs_does_not_disturb_it(book: Book) -> None:
    tournament = plan(book, Ladder(2, 10))
    left: list[int] = []

    def leave(state: RunProgress) -> None:
        if state.finished >= 8 and not left:
            with write(book.database) as session:
                left.append(withdraw(session, tournament, "dee")[1])

    final = await play(book, tournament, on_progress=leave)
    assert left
    assert final.over == final.total


async def test_joining_and_withdrawing_where_it_makes_no_sense_is_refused(book: Book) -> None:
    book.add_bot("eve")
    book.add_bot("fox", games='["chess"]')
    swiss, robin = plan(book, Swiss(2, 1)), plan(book, RoundRobin(2))
    with write(book.database) as session:
        single = create_match(session, book.store, TWO, name="one", bots=["ann", "bob"])

    def refused(message: str, verb: Any, *arguments: Any, error: type[Exception] = OrderError) -> None:
        with pytest.raises(error, match=message), write(book.database) as session:
            verb(session, *arguments)

    refused("is a round-robin, all of whose entrants are there from the start", join, book.store, robin, "eve")
    refused("only swiss and ladder take late ones", join, book.store, single, "eve")
    refused("ann has entered 'swiss' already", join, book.store, swiss, "ann")
    refused(r"fox does not play countdown; its bot\.toml names: chess", join, book.store, swiss, "fox")
    refused("eve is not entered in 'swiss'", withdraw, swiss, "eve")
    refused("is a single match", withdraw, single, "ann")
    with write(book.database) as session:
        set_disabled(session, bot="eve", disabled=True)
        withdraw(session, swiss, "ann")
    refused("bot 'eve' is disabled", join, book.store, swiss, "eve")
    refused("ann has withdrawn from 'swiss' already", withdraw, swiss, "ann")
    refused("who withdrew does not come back", join, book.store, swiss, "ann")
    await play(book, swiss)
    refused("is finished; nobody can join", join, book.store, swiss, "eve", error=NotPlayableError)
    refused("is finished; nobody can join", withdraw, swiss, "bob", error=NotPlayableError)


def test_of_two_versions_the_one_that_withdraws_is_named(book: Book) -> None:
    old = book.add_bot("ann")
    new = book.add_bot("ann", code="improved")
    tournament = plan(book, RoundRobin(2), ["ann", f"ann@{old.content_hash[:8]}", "bob"])
    with (
        pytest.raises(
            OrderError, match=f"2 versions of ann play in 'round-robin'; name one: ann@{new.content_hash[:8]}"
        ),
        write(book.database) as session,
    ):
        withdraw(session, tournament, "ann")
    with write(book.database) as session:
        assert withdraw(session, tournament, f"ann@{old.content_hash[:8]}")[0].id == old.id


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_one_entrant_is_no_tournament(book: Book, form: Format) -> None:
    with pytest.raises(ScheduleError, match="name more bots"):
        plan(book, form, ["ann"])


@pytest.mark.timeout(600)  # a slow machine needs its time for some fifty processes
@pytest.mark.parametrize("name", ["round-robin", "swiss"])
def test_killed_at_every_boundary_it_ends_as_if_nothing_had_been(fresh_book: Path, tmp_path: Path, name: str) -> None:
    """A process per boundary; they are forked from one that has everything imported, and no threads."""
    shutil.copytree(fresh_book, tmp_path / "book")
    finished = subprocess.run(
        [sys.executable, "-m", "tests.tournament.killed_everywhere", str(tmp_path / "book" / "arena.db"), name],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert finished.returncode == 0, finished.stderr
    assert "boundaries" in finished.stdout
