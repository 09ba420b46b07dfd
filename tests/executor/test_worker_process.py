"""What the coordinator makes of what a worker says, without a process."""

import asyncio
import signal
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.executor.worker_process import WARM_BOTS_APART, ExecutorJob, WorkerProcess
from arena.match.live import LiveEndEvent, LiveEvent, live_json
from arena.match.result import HostBrokenError, HostCause, MatchLostError
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
