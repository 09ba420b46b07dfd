"""A machine elsewhere: what it proves and keeps, and how its slots and the coordinator speak, in order."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.executor.child_handle import TransportLostError
from arena.executor.ray import actor_handles as actors
from arena.executor.ray import slot_actor as slot
from arena.executor.ray.agent import (
    LIMITS,
    MissingError,
    VersionCache,
    VersionUnplayableError,
    WantedVersion,
    program_json,
    read_program,
)
from arena.executor.ray.facts import (
    MOST_OFFSET_S,
    ClockSample,
    NodeFacts,
    best_sample,
    clock_problem,
    differences,
    own_facts,
)
from arena.executor.ray.remote_worker import RelayedWorker
from arena.executor.ray.slot_actor import Cores, Slot
from arena.executor.worker_handle import ExecutorJob
from arena.executor.worker_pool import MOST_MOVES, WorkerPool
from arena.hosting.archive.packing import pack
from arena.hosting.removal import remove_tree
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sample_bots import sample_directory
from arena.match.result import HostCause, MatchLostError
from tests.support.patience import PATIENCE_S, until
from tests.support.specs import script_spec

OURS = NodeFacts("1.0", "abc", "3.11.7", "x86_64", {"chess": "2", "go": "1"}, "2.60.0")
SECONDS = st.floats(0, 1e4)


@pytest.fixture(scope="module")
def runtimes(tmp_path_factory: pytest.TempPathFactory) -> RuntimeCatalog:
    return RuntimeCatalog(cache=tmp_path_factory.mktemp("hashes"))


@pytest.fixture(scope="module")
def archive() -> tuple[str, bytes]:
    file = io.BytesIO()
    packed = pack(sample_directory("random"), file, LIMITS)
    return packed.content_hash, file.getvalue()


def test_a_version_that_came_is_there_for_everybody_who_looks_later(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    with pytest.raises(MissingError):
        cache.find(WantedVersion(content, ""))
    cache.add(content, data)
    found = cache.find(WantedVersion(content, runtimes.get("arena").hash))
    assert found.directory == str(tmp_path / content)
    assert found.command[1] == str(tmp_path / content / "main.py")
    assert VersionCache(tmp_path, runtimes).find(WantedVersion(content, "")) == found
    assert read_program(program_json(found)) == found


def test_a_damaged_one_is_thrown_away_by_whoever_begins_to_use_it(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    VersionCache(tmp_path, runtimes).add(content, data)
    file = tmp_path / content / "main.py"
    file.chmod(0o644)
    file.write_text("print('another bot')\n", encoding="utf-8")
    later = VersionCache(tmp_path, runtimes)
    with pytest.raises(MissingError):
        later.find(WantedVersion(content, ""))
    assert not file.exists()
    later.add(content, data)
    assert later.find(WantedVersion(content, "")).directory == str(tmp_path / content)


def test_one_that_is_removed_or_damaged_while_it_is_in_use_is_missed_by_whoever_looks_again(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    file = tmp_path / content / "main.py"
    for damage in (lambda: file.write_text("", encoding="utf-8"), lambda: remove_tree(str(file.parent))):
        cache.add(content, data)
        assert cache.find(WantedVersion(content, ""))
        file.chmod(0o644)
        damage()
        with pytest.raises(MissingError):
            cache.find(WantedVersion(content, ""))


def test_what_somebody_looks_for_now_and_then_is_kept(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    cache.add(content, data)
    for is_wanted in (True, False):
        os.utime(tmp_path / content, (0, 0))
        if is_wanted:
            cache.find(WantedVersion(content, ""))
        VersionCache(tmp_path, runtimes).sweep()
        assert (tmp_path / content).exists() == is_wanted


@pytest.mark.parametrize("damage", [lambda data: data[:-600], lambda data: b"x" + data[1:], lambda _: b""])
def test_what_is_not_the_version_that_was_announced_is_never_kept(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes], damage: type[bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    with pytest.raises(VersionUnplayableError):
        cache.add(content, damage(data))
    with pytest.raises(VersionUnplayableError):
        cache.add("0" * 64, data)
    with pytest.raises(MissingError):
        cache.find(WantedVersion(content, ""))


def test_a_version_whose_runtime_is_another_one_there_cannot_play(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    cache.add(content, data)
    with pytest.raises(VersionUnplayableError, match="its runtime 'arena' is another one than here"):
        cache.find(WantedVersion(content, "f" * 64))


def test_no_two_slots_of_a_machine_have_the_same_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 2, 5})
    monkeypatch.setattr("arena.executor.ray.slot_actor.find_base", lambda: tmp_path)
    first, second, third = Cores(), Cores(), Cores()
    assert first.take(1) == (0,)
    assert second.take(2) == (2, 5)
    assert third.take(1) == ()  # it may use any
    first.give_back()
    assert third.take(2) == ()
    assert third.take(1) == (0,)
    for one in (second, third):
        one.give_back()


def sample(offset_s: float, there_s: float, back_s: float, asked_s: float = 1e6) -> ClockSample:
    """What is seen of a clock that is so far ahead, when question and answer take so long."""
    return ClockSample(asked_s, asked_s + there_s + offset_s, asked_s + there_s + back_s)


def test_a_machine_is_like_itself_and_knows_every_game_that_is_installed() -> None:
    ours = own_facts()
    assert differences(ours, own_facts(), ours.games) == []
    assert {"foreign_king", "rex_romanorum"} <= set(ours.games)
    assert NodeFacts(**ours.to_json()) == ours


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ({"arena": "1.1"}, "it has version 1.1 of the arena, and 1.0 is here"),
        ({"code": "abd"}, "its arena is another one of the same version 1.0"),
        ({"python": "3.12.1"}, "it has Python 3.12.1, and 3.11.7 is here"),
        ({"ray": "2.9.0"}, "it has Ray 2.9.0, and 2.60.0 is here"),
        ({"games": {"chess": "3", "go": "1"}}, "it has rules version 3 of chess, and 2 is here"),
        ({"games": {"go": "1"}}, "it has rules version none of chess, and 2 is here"),
    ],
)
def test_each_difference_is_told_with_its_remedy(theirs: dict[str, object], said: str) -> None:
    (found,) = differences(OURS, replace(OURS, **theirs), OURS.games)  # type: ignore[arg-type]
    assert found == f"{said}; install the same version on every machine"


def test_neither_another_patch_of_python_nor_a_game_that_is_not_played_matters() -> None:
    assert differences(OURS, replace(OURS, python="3.11.9", games={"go": "1"}), ["go"]) == []


@given(st.floats(-1e5, 1e5), st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=8))
def test_the_sample_with_the_shortest_way_is_wrong_by_no_more_than_half_of_it(
    offset_s: float, ways: list[tuple[float, float]]
) -> None:
    best = best_sample([sample(offset_s, *way) for way in ways])
    assert best.trip_s <= min(sum(way) for way in ways) + 1e-6
    assert abs(best.offset_s - offset_s) <= best.trip_s / 2 + 1e-6


@given(st.floats(-MOST_OFFSET_S, MOST_OFFSET_S), SECONDS, SECONDS)
def test_no_clock_is_refused_that_may_be_right_enough(offset_s: float, there_s: float, back_s: float) -> None:
    seen = sample(offset_s * 0.999, there_s, back_s)
    assert clock_problem(seen) == ""


@pytest.mark.parametrize(("offset_s", "said"), [(7200, "7200 s ahead of ours"), (-90.4, "90 s behind ours")])
def test_a_clock_that_is_off_is_refused_with_the_seconds(offset_s: float, said: str) -> None:
    assert said in clock_problem(sample(offset_s, 0.01, 0.02))


ECHO = """
import os, sys
sys.path.insert(0, {root!r})
from arena.hosting.framed_pipe import encode_frame
import json, struct
def send(head): sys.stdout.buffer.write(encode_frame(head)); sys.stdout.flush()
send({{"event": "ready", "secret": os.environ.get("RAY_SECRET"), "words": sys.argv[1:]}})
while len(sizes := sys.stdin.buffer.read(8)) == 8:
    head, blob = struct.unpack(">II", sizes)
    send({{"event": "heard", "head": json.loads(sys.stdin.buffer.read(head))}})
print("that was all", file=sys.stderr)
sys.exit(3)
"""


class Actor:
    """A slot that is called as Ray's actors are."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        method: Callable[..., Any] = getattr(self._made, name)

        def remote(*arguments: Any) -> Any:
            return asyncio.ensure_future(method(*arguments))

        return SimpleNamespace(remote=remote, options=lambda **_: SimpleNamespace(remote=remote))


@pytest.fixture
async def made(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> Slot:
    program = ECHO.format(root=str(pytestconfig.rootpath))
    monkeypatch.setattr(slot, "worker_command", lambda words: [sys.executable, "-c", program, *words])
    monkeypatch.setenv("RAY_SECRET", "a token")
    return Slot(1, 1, 100)


async def test_what_is_told_arrives_in_order_and_how_the_worker_ends_comes_back(made: Slot) -> None:
    heard: list[Mapping[str, Any]] = []
    relay = RelayedWorker(Actor(made), lambda: ["--apart"], lambda head, _: heard.append(head), lambda: None)
    running = asyncio.create_task(relay.run())
    await until(lambda: bool(heard))
    assert heard[0]["secret"] is None  # what Ray's own processes know is not for bots
    assert heard[0]["words"][-1] == "--apart"
    for number in range(20):
        relay.send({"do": "play", "ticket": number})
    await until(lambda: len(heard) == 21)
    assert [one["head"]["ticket"] for one in heard[1:]] == list(range(20))
    relay.stop()
    async with asyncio.timeout(PATIENCE_S):
        assert await running == (True, 3)
    assert relay.last_words() == "that was all"
    assert relay.describe_death(3).cause is HostCause.WORKER_DIED
    assert relay.is_stopping


async def test_orders_are_carried_out_by_their_numbers_however_they_come(made: Slot) -> None:
    await made.send(1, [{"act": "stop"}])
    assert not made._child.is_stopping
    await made.send(0, [])
    assert made._child.is_stopping


class Lost:
    """A slot of which nothing comes back."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def send(self, number: int, orders: object) -> None:
        """Forget it."""

    async def poll(self, *_: object) -> list[list[Any]]:
        if self._error is not None:
            raise self._error
        await asyncio.Event().wait()
        return []


class ActorDiedError(Exception):
    """Ray's own is recognised by its name."""


@pytest.mark.parametrize(
    ("error", "why"),
    [(ActorDiedError(), "what ran there for us has ended"), (RuntimeError("Oh\nno"), "Oh"), (None, "for 1 s")],
)
async def test_a_worker_that_is_out_of_reach_is_lost_with_the_reason(
    error: Exception | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actors.ask, "__defaults__", (None, 1))
    silences: list[bool] = []
    relay = RelayedWorker(Actor(Lost(error)), list, lambda *_: None, lambda: silences.append(True))
    with pytest.raises(TransportLostError, match=why):
        await relay.run()
    assert relay.is_lost
    assert silences == [True]


async def test_one_that_cannot_be_told_what_it_is_to_do_is_lost() -> None:
    def fail(*_: object) -> None:
        raise ValueError("no such thing can be sent")

    actor = Actor(Lost(None))
    told = SimpleNamespace(options=lambda **_: SimpleNamespace(remote=fail))
    relay = RelayedWorker(SimpleNamespace(poll=actor.poll, send=told), list, lambda *_: None, lambda: None)
    running = asyncio.create_task(relay.run())
    await asyncio.sleep(0)
    relay.send({"do": "play"})
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(TransportLostError, match="ValueError: no such thing can be sent"):
            await running


async def test_one_that_is_given_up_is_not_heard_any_more() -> None:
    relay = RelayedWorker(Actor(Lost(None)), list, lambda *_: None, lambda: None)
    running = asyncio.create_task(relay.run())
    await asyncio.sleep(0)
    relay.cut("its machine was lost")
    with pytest.raises(TransportLostError, match="its machine was lost"):
        await running


@pytest.mark.host_fault("node-lost")
async def test_a_match_with_which_machine_after_machine_is_lost_is_lost_itself() -> None:
    pool = WorkerPool(lambda *_: None)
    job = ExecutorJob(script_spec("0:3"))
    for moves in range(1, MOST_MOVES + 1):
        pool.move(job, "its machine was lost")
        assert job.moves == moves
        assert pool.waiting == [job]
        pool._waiting.clear()
    pool.move(job, "its machine was lost")
    with pytest.raises(MatchLostError, match="its machine was lost") as caught:
        await job.report
    assert caught.value.cause is HostCause.NODE_LOST


async def test_a_match_that_waits_for_a_worker_that_is_gone_is_for_every_worker() -> None:
    pool = WorkerPool(lambda *_: None)
    job = ExecutorJob(script_spec("0:3"))
    job.crashes = 1
    pool.take_back(job)
    pool.remove(SimpleNamespace(is_apart=True))  # type: ignore[arg-type]
    assert job.crashes == 0
