"""What a tournament makes of a host that fails: real workers, launchers and bots, some of them killed."""

import asyncio
import os
import resource
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.executor.local import LocalExecutor
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from engine import registry
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_of
from ratings.ledger.tournaments import TournamentPlan
from ratings.read.leaderboard import table
from ratings.read.match_list import MatchFilter, MatchRow, list_matches
from ratings.read.matches import StoredMatch, match_detail
from ratings.statistics.blocks import Block
from ratings.store.database import Database, open_database
from ratings.store.models import TournamentRecord
from ratings.values.states import MatchState
from tests.support.patience import PATIENT
from tests.support.processes import marked_processes, parent_of
from tests.support.specs import GivenWaves

pytestmark = pytest.mark.needs("minutes")

GAME = "foreign_king"
BOT = "from tests.support.scripted_bot import play\n\nplay('', 0)\n"
# In its first decision it says so, and waits as long as the gate is closed.
HELD_BOT = """
import pathlib, time
from tests.support import scripted_bot as bot

gate = pathlib.Path({gate!r})

def first(decide):
    if (gate / "closed").exists():
        (gate / "asked").touch()
    while (gate / "closed").exists():
        time.sleep(0.01)
    return bot.act(decide, decide.legal_actions[0])

bot.first = first
bot.play("", 0)
"""
WORKER, LAUNCHER = "arena.worker", "hosting/launch"
Disturbance = Callable[[], Awaitable[None]]
HELD_MATCH = 1
"""Its place in the schedule; no other match has the bot that waits."""


@dataclass
class Arena:
    """A database with three bots and a tournament of five matches, and the gate at which one of them waits."""

    database: Database
    store: VersionStore
    gate: Path
    tournament: TournamentRecord

    async def play(self, disturbances: Sequence[Disturbance] = ()) -> RunProgress:
        """Play it with one worker; each time that the bot waits one disturbance happens, after the last it goes on."""
        if disturbances:
            (self.gate / "closed").touch()
        async with LocalExecutor(1) as executor:
            run = asyncio.ensure_future(
                run_tournament(self.database, self.tournament.id, executor, StoredPrograms(self.store), leak_checks=0)
            )
            for disturb in disturbances:
                await self._wait_for_the_bot(run)
                await disturb()
            (self.gate / "closed").unlink(missing_ok=True)
            return await run

    async def _wait_for_the_bot(self, run: asyncio.Future[RunProgress]) -> None:
        while not (self.gate / "asked").exists():
            assert not run.done(), run
            await asyncio.sleep(0.01)
        (self.gate / "asked").unlink()

    def details(self) -> list[StoredMatch]:
        return [match_detail(self.database, row.match.id) for row in self.rows()]

    def rows(self) -> tuple[MatchRow, ...]:
        """All matches in schedule order."""
        return list_matches(self.database, MatchFilter(self.tournament.id), limit=None, newest_first=False).items

    def facts(self) -> tuple[Any, Any]:
        """The table to the last digit, and state, ranks and game digest of every match."""
        ratings = table(self.database, pool_id=self.tournament.pool_id)
        matches = [(row.match.state, row.seats, row.match.game_digest) for row in self.rows()]
        return [(row.bot, row.mu.hex(), row.sigma.hex()) for row in ratings], matches


def add_bot(database: Database, store: VersionStore, directory: Path, code: str) -> str:
    directory.mkdir()
    name = directory.name
    manifest = f'schema = 1\nname = "{name}"\ncommand = ["python", "main.py"]\n'
    (directory / "bot.toml").write_text(manifest, encoding="utf-8")
    (directory / "main.py").write_text(code, encoding="utf-8")
    stored = store.add(directory)
    ledger = Ledger(database)
    return ledger.add_version(bot=name, content_hash=stored.hash, manifest=stored.manifest.to_json())[0].id


def plan(database: Database, ada: str, bob: str, held: str) -> TournamentRecord:
    pairs = [(ada, bob), (held, ada), (bob, ada), (ada, bob), (bob, ada)]
    key = pool_of(game=GAME, rules_version=registry.get(GAME).rules_version, seats=2, time_control="none")
    blocks = [Block(index, pair, (), 100 + index, is_single=True) for index, pair in enumerate(pairs)]
    settings = {"start_limit_us": PATIENT.start_limit_us, "margin_us": 50_000}
    tournament = TournamentPlan("class", "match", key, "00ff", True, settings, (ada, bob, held))
    return Ledger(database).create_tournament(tournament, GivenWaves(blocks))


@contextmanager
def open_arena(path: Path) -> Iterator[Arena]:
    path.mkdir()
    database, store = open_database(path / "arena.db"), VersionStore.of_database(path / "arena.db")
    codes = {"ada": BOT, "bob": f"{BOT}# another\n", "held": HELD_BOT.format(gate=str(path))}
    versions = [add_bot(database, store, path / name, code) for name, code in codes.items()]
    yield Arena(database, store, path, plan(database, *versions))
    database.close()


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with open_arena(tmp_path / "arena") as arena:
        yield arena


def killer(mark: str, word: str) -> Disturbance:
    """Kills the one process with that word in its command line, and waits until those that die with it are gone."""

    async def kill() -> None:
        there = marked_processes(mark)
        fitting = [pid for pid, command in there.items() if word in command]
        # The guardian of a launcher looks like it, and is its child.
        (victim,) = (pid for pid in fitting if parent_of(pid) not in fitting)
        os.kill(victim, signal.SIGKILL)
        doomed = {pid for pid, command in there.items() if pid == victim or WORKER not in command}
        while doomed & marked_processes(mark).keys():
            await asyncio.sleep(0.01)

    return kill


def starver(mark: str) -> Disturbance:
    """Leaves the worker no descriptor but those that it holds, so that no meter can be read, and waits for its end."""

    async def starve() -> None:
        (worker,) = (pid for pid, command in marked_processes(mark).items() if WORKER in command)
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (3, resource.prlimit(worker, resource.RLIMIT_NOFILE)[1]))
        while worker in marked_processes(mark):
            await asyncio.sleep(0.01)

    return starve


@pytest.mark.host_fault("no-descriptor-for-a-meter")
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="this system cannot limit another process")
async def test_a_worker_without_descriptors_costs_an_attempt_and_no_bot_its_time(
    arena: Arena, mark: str, tmp_path: Path
) -> None:
    final = await arena.play([starver(mark)])
    assert (final.finished, final.void, final.lost) == (5, 0, 1)
    lost, finished = arena.details()[HELD_MATCH].attempts
    assert (lost.state, lost.cause, finished.state) == ("failed", "HOSTING_FAILED", "finished")
    assert lost.reason == "what a bot computes cannot be read: Too many open files"
    assert not any(detail.faults for detail in arena.details())
    with open_arena(tmp_path / "undisturbed") as undisturbed:
        await undisturbed.play()
        assert arena.facts() == undisturbed.facts()


@pytest.mark.host_fault("worker-killed", "launcher-killed")
async def test_a_killed_worker_and_a_killed_launcher_cost_an_attempt_and_change_no_result(
    arena: Arena, mark: str, tmp_path: Path
) -> None:
    final = await arena.play([killer(mark, WORKER), killer(mark, LAUNCHER)])
    assert (final.finished, final.void, final.lost) == (5, 0, 2)
    with open_arena(tmp_path / "undisturbed") as undisturbed:
        await undisturbed.play()
        assert arena.facts() == undisturbed.facts()
    died, lost, finished = arena.details()[HELD_MATCH].attempts
    assert (died.state, died.cause, finished.state, finished.cause) == ("failed", "WORKER_DIED", "finished", None)
    assert died.evidence is not None
    assert (died.evidence["ended"], died.evidence["signal"]) == ("SIGKILL", 9)
    assert (lost.state, lost.cause, lost.reason) == ("failed", "LAUNCHER_LOST", "the launcher has ended")
    assert not any(detail.faults for detail in arena.details())
    assert {detail.match.sandbox for detail in arena.details()} == {"none"}
    assert [len(detail.attempts) for detail in arena.details()] == [1, 3, 1, 1, 1]
    assert check(arena.database) == []


@pytest.mark.host_fault("host-fails-one-match-three-times")
async def test_a_match_that_the_host_fails_three_times_is_void_and_not_rated_and_the_others_are_played(
    arena: Arena, mark: str
) -> None:
    final = await arena.play([killer(mark, WORKER)] * 3)
    assert (final.finished, final.void, final.lost) == (4, 1, 3)
    detail = arena.details()[HELD_MATCH]
    assert detail.match.state is MatchState.VOID
    assert detail.match.void_reason is not None
    assert detail.match.void_reason.startswith("3 attempts failed; the last: its worker ended (SIGKILL)")
    assert [attempt.cause for attempt in detail.attempts] == ["WORKER_DIED"] * 3
    assert [row.change for row in detail.seats] == [None, None]
    assert "held" not in [name for name, *_ in arena.facts()[0]]
    assert check(arena.database) == []
