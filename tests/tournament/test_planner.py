"""Planning by waves: kills, annulments, and results that come at once change nothing of what is planned."""

from __future__ import annotations

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
from arena.tournament import planner
from arena.tournament.errors import NotPlayableError, RequestError
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format, FormatStanding, ScheduleError
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import Swiss
from arena.tournament.planner import FormatPlanner, planner_of
from arena.tournament.registration import join, withdraw
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from arena.tournament.stored import draw_of, wave_of
from ratings.ledger.check import check
from ratings.ledger.ledger import LeaseRequest
from ratings.ledger.service_ledger import ServiceLedger
from ratings.ledger.tournaments import WaveLedger
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.tournaments import tournament_row, tournament_waves
from ratings.store.models import TournamentRecord
from tests.ratings.book import FOREVER, report
from tests.tournament.book import BOTS, TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor

TWO = replace(TERMS, seats=2)
FORMATS: Sequence[Format] = [
    Sample(2, 2),
    Gauntlet(2, 1),
    Knockout(2, lives=2, best_of=3),
    LadderFormat(2, 3),
    Swiss(3, 2),
]
"""Round robins are in other tests."""


def plan(book: Book, form: Format, bots: Sequence[str] = BOTS) -> TournamentRecord:
    return book.plan_format(form, bots=bots)


async def play(
    book: Book, tournament: TournamentRecord, executor: ScriptedExecutor | None = None, **more: Any
) -> RunProgress:
    async with executor or ScriptedExecutor() as started:
        return await run_tournament(book.database, tournament.id, started, book.programs, **more)


def standings(book: Book, tournament: TournamentRecord) -> list[FormatStanding]:
    return book.standings(tournament)


def outcome(book: Book, tournament: TournamentRecord) -> tuple[Any, ...]:
    """Everything that must not depend on how the tournament was run."""
    return book.table(tournament), book.results(tournament), standings(book, tournament)


def annul(book: Book, tournament: TournamentRecord, place: int = 0) -> None:
    """Annul the match at a place of the schedule."""
    rows = list_matches(book.database, MatchFilter(tournament.id), limit=None, newest_first=False).items
    ledger = ServiceLedger(book.database)
    ledger.annul_match(rows[place].match.id, why="the machine was out of memory", actor="operator")


@pytest.mark.parametrize("form", FORMATS, ids=str)
async def test_every_format_is_played_to_its_end_and_leaves_out_what_was_annulled_then(
    book: Book, form: Format
) -> None:
    tournament = plan(book, form)
    final = await play(book, tournament)
    assert final.finished == final.total > 0
    assert tournament_row(book.database, tournament.id).progress.is_over
    rows = standings(book, tournament)
    assert len(rows) == len(BOTS)
    assert rows[0].place == (0 if isinstance(form, Gauntlet) else 1)
    assert check(book.database) == []
    with pytest.raises(NotPlayableError, match="is finished"):
        await play(book, tournament)
    annul(book, tournament)
    after = standings(book, tournament)
    assert sum(row.blocks for row in rows) - sum(row.blocks for row in after) == form.seats
    assert check(book.database) == []


@pytest.mark.both_databases
@pytest.mark.parametrize("form", [Knockout(2, 2), LadderFormat(2, 4)], ids=str)
async def test_workers_order_lost_attempts_and_stops_do_not_show(book: Book, form: Format) -> None:
    undisturbed = plan(book, form)
    await play(book, undisturbed, ScriptedExecutor(slots=1))
    first = book.results(undisturbed), standings(book, undisturbed)
    tournament = plan(book, form)
    await play(book, tournament, ScriptedExecutor(slots=5, seed=1, loses=0.3))
    assert (book.results(tournament), standings(book, tournament)) == first


async def test_a_ladder_plans_two_waves_ahead_so_that_no_worker_waits_for_the_last_match_of_a_wave(book: Book) -> None:
    tournament = plan(book, LadderFormat(2, 6))
    assert len(tournament_waves(book.database, tournament.id).waves) == 2
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


class AddsTheFirstWaveAgain:
    def plan_ready(self, waves: WaveLedger) -> int:
        return int(waves.add_wave(0, []))


@pytest.mark.both_databases
def test_a_wave_is_written_once(book: Book) -> None:
    tournament = plan(book, Swiss(2, 3))
    row, before = tournament_row(book.database, tournament.id), tournament_waves(book.database, tournament.id).waves
    planner = FormatPlanner(Swiss(2, 3), draw_of(row.tournament, row.pool))
    assert book.ledger.settle(tournament.id, planner=planner).planned == 0  # the first round is not over
    assert book.ledger.settle(tournament.id, planner=AddsTheFirstWaveAgain()).planned == 0
    assert tournament_waves(book.database, tournament.id).waves == before


async def test_a_cancelled_ladder_is_over(book: Book) -> None:
    tournament = plan(book, LadderFormat(2, 0))

    def stop(state: RunProgress) -> None:
        if state.finished >= 10:
            book.ledger.cancel(tournament.id)

    final = await play(book, tournament, on_progress=stop)
    assert final.is_cancelled
    assert final.finished >= 10
    assert tournament_row(book.database, tournament.id).progress.is_over


async def test_an_endless_ladder_waits_when_too_few_are_left_and_goes_on_when_another_one_joins(book: Book) -> None:
    tournament = plan(book, LadderFormat(2, 0), BOTS[:2])
    gone: list[str] = []

    def leave(state: RunProgress) -> None:
        if state.finished >= 4 and not gone:
            gone.append(withdraw(book.database, tournament, BOTS[1])[0].id)

    def stop(state: RunProgress) -> None:
        if state.played >= 4:
            book.ledger.cancel(tournament.id)

    await play(book, tournament, on_progress=leave)
    assert gone
    assert not tournament_row(book.database, tournament.id).progress.is_over
    assert (await play(book, tournament)).played == 0
    join(book.database, book.programs, tournament, BOTS[2])
    assert (await play(book, tournament, on_progress=stop)).is_cancelled
    assert check(book.database) == []


async def test_who_joins_late_plays_from_the_next_wave_on(book: Book) -> None:
    book.add_bot("eve")
    tournament = plan(book, Swiss(2, 4))
    _, wave = join(book.database, book.programs, tournament, "eve")
    assert wave == 1
    await play(book, tournament)
    rows = {row.entrant: row for row in standings(book, tournament)}
    assert len(rows) == 5
    assert rows[book.add_bot("eve").id].blocks >= 1


@pytest.mark.parametrize("form", [RoundRobin(2, 1), Knockout(2), LadderFormat(2, 3)], ids=str)
async def test_who_withdraws_plays_no_more_and_its_open_blocks_are_void(book: Book, form: Format) -> None:
    tournament = plan(book, form)
    version, void = withdraw(book.database, tournament, "bob")
    assert void > 0
    executor = ScriptedExecutor()
    await play(book, tournament, executor)
    assert not [spec for spec in executor.specs if any(seat.name == "bob" for seat in spec.seats)]
    (row,) = [row for row in standings(book, tournament) if row.entrant == version.id]
    assert (row.status, row.blocks) == ("withdrawn", 0)
    assert check(book.database) == []


async def test_withdrawing_while_the_tournament_runs_does_not_disturb_it(book: Book) -> None:
    tournament = plan(book, LadderFormat(2, 6))
    left: list[int] = []

    def leave(state: RunProgress) -> None:
        if state.finished >= 8 and not left:
            left.append(withdraw(book.database, tournament, "dee")[1])

    final = await play(book, tournament, on_progress=leave)
    assert left
    assert final.over == final.total


async def test_joining_and_withdrawing_where_it_makes_no_sense_is_refused(book: Book) -> None:
    book.add_bot("eve")
    book.add_bot("fox", games='["chess"]')
    swiss, robin = plan(book, Swiss(2, 1)), plan(book, RoundRobin(2))
    single = book.plan_match(TWO, ["ann", "bob"])

    def refused(message: str, verb: Any, *arguments: Any, error: type[Exception] = RequestError) -> None:
        with pytest.raises(error, match=message):
            verb(book.database, *arguments)

    refused("is a round-robin, all of whose entrants are there from the start", join, book.programs, robin, "eve")
    refused("only swiss and ladder take late ones", join, book.programs, single, "eve")
    refused("ann has entered 'swiss' already", join, book.programs, swiss, "ann")
    refused(r"fox does not play nim; its bot\.toml names: chess", join, book.programs, swiss, "fox")
    refused("eve is not entered in 'swiss'", withdraw, swiss, "eve")
    refused("is a single match", withdraw, single, "ann")
    book.ledger.set_disabled("eve", disabled=True)
    withdraw(book.database, swiss, "ann")
    refused("bot 'eve' is disabled", join, book.programs, swiss, "eve")
    refused("ann has withdrawn from 'swiss' already", withdraw, swiss, "ann")
    refused("who withdrew does not come back", join, book.programs, swiss, "ann")
    await play(book, swiss)
    refused("is finished; nobody can join", join, book.programs, swiss, "eve", error=NotPlayableError)
    refused("is finished; nobody can join", withdraw, swiss, "bob", error=NotPlayableError)


def test_of_two_versions_the_one_that_withdraws_is_named(book: Book) -> None:
    old = book.add_bot("ann")
    new = book.add_bot("ann", code="improved")
    tournament = plan(book, RoundRobin(2), ["ann", f"ann@{old.content_hash[:8]}", "bob"])
    message = f"2 versions of ann play in 'round-robin'; name one: ann@{new.content_hash[:8]}"
    with pytest.raises(RequestError, match=message):
        withdraw(book.database, tournament, "ann")
    assert withdraw(book.database, tournament, f"ann@{old.content_hash[:8]}")[0].id == old.id


def test_one_entrant_is_no_tournament(book: Book) -> None:
    for form in FORMATS:
        with pytest.raises(ScheduleError, match="name more bots"):
            plan(book, form, ["ann"])


@pytest.mark.host_fault("command-killed-between-waves")
@pytest.mark.parametrize(
    "words",
    [
        ["adaptive", "chain"],
        *(
            pytest.param(words, marks=pytest.mark.needs("minutes"))
            for words in (["swiss", "all"], ["adaptive", "ends"])
        ),
    ],
    ids=" ".join,
)
def test_killed_at_every_boundary_it_ends_as_if_nothing_had_been(
    fresh_book: Path, tmp_path: Path, words: list[str]
) -> None:
    """A process per boundary; they are forked from one that has everything imported, and no threads."""
    shutil.copytree(fresh_book, tmp_path / "book")
    finished = subprocess.run(
        [sys.executable, "-m", "tests.tournament.killed_everywhere", str(tmp_path / "book" / "arena.db"), *words],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert finished.returncode == 0, finished.stderr


def orders(book: Book, name: str, seats: int, *, at_once: bool) -> list[list[tuple[int, ...]]]:
    """The blocks of the first four waves of a ladder, entrants by place; the first two are played, together or not."""
    tournament = book.plan_format(LadderFormat(seats, 6), bots=BOTS, name=name)
    row = tournament_row(book.database, tournament.id)
    planner = planner_of(row.tournament, row.pool)
    leased = book.ledger.start_run(tournament.id, LeaseRequest("w1", 100, FOREVER), planner).leased
    first = tournament_waves(book.database, tournament.id).waves[0]
    steps = [[one for one in leased if (one.block_index < len(first)) == is_first] for is_first in (True, False)]
    for results in [[*steps[0], *steps[1]]] if at_once else steps:
        book.ledger.settle(tournament.id, results=[report(one) for one in results], planner=planner)
    waves = tournament_waves(book.database, tournament.id)
    place = {entrant.version_id: number for number, entrant in enumerate(waves.entrants)}
    return [[tuple(place[one] for one in block.order) for block in wave_of(wave)] for wave in waves.waves[:4]]


@pytest.mark.both_databases
def test_two_waves_that_end_at_once_are_planned_on_as_if_one_had_ended_before_the_other(book: Book) -> None:
    one_by_one, at_once = (orders(book, f"{way}", 2, at_once=way) for way in (False, True))
    assert len(one_by_one) == 4
    assert at_once == one_by_one


@pytest.mark.parametrize(
    ("form", "at_once"),
    [(Swiss(2, 3), 1), (LadderFormat(2, 5), 1), (LadderFormat(3, 4), 20), (Knockout(2, lives=2), 20)],
    ids=str,
)
async def test_a_tournament_goes_on_from_what_counts(
    book: Book, form: Format, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "MOST_WAVES", at_once)
    plan_ready, parts = planner.FormatPlanner.plan_ready, list[bool]()

    def plan_and_tell(self: planner.FormatPlanner, waves: WaveLedger) -> int:
        planned = plan_ready(self, waves)
        parts.append(self.is_behind)
        return planned

    monkeypatch.setattr(planner.FormatPlanner, "plan_ready", plan_and_tell)
    tournament = book.plan_format(form)
    begun: list[MatchSpec] = []

    def annul_in_between(spec: MatchSpec) -> None:
        begun.append(spec)
        if len(begun) == 8:
            annul(book, tournament)

    await play(book, tournament, ScriptedExecutor(on_start=annul_in_between))
    assert len(begun) > 8
    if at_once > 1 or isinstance(form, LadderFormat):  # others may have too few waves over to be behind
        assert any(parts) == (at_once == 1)
    # This compares what the run remembered with what all matches give: it must have forgotten what it knew.
    book.standings(tournament)
    assert check(book.database) == []


async def test_a_comparison_does_not_answer_from_what_was_annulled(book: Book) -> None:
    form = Compare(2, pairs=6)
    tournament = book.plan_format(form, replace(TERMS, rated=False), BOTS[:2])
    await play(book, tournament)
    (before,) = {row.blocks for row in book.standings(tournament)[:1]}
    annul(book, tournament)
    assert max(row.blocks for row in book.standings(tournament)) <= before
