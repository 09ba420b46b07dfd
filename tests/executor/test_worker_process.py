"""What the coordinator makes of what workers and the process of remote bots say, without a process."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.executor.interface import ExecutorFailedError, NotBegunError, NotWatchableError
from arena.executor.remote_bots_process import RemoteOptions, RemoteProcess
from arena.executor.worker_handle import WARM_BOTS_APART, ExecutorJob, WorkerProcess
from arena.hosting.framed_pipe import FrameError
from arena.match.live import LiveEndEvent, LiveEvent, live_json
from arena.match.result import HostBrokenError, HostCause, MatchLostError
from arena.match.worker_report import MatchReport
from tests.executor.pretended import PretendedChild, played
from tests.support.specs import script_spec


class Worker:
    """A worker that has so many jobs, and what becomes of them."""

    def __init__(self, jobs: int = 3) -> None:
        self.rooms = 0
        self.unplayed: list[ExecutorJob] = []
        self.fallen: list[tuple[ExecutorJob, MatchLostError]] = []
        self.lost: list[tuple[ExecutorJob, str]] = []
        self.process = WorkerProcess(
            (),
            self.note_room,
            self.unplayed.append,
            lambda job, death: self.fallen.append((job, death)),
            on_lost=lambda job, why: self.lost.append((job, why)),
        )
        self.child = PretendedChild()
        self.process._child = cast("Any", self.child)
        self.jobs = [ExecutorJob(script_spec("0:3 1:3"), self.process.update_watch) for _ in range(jobs)]
        for job in self.jobs:
            self.process.play(job)

    def note_room(self) -> None:
        self.rooms += 1

    def say(self, event: str, job: ExecutorJob, blob: bytes = b"", **what: Any) -> None:
        self.process._handle({"event": event, "ticket": job.ticket, **what}, blob)


async def last_of(job: ExecutorJob) -> LiveEvent:
    return [event async for event in job.channel.watch(-1, ())][-1]


async def test_a_match_that_the_worker_lost_fails_with_its_reason_and_makes_room() -> None:
    worker = Worker()
    error = MatchLostError("the disk is full", HostCause.REFEREE_LAG, {"free": 0})
    worker.say("lost", worker.jobs[0], error=error.to_json())
    with pytest.raises(MatchLostError, match="the disk is full") as caught:
        await worker.jobs[0].report
    assert caught.value.evidence == {"free": 0}
    assert (worker.process.load, worker.rooms) == (2, 1)
    assert (await last_of(worker.jobs[0])) is not None


async def test_a_report_ends_the_match_for_who_waits_and_who_watches() -> None:
    worker = Worker()
    _, report = played()
    worker.say("report", worker.jobs[1], report.blob(), report=report.to_json())
    assert await worker.jobs[1].report == report
    assert (await last_of(worker.jobs[1])).sequence == report.plies + 1
    assert (worker.process.load, worker.rooms) == (2, 1)


async def test_a_worker_that_dies_loses_the_first_match_and_gives_the_others_back_in_order() -> None:
    worker = Worker()
    assert await worker.process.run()
    with pytest.raises(MatchLostError, match=r"its worker ended \(SIGKILL\)"):
        await worker.jobs[0].report
    assert worker.unplayed == [worker.jobs[2], worker.jobs[1]]  # each is put before those that wait
    assert not any(job.report.done() for job in worker.unplayed)
    assert worker.process.load == 0


@pytest.mark.host_fault("report-that-cannot-be-read")
async def test_whatever_cannot_be_read_of_what_a_worker_says_gives_all_that_it_has_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = Worker()

    async def run() -> tuple[bool, int | None]:
        worker.say("report", worker.jobs[0], report={})
        raise AssertionError

    monkeypatch.setattr(worker.child, "run", run)
    with pytest.raises(KeyError):
        await worker.process.run()
    ((job, why),) = worker.lost
    assert job is worker.jobs[0]
    assert why.startswith("a worker cannot be served: KeyError")
    assert worker.unplayed == [worker.jobs[2], worker.jobs[1]]
    assert not any(job.report.done() for job in worker.jobs)
    assert worker.process.load == 0


@pytest.mark.parametrize("event", ["report", "lost"])
async def test_a_match_that_has_ended_stays_so_whatever_fails_while_it_is_counted(
    event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise BrokenPipeError

    worker = Worker()
    monkeypatch.setattr(worker.process.place, "note_report", fail)
    monkeypatch.setattr(worker.process.place, "note_loss", fail)
    _, report = played()
    error = MatchLostError("the disk is full")
    what = {"report": report.to_json()} if event == "report" else {"error": error.to_json()}
    with pytest.raises(BrokenPipeError):
        worker.say(event, worker.jobs[0], report.blob(), **what)
    assert worker.jobs[0].report.done()
    assert str(worker.jobs[0].report.exception() or "the disk is full") == "the disk is full"
    monkeypatch.setattr(worker.process, "place", SimpleNamespace(note_loss=fail))
    with pytest.raises(BrokenPipeError):
        await worker.process.run()
    assert worker.unplayed == [worker.jobs[2], worker.jobs[1]]


async def test_a_worker_that_was_there_before_waits_for_room_when_it_starts_again() -> None:
    worker = Worker(jobs=0)
    assert "--patient" not in worker.process.words()  # nobody waits a minute for what will never be
    worker.process._handle({"event": "ready"}, b"")
    assert await worker.process.run()
    assert "--patient" in worker.process.words()


async def test_a_worker_whose_host_broke_gives_back_all_that_it_still_has() -> None:
    worker = Worker()
    worker.process.is_ready = True
    worker.say("lost", worker.jobs[0], error=HostBrokenError("no more", HostCause.REFEREE_LAG).to_json())
    assert not worker.process.is_ready
    assert worker.process._has_broken
    worker.process._fail_all(0)
    assert worker.unplayed == [worker.jobs[2], worker.jobs[1]]
    with pytest.raises(HostBrokenError):
        await worker.jobs[0].report


async def test_only_a_match_that_it_has_is_withdrawn() -> None:
    worker = Worker(2)
    assert worker.child.told == [{"do": "play"}, {"do": "play"}]
    worker.process.withdraw(worker.jobs[1])
    assert worker.child.told[2:] == [{"do": "cancel"}]
    worker.process.withdraw(ExecutorJob(script_spec("0:3")))
    assert len(worker.child.told) == 3


async def test_it_is_told_who_watches_when_it_gets_a_match_and_when_that_changes() -> None:
    worker = Worker(1)
    watched = ExecutorJob(script_spec("0:3 1:3"), worker.process.update_watch)
    watcher = watched.channel.watch(-1, (1,))
    first = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    worker.process.play(watched)
    assert worker.child.told == [{"do": "play"}, {"do": "play"}, {"do": "watch", "logs": [1]}]
    events, _ = played()
    head, blob = live_json(events[0])
    worker.say("live", watched, blob, live=head)
    assert await first == events[0]
    assert worker.rooms == 0
    await watcher.aclose()
    assert worker.child.told[3:] == [{"do": "unwatch"}]


async def test_a_match_that_nobody_waits_for_any_more_ends_for_who_watches() -> None:
    worker = Worker(1)
    worker.jobs[0].report.cancel()
    await asyncio.sleep(0)
    end = await last_of(worker.jobs[0])
    assert getattr(end, "lost", None) == "cancelled"


async def test_a_match_with_which_the_worker_fell_is_handed_back_and_its_next_life_serves_each_bot_apart() -> None:
    worker = Worker()
    worker.process._fail_all(-signal.SIGSEGV)
    ((job, death),) = worker.fallen
    assert job is worker.jobs[0]
    assert "SIGSEGV" in str(death)
    assert worker.unplayed == worker.jobs[:0:-1]
    assert not any(one.report.done() for one in worker.jobs)
    assert worker.process.words() == ("--apart", "--warm-bots", str(WARM_BOTS_APART))


async def test_a_worker_that_crashes_while_it_is_stopped_did_not_fall() -> None:
    worker = Worker(1)
    worker.child.is_stopping = True
    worker.process._fail_all(-signal.SIGSEGV)
    assert worker.fallen == []
    assert isinstance(worker.jobs[0].report.exception(), MatchLostError)
    assert worker.process.words() == ()


async def test_who_watches_a_match_that_begins_again_hears_so_and_can_come_again() -> None:
    worker = Worker(1)
    (job,) = worker.jobs
    watching = asyncio.create_task(last_of(job))
    await asyncio.sleep(0)
    job.begin_again()
    end = await watching
    assert isinstance(end, LiveEndEvent)
    assert "played again" in end.lost
    events, report = played()
    job.channel.publish(events[:1])
    job.report.set_result(report)
    assert isinstance(await last_of(job), LiveEndEvent)


OPTIONS = RemoteOptions("0.0.0.0:7000", "c.pem", "k.pem", 30.0, 2, 100)


class Gate:
    """Notes what happens at the door."""

    def __init__(self) -> None:
        self.noted: list[object] = []

    def ask(self, question: int, application: Mapping[str, Any]) -> None:
        self.noted.append((question, application))

    def note_presence(self, version: str, digest: str, room: int | None) -> None:
        self.noted.append((version, digest, room))

    def note_all_gone(self) -> None:
        self.noted.append("all gone")


class Process:
    """The process of remote bots, pretended."""

    def __init__(self, *, is_ready: bool = True) -> None:
        self.gate = Gate()
        self.remote = RemoteProcess(OPTIONS, self.gate)
        self.child = PretendedChild()
        self.remote._child = cast("Any", self.child)
        if is_ready:
            self.say("ready", port=7001)

    def say(self, event: str, match_id: str = "", blob: bytes = b"", **what: Any) -> None:
        job = self.remote._find(match_id)
        self.remote._handle({"event": event, "ticket": 0 if job is None else job.ticket, **what}, blob)

    async def order(self, match_id: str = "m1", **changes: Any) -> asyncio.Task[MatchReport]:
        task = asyncio.create_task(self.remote.run_match(script_spec("0:3 1:3", match_id=match_id, **changes)))
        await asyncio.sleep(0)
        return task


async def test_what_is_decided_at_the_door_is_told() -> None:
    process = Process()
    process.say("join", question=7, application={"bot": "rex"})
    process.say("presence", version="v", digest="d", room=None)
    assert process.gate.noted == [(7, {"bot": "rex"}), ("v", "d", None)]
    process.remote.admit(7, {"version": "v"})
    process.remote.refuse(8, {"why": "no"})
    process.remote.end_tokens({"b", "a"})
    assert process.child.told == [
        {"do": "admit", "question": 7, "guest": {"version": "v"}},
        {"do": "refuse", "question": 8, "refusal": {"why": "no"}},
        {"do": "end_tokens", "digests": ["a", "b"]},
    ]


async def test_a_match_waits_for_the_process_and_is_told_once_it_is_ready() -> None:
    process = Process(is_ready=False)
    match = await process.order()
    assert process.remote.has("m1")
    assert process.child.told == []
    process.say("ready", port=7001)
    assert process.child.told == [{"do": "play"}]
    assert process.remote._command()[-8:-6] == ["--key", "k.pem"]
    assert "0.0.0.0:7001" in process.remote._command()
    _, report = played()
    process.say("report", "m1", report.blob(), report=report.to_json())
    assert await match == report
    assert not process.remote.has("m1")
    assert process.child.told == [{"do": "play"}]


async def test_a_match_can_be_cancelled_and_the_process_is_told() -> None:
    process = Process()
    match, other = await process.order(), await process.order("m2")
    process.remote.cancel("unknown")
    process.remote.cancel("m1")
    with pytest.raises(MatchLostError, match="cancelled") as caught:
        await match
    assert caught.value.cause is HostCause.CANCELLED
    assert process.child.told == [{"do": "play"}, {"do": "play"}, {"do": "cancel"}]
    assert not other.done()
    other.cancel()


@pytest.mark.parametrize(
    ("event", "what", "error"),
    [
        ("returned", {}, NotBegunError),
        ("lost", {"error": MatchLostError("no disk", HostCause.REFEREE_LAG).to_json()}, MatchLostError),
    ],
)
async def test_a_match_without_a_report_ends_by_what_became_of_it(
    event: str, what: dict[str, Any], error: type[Exception]
) -> None:
    process = Process()
    match = await process.order()
    process.say(event, "m1", **what)
    with pytest.raises(error):
        await match
    assert process.child.told == [{"do": "play"}]


async def test_what_it_says_of_a_match_that_was_cancelled_is_not_heard_and_what_nobody_knows_is_refused() -> None:
    process = Process()
    process.say("begun")
    match = await process.order()
    with pytest.raises(FrameError, match="'danced'"):
        process.say("danced", "m1")
    match.cancel()


async def test_a_match_is_watched_from_before_the_process_was_ready_to_its_end() -> None:
    process = Process(is_ready=False)
    with pytest.raises(NotWatchableError, match="m1 is not played here"):
        process.remote.watch("m1")
    match = await process.order()
    watcher = process.remote.watch("m1", logs=(1,))
    first = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    process.say("ready", port=7001)
    assert process.child.told == [{"do": "play"}, {"do": "watch", "logs": [1]}]
    events, _ = played()
    head, blob = live_json(events[0])
    process.say("live", "m1", blob, live=head)
    assert await first == events[0]
    process.remote.cancel("m1")
    assert [event async for event in watcher] == [LiveEndEvent(1, None, "cancelled")]
    with pytest.raises(MatchLostError):
        await match


async def test_its_death_loses_what_had_begun_and_the_rest_waits_for_its_next_life() -> None:
    process = Process()
    match, waiting = await process.order(), await process.order("m2")
    process.say("begun", "m1")
    process.remote._fall_silent()
    assert await process.remote.run() == (True, "it fell")
    with pytest.raises(MatchLostError, match="SIGKILL"):
        await match
    assert process.gate.noted == ["all gone"]
    assert not waiting.done()
    process.say("ready", port=7001)
    assert process.child.told == [{"do": "play"}] * 3
    waiting.cancel()


async def test_who_drains_it_lets_what_has_begun_go_on() -> None:
    process = Process()
    begun, waiting = await process.order(), await process.order("m2")
    process.say("begun", "m1")
    process.remote.drain()
    with pytest.raises(NotBegunError):
        await waiting
    with pytest.raises(NotBegunError):
        await process.remote.run_match(script_spec("0:3", match_id="m3"))
    assert process.child.told[2] == {"do": "drain"}
    assert not begun.done()
    process.remote.stop()
    assert process.child.is_stopped
    with pytest.raises(ExecutorFailedError):
        await begun


async def test_matches_of_other_versions_of_a_bot_are_counted_while_they_go_on() -> None:
    process = Process()
    (seat, *_) = script_spec("0:3 1:3").seats
    match = await process.order()
    assert process.remote.count_other_versions(seat.name, "new") == 0
    process.say("begun", "m1")
    assert process.remote.count_other_versions(seat.name, "new") == 1
    assert process.remote.count_other_versions(seat.name, seat.version) == 0
    assert process.remote.count_other_versions("nobody", "new") == 0
    match.cancel()
