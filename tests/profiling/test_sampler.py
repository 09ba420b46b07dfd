"""What a process computes is sampled where it computes it, and nothing of it is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import cast

import pytest

from arena.profiling.parts import WORKER_ROOMS, Part
from arena.profiling.sampler import Sampler
from arena.profiling.sheet import Reading, Sheet, new_words

BURNT_S = 0.4
"""Processor time: a hundred ticks of a kernel with 250 a second."""


def burner(module: str) -> Callable[[], None]:
    """A function of that module which computes until its thread has used BURNT_S."""
    space: dict[str, object] = {"__name__": module, "now": time.thread_time, "LONG": BURNT_S}
    exec("def burn():\n start = now()\n while now() - start < LONG: pass\n", space)
    return cast(Callable[[], None], space["burn"])


def sampled(work: Callable[[], None]) -> tuple[Reading, float]:
    """What a sheet says after some work, and what the process used meanwhile."""
    sheet = Sheet(new_words())
    before = time.process_time()
    with Sampler(sheet, WORKER_ROOMS, Part.GRPC).sampling():
        work()
    return sheet.read(), time.process_time() - before


@pytest.mark.parametrize(
    ("module", "part"),
    [
        ("engine.games.any.rules", Part.ENGINE),
        ("arena.wire.encoding", Part.ENCODING),
        ("arena.referee.stream", Part.GRPC),
        ("arena.hosting.proc.meter", Part.METER),
        ("arena.match.replay", Part.RECORDING),
        ("arena.referee.play", Part.REFEREE),
    ],
)
def test_what_a_room_computes_shows_up_in_its_part(module: str, part: Part) -> None:
    reading, used_s = sampled(burner(module))
    assert reading.cpu_s[part] > 0.8 * BURNT_S
    assert sum(reading.cpu_s.values()) == pytest.approx(used_s, rel=0.05)
    assert reading.samples > 10


def test_two_rooms_share_what_they_compute() -> None:
    one, other = burner("engine.any"), burner("arena.wire.encoding")
    reading, _ = sampled(lambda: (one(), other(), one())[0])
    assert reading.cpu_s[Part.ENGINE] / reading.cpu_s[Part.ENCODING] == pytest.approx(2, rel=0.3)


def test_what_another_thread_computes_while_the_main_one_waits_is_its_own() -> None:
    def work() -> None:
        thread = threading.Thread(target=burner("arena.referee.stream"))
        thread.start()
        while thread.is_alive():
            thread.join(0.01)

    reading, used_s = sampled(work)
    assert reading.cpu_s[Part.GRPC] > 0.7 * BURNT_S
    assert sum(reading.cpu_s.values()) == pytest.approx(used_s, rel=0.05)


def test_of_two_threads_each_gets_its_own_part() -> None:
    def work() -> None:
        thread = threading.Thread(target=burner("arena.hosting.proc.meter"))
        thread.start()
        burner("arena.wire.encoding")()
        thread.join()

    reading, _ = sampled(work)
    assert reading.cpu_s[Part.METER] > 0.6 * BURNT_S
    assert reading.cpu_s[Part.ENCODING] > 0.6 * BURNT_S


def test_afterwards_nothing_is_sampled_and_all_is_as_before() -> None:
    sheet = Sheet(new_words())
    with Sampler(sheet, WORKER_ROOMS, Part.GRPC).sampling():
        pass
    burner("engine.any")()
    assert sheet.read().samples == 1, "the last one, at the end"
    os.kill(os.getpid(), signal.SIGPROF)
    assert sheet.read().samples == 1, "one that was on its way ends nothing, and counts nothing"
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_process_that_waits_is_not_sampled() -> None:
    def wait() -> None:
        threading.Event().wait(0.1)

    reading, used_s = sampled(wait)
    assert reading.samples < 20
    assert used_s < BURNT_S


def test_somebody_is_told_of_each_sample() -> None:
    told: list[int] = []
    sheet = Sheet(new_words())
    with Sampler(sheet, WORKER_ROOMS, Part.GRPC, lambda: told.append(1)).sampling():
        burner("engine.any")()
    assert len(told) == sheet.read().samples
