"""An event loop that polls gRPC's completion queue: whatever else a loop does, it does too."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any
from unittest import mock

import pytest

from arena.referee.queue import loop as queue_loop
from arena.referee.queue.layer import Event, ListeningServer
from arena.referee.queue.loop import QueueLoop, new_loop, polled_s
from tests.support.patience import PATIENCE_S

LEFT_BEHIND = """
import asyncio, os, threading
from arena.referee.queue.loop import QueueLoop, make_queue_loop, run

async def the_loop():
    return asyncio.get_running_loop()

def kept():
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    opened = {f"{link} {os.readlink(link)}" for link in links if os.path.lexists(link)}  # the listing's own is gone
    return opened | {str(thread) for thread in threading.enumerate()}

make_queue_loop().close()  # what is made once in a process
before = kept()
for _ in range(20):
    assert isinstance(run(the_loop()), QueueLoop)
print(*kept() - before, sep="\\n", end="")
"""


def the_loop() -> QueueLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QueueLoop)
    return loop


async def test_a_descriptor_that_becomes_ready_is_read_while_nothing_comes_out_of_the_queue() -> None:
    reader, writer = os.pipe()
    said: asyncio.Future[bytes] = the_loop().create_future()
    the_loop().add_reader(reader, lambda: said.set_result(os.read(reader, 9)))
    threading.Timer(0.1, os.write, (writer, b"now")).start()
    assert await asyncio.wait_for(said, PATIENCE_S) == b"now"
    the_loop().remove_reader(reader)
    os.close(reader)
    os.close(writer)


async def test_a_descriptor_that_stays_ready_is_read_again_and_again() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"x" * 100)
    read: list[bytes] = []
    everything = asyncio.Event()

    def read_one() -> None:
        read.append(os.read(reader, 1))
        if len(read) == 100:
            everything.set()

    the_loop().add_reader(reader, read_one)
    await asyncio.wait_for(everything.wait(), PATIENCE_S)
    the_loop().remove_reader(reader)
    os.close(reader)
    os.close(writer)


async def test_other_threads_and_children_are_heard() -> None:
    assert await asyncio.to_thread(threading.get_ident) != threading.get_ident()
    child = await asyncio.create_subprocess_exec("sh", "-c", "echo here", stdout=asyncio.subprocess.PIPE)
    said, _ = await asyncio.wait_for(child.communicate(), PATIENCE_S)
    assert said == b"here\n"


async def test_a_signal_is_handled_while_the_loop_waits() -> None:
    came = asyncio.Event()
    the_loop().add_signal_handler(signal.SIGUSR1, came.set)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    await asyncio.wait_for(came.wait(), PATIENCE_S)
    the_loop().remove_signal_handler(signal.SIGUSR1)


async def test_a_timer_comes_although_the_clock_of_the_day_is_set_back() -> None:
    """The poll's deadline is by that clock: it lies an hour ahead then, and the backstop ends the poll."""
    with mock.patch("arena.referee.queue.loop.time.time", return_value=time.time() + 3600):
        await asyncio.wait_for(asyncio.sleep(0.1), PATIENCE_S)


async def test_an_event_whose_tag_raises_is_told_and_the_loop_goes_on() -> None:
    told: list[dict[str, Any]] = []
    the_loop().set_exception_handler(lambda _, context: told.append(context))

    def fail(_event: Event) -> None:
        raise ZeroDivisionError

    server = ListeningServer(the_loop().queue, ())
    server.start("127.0.0.1:0")
    server.shut_down(fail)
    async with asyncio.timeout(PATIENCE_S):
        while not told:
            await asyncio.sleep(0.005)
    server.destroy()
    assert isinstance(told[0]["exception"], ZeroDivisionError)


async def test_what_the_polls_compute_is_counted() -> None:
    before = polled_s()
    for _ in range(100):
        await asyncio.sleep(0)
    assert polled_s() > before


def test_without_a_queue_nothing_is_counted() -> None:
    assert polled_s() == 0
    assert asyncio.run(_counted()) == 0


async def _counted() -> float:
    return polled_s()


def test_a_loop_that_was_closed_leaves_no_thread_and_no_descriptor() -> None:
    """In a process of its own: in this one gRPC has threads of other tests, which open and close what they like."""
    left = subprocess.run([sys.executable, "-c", LEFT_BEHIND], capture_output=True, text=True, timeout=PATIENCE_S)
    assert left.returncode == 0, left.stderr
    assert left.stdout == ""


@pytest.mark.parametrize("kind", [AttributeError, TypeError, ValueError])
def test_where_grpc_behaves_otherwise_the_usual_loop_is_used_and_that_is_said(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object) -> None:
        raise kind("cygrpc has no Server")

    monkeypatch.setattr(queue_loop, "make_wakeup", break_down)
    loop = new_loop()
    loop.close()
    assert not isinstance(loop, QueueLoop)
    assert capsys.readouterr().err == (
        "grpcio's completion queue cannot be used (cygrpc has no Server); grpc.aio is used instead\n"
    )


def test_where_aio_is_asked_for_the_usual_loop_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_GRPC", "aio")
    loop = new_loop()
    loop.close()
    assert not isinstance(loop, QueueLoop)
