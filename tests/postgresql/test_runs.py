"""Runs of tournaments on a server that stops, crashes, cuts their connections, or serves several of them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.tournament.errors import AlreadyRunningError
from arena.tournament.locks import hold, player_of
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from engine import registry
from ratings.errors import DatabaseLostError
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.read.matches import match_detail
from ratings.store.advisory_lock import ServerLock
from ratings.store.database import open_database
from ratings.store.models import TournamentRecord
from ratings.values.states import AttemptState
from tests.support import postgres
from tests.support.cut_lines import half_proxy
from tests.support.postgres import Server, run_sql
from tests.tournament.book import BOTS, MATCHES, Book, install_nim, open_book
from tests.tournament.scripted_executor import ScriptedExecutor


@pytest.fixture(autouse=True)
def nim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_plugins", registry._plugins)
    install_nim()


@pytest.fixture
def book(tmp_path: Path, url: str) -> Iterator[Book]:
    """A book on the server, with the bots of the tests."""
    with on_server(tmp_path / "arena.db", url) as opened:
        yield opened


class on_server:  # noqa: N801 - it reads as a function
    """A book whose bots' files lie beside a path, and whose database lies on a server."""

    def __init__(self, path: Path, url: str) -> None:
        self._path, self._url = path, url

    def __enter__(self) -> Book:
        with open_book(self._path) as plain:
            self._database = open_database(self._url)
            made = replace(plain, database=self._database)
        for name in BOTS:
            made.add_bot(name)
        return made

    def __exit__(self, *_: object) -> None:
        self._database.close()


class Befallen(ScriptedExecutor):
    """Does something once five matches are over."""

    def __init__(self, befall: Callable[[], object], after: int = 5) -> None:
        super().__init__(slots=2)
        self._befall: Callable[[], object] | None = befall
        self._after = after

    async def run(self, spec: MatchSpec) -> MatchReport:
        report = await super().run(spec)
        if len(self.finished) >= self._after and self._befall is not None:
            befall, self._befall = self._befall, None
            befall()
        return report


class OneEndless(Befallen):
    """Never ends the third match."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        if len(self.specs) == 2:
            self.specs.append(spec)
            await asyncio.Event().wait()
        return await super().run(spec)


async def play(book: Book, tournament: TournamentRecord, executor: ScriptedExecutor, **more: Any) -> RunProgress:
    async with executor:
        return await run_tournament(book.database, tournament.id, executor, book.programs, **more)


async def undisturbed(tmp_path: Path) -> tuple[Any, Any]:
    """The table and the results of the same tournament in a file."""
    with open_book(tmp_path / "plain" / "arena.db") as book:
        for name in BOTS:
            book.add_bot(name)
        tournament = book.plan()
        await play(book, tournament, ScriptedExecutor())
        return book.table(tournament), book.results(tournament)


def check_whole(book: Book, tournament: TournamentRecord, final: RunProgress, executor: ScriptedExecutor) -> None:
    """Every match was played once, nothing is lost, and nothing stayed leased."""
    assert (final.finished, final.void, final.lost) == (MATCHES, 0, 0)
    assert check(book.database) == []
    played = [spec.match_id for spec in executor.specs]
    assert len(played) == len(set(played)) == MATCHES
    states = [attempt.state for match in played for attempt in match_detail(book.database, match).attempts]
    assert states.count(AttemptState.FINISHED) == MATCHES
    assert set(states) <= {AttemptState.FINISHED, AttemptState.RELEASED}


def cut(url: str) -> None:
    """End all connections to a database."""
    name = url.rpartition("/")[2]
    run_sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


@pytest.mark.host_fault("database-server-cuts-connections")
@pytest.mark.parametrize("after", [1, 12])
async def test_connections_that_are_cut_cost_nothing(book: Book, url: str, tmp_path: Path, after: int) -> None:
    tournament, executor = book.plan(), Befallen(lambda: cut(url), after)
    final = await play(book, tournament, executor)
    check_whole(book, tournament, final, executor)
    (tmp_path / "plain").mkdir()
    assert (book.table(tournament), book.results(tournament)) == await undisturbed(tmp_path)


@pytest.mark.host_fault("database-server-cuts-connections")
async def test_connections_of_whose_end_the_server_knows_nothing_cost_nothing(url: str, tmp_path: Path) -> None:
    server, _, name = url.rpartition("/")
    host, _, port = server.rpartition(":")
    with half_proxy(int(port)) as proxy, on_server(tmp_path / "arena.db", f"{host}:{proxy.port}/{name}") as book:
        tournament, executor = book.plan(), Befallen(proxy.cut)
        final = await play(book, tournament, executor)
        check_whole(book, tournament, final, executor)
        first = ServerLock(book.database, "a lock")
        assert first.take()
        proxy.cut()
        with closing(open_database(url)) as other:
            assert not ServerLock(other, "a lock").take()
            assert first.keep()
            assert not ServerLock(other, "a lock").take()
        first.free()


@pytest.mark.host_fault("database-server-crashes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "crashed"])
async def test_a_run_waits_for_a_server_that_is_gone_and_goes_on_by_itself(
    own_server: Server, tmp_path: Path, number: int
) -> None:
    name = f"book{number}"
    with postgres.superuser(own_server.url) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    url = own_server.url.rpartition("/")[0] + f"/{name}"
    with on_server(tmp_path / "arena.db", url) as book:
        tournament, waited = book.plan(), list[RunProgress]()

        def see(progress: RunProgress) -> None:
            if progress.is_lost:
                waited.append(progress)
                if len(waited) == 3:
                    own_server.start()

        executor = Befallen(lambda: own_server.stop(signal.Signals(number)))
        final = await play(book, tournament, executor, on_progress=see)
        check_whole(book, tournament, final, executor)
    assert len(waited) >= 3
    assert waited[-1].blocked_s > waited[0].blocked_s


@pytest.mark.host_fault("database-server-stays-away")
async def test_a_run_waits_no_longer_than_it_is_told_and_says_what_is_wrong(own_server: Server, tmp_path: Path) -> None:
    with postgres.superuser(own_server.url) as connection:
        connection.execute(b"CREATE DATABASE brief")
    url = own_server.url.rpartition("/")[0] + "/brief"
    with on_server(tmp_path / "arena.db", f"{url}?busy_timeout=50") as book:
        tournament = book.plan()
        with pytest.raises(DatabaseLostError, match=r"database 'brief' on 127\.0\.0\.1:.* does not answer"):
            await play(book, tournament, Befallen(own_server.stop))
        own_server.start()
        with closing(open_database(url)) as patient:  # the other one would not wait for a busy machine, either
            final = await play(replace(book, database=patient), tournament, ScriptedExecutor())
            assert (final.finished, final.void) == (MATCHES, 0)
            assert check(patient) == []


async def test_a_run_whose_lock_was_lost_to_another_ends(book: Book, url: str) -> None:
    tournament, other = book.plan(), open_database(url)
    holding = hold(other, tournament.id)

    def usurp() -> None:
        other.close()
        cut(url)
        holding.__enter__()

    executor = OneEndless(usurp)
    with pytest.raises(AlreadyRunningError, match="is playing this tournament now"):
        await play(book, tournament, executor)
    unfinished = {spec.match_id for spec in executor.specs} - set(executor.finished)
    assert unfinished
    assert unfinished <= set(executor.cancelled), "none goes on being played"
    holding.__exit__(None, None, None)
    assert player_of(other, tournament.id) is None
    other.close()
    final = await play(book, tournament, ScriptedExecutor())
    assert (final.finished, final.void) == (MATCHES, 0)


async def test_two_coordinators_play_two_tournaments_of_one_pool_at_once(book: Book, url: str, tmp_path: Path) -> None:
    other = replace(book, database=open_database(url))
    first, second = book.plan(), replace(book).plan()

    def run(mine: Book, tournament: TournamentRecord) -> RunProgress:
        return asyncio.run(play(mine, tournament, ScriptedExecutor()))

    ends = await asyncio.gather(asyncio.to_thread(run, book, first), asyncio.to_thread(run, other, second))
    assert [(end.finished, end.void) for end in ends] == [(MATCHES, 0)] * 2
    assert check(book.database) == []
    assert Ledger(book.database).rebuild() == 2 * MATCHES
    other.database.close()
