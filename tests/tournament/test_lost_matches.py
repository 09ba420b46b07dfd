"""Matches that the host lost: they rest, are played again, and count towards void only where it plays others."""

import asyncio
from types import SimpleNamespace

import pytest

from arena.match.report import MatchReport
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.tournament import host_watch, runner
from arena.tournament.errors import HostFailingError
from arena.tournament.run_progress import RunProgress
from ratings.ledger.leasing import LostAttempt
from ratings.ledger.ledger import LeaseRequest
from ratings.read.matches import match_detail
from ratings.store.waves import Progress
from ratings.values.states import AttemptState
from tests.tournament.book import Book
from tests.tournament.playing import MATCHES, counts, play
from tests.tournament.scripted_executor import ScriptedExecutor


@pytest.mark.host_fault("host-fails-one-match-three-times")
async def test_a_match_that_is_lost_three_times_is_void_and_the_others_are_played(book: Book) -> None:
    tournament = book.plan()

    class LosesTheFirst(ScriptedExecutor):
        def is_lost(self, spec: MatchSpec) -> bool:
            return spec.match_id == self.specs[0].match_id

    executor = LosesTheFirst()
    final = await play(book, tournament, executor)
    assert (final.finished, final.void) == (MATCHES - 1, 1)
    detail = match_detail(book.database, executor.specs[0].match_id)
    assert detail.match.state == "void"
    assert [attempt.reason for attempt in detail.attempts] == ["worker 1 died (signal 9)"] * final.lost
    assert [attempt.state for attempt in detail.attempts].count(AttemptState.FAILED) == 3


async def test_two_matches_that_are_always_lost_do_not_stop_the_run(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament, pauses = book.plan(), 0

    class LosesTwo(ScriptedExecutor):
        def is_lost(self, spec: MatchSpec) -> bool:
            return spec.match_id in {spec.match_id for spec in self.specs[:2]}

    def monotonic() -> float:
        """They rest until the others are played, and then no more."""
        nonlocal pauses
        pauses += len(executor.finished) == MATCHES - 2
        return pauses * host_watch.LONGEST_PAUSE_S

    executor = LosesTwo(slots=1)
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", host_watch.LONGEST_PAUSE_S)
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=monotonic))
    final = await play(book, tournament, executor)
    assert (final.finished, final.void) == (MATCHES - 2, 2)
    assert final.lost >= 6


@pytest.mark.host_fault("host-fails-every-match")
async def test_a_host_that_loses_everything_stops_the_run_before_all_is_void(book: Book) -> None:
    tournament = book.plan()
    with pytest.raises(HostFailingError, match=r"last reason: worker 1 died .signal 9.; `arena doctor`"):
        await play(book, tournament, ScriptedExecutor(slots=1, loses=1.0, most_lost=10**6))
    assert counts(book, tournament).leased == 0
    assert counts(book, tournament).planned > MATCHES / 2
    final = await play(book, tournament)
    assert final.over == MATCHES


class WithoutRoom(ScriptedExecutor):
    """Can start no process of a bot."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        raise MatchLostError(f"no room for {spec.match_id}", HostCause.HOSTING_FAILED)


@pytest.mark.host_fault("no-process-for-long")
async def test_a_host_without_room_stops_the_run_before_any_match_is_void(book: Book) -> None:
    tournament = book.plan()
    with pytest.raises(HostFailingError, match="last reason: no room for"):
        await play(book, tournament, WithoutRoom(slots=1))
    assert (counts(book, tournament).leased, counts(book, tournament).void) == (0, 0)
    assert (await play(book, tournament)).void == 0


@pytest.mark.both_databases
async def test_a_resume_on_a_sick_host_makes_no_match_void_that_was_nearly_so(book: Book) -> None:
    tournament, request = book.plan(), LeaseRequest("w1", 1, 10**12)
    for _ in range(2):
        (first,) = book.ledger.start_run(tournament.id, request).leased
        book.ledger.settle(tournament.id, lost=[LostAttempt(first.match_id, first.attempt, "it died", "WORKER_DIED")])
    for _ in range(3):
        with pytest.raises(HostFailingError, match="last reason: no room for"):
            await play(book, tournament, WithoutRoom(slots=1))
    assert counts(book, tournament).void == 0
    lost = [one.state for one in match_detail(book.database, first.match_id).attempts if one.cause is not None]
    assert lost[:2] == [AttemptState.FAILED] * 2
    assert len(lost) >= 5
    assert set(lost[2:]) == {AttemptState.RELEASED}
    assert (await play(book, tournament)).void == 0


async def test_a_lost_match_rests_while_the_others_are_played_and_ctrl_c_ends_its_rest_at_once(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 1e6)
    monkeypatch.setattr(host_watch, "LONGEST_PAUSE_S", 1e6)
    tournament = book.plan()

    class LosesTheFirst(ScriptedExecutor):
        def is_lost(self, spec: MatchSpec) -> bool:
            return spec.match_id == self.specs[0].match_id

    def stop(progress: RunProgress) -> None:
        if progress.finished == MATCHES - 1:
            asyncio.get_running_loop().call_soon(task.cancel)

    executor = LosesTheFirst()
    task = asyncio.ensure_future(play(book, tournament, executor, on_progress=stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(executor.specs) == MATCHES
    assert counts(book, tournament) == Progress(planned=1, leased=0, finished=MATCHES - 1, void=0)
    assert (await play(book, tournament)).finished == MATCHES


async def test_a_lost_match_is_played_when_it_has_rested_although_nothing_else_is_left(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 0.01)
    final = await play(book, book.plan(), ScriptedExecutor(loses=1.0, most_lost=1, slots=12))
    assert (final.finished, final.lost, final.void) == (MATCHES, MATCHES, 0)
