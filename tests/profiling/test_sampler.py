"""What a process computes is sampled where it computes it, and nothing of it is lost."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import cast

import pytest

from arena.profiling.parts import WORKER_ROOMS, Part
from arena.profiling.sampler import Sampler
from arena.profiling.sheet import Reading, Sheet, new_words

SAMPLES = 40
"""How many a piece of work takes: a busy machine samples seldom, and each one then stands for more."""

taken: list[None] = []
"""As many as samples of the sampler at work."""


def burner(module: str) -> Callable[[], float]:
    """A function of that module that computes for SAMPLES samples, and returns the seconds its thread used."""
    space: dict[str, object] = {"__name__": module, "now": time.thread_time, "taken": taken, "many": SAMPLES}
    source = """
def burn():
    start, before = now(), len(taken)
    while len(taken) - before < many:
        pass
    return now() - start
"""
    exec(source, space)
    return cast(Callable[[], float], space["burn"])


def sampled(work: Callable[[], object]) -> tuple[Reading, float]:
    """What a sheet says after some work, and what the process used meanwhile."""
    sheet = Sheet(new_words())
    taken.clear()
    before = time.process_time()
    with Sampler(sheet, WORKER_ROOMS, Part.GRPC, lambda: taken.append(None)).sampling():
        work()
    return sheet.read(), time.process_time() - before


def in_another_thread(work: Callable[[], object]) -> Callable[[], None]:
    """What does the work in a thread, while the main one waits and hears signals now and then."""

    def wait() -> None:
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            thread.join(0.01)

    return wait


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
    assert reading.cpu_s[part] > 0.8 * used_s
    assert sum(reading.cpu_s.values()) == pytest.approx(used_s, rel=0.05)
    assert reading.samples > SAMPLES


def test_two_rooms_share_what_they_compute() -> None:
    one, other = burner("engine.any"), burner("arena.wire.encoding")
    used_s: list[float] = []
    reading, _ = sampled(lambda: used_s.extend([one(), other(), one()]))
    assert reading.cpu_s[Part.ENGINE] == pytest.approx(used_s[0] + used_s[2], rel=0.3)
    assert reading.cpu_s[Part.ENCODING] == pytest.approx(used_s[1], rel=0.3)


def test_what_another_thread_computes_while_the_main_one_waits_is_its_own() -> None:
    reading, used_s = sampled(in_another_thread(burner("arena.referee.stream")))
    assert reading.cpu_s[Part.GRPC] > 0.7 * used_s
    assert sum(reading.cpu_s.values()) == pytest.approx(used_s, rel=0.05)


def test_what_another_thread_computes_while_a_sample_is_taken_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Sampler._clocks
    pauses_s = itertools.cycle([0.005, 0.0, 0.0, 0.005])

    def slowly(frames: dict[int, FrameType]) -> dict[int, int]:
        time.sleep(next(pauses_s))
        found = clocks(frames)
        time.sleep(next(pauses_s))
        return found

    monkeypatch.setattr(Sampler, "_clocks", staticmethod(slowly))
    reading, used_s = sampled(in_another_thread(burner("arena.wire.encoding")))
    assert reading.cpu_s[Part.ENCODING] > 0.7 * used_s
    assert sum(reading.cpu_s.values()) == pytest.approx(used_s, rel=0.05)


def test_of_two_threads_each_gets_its_own_part() -> None:
    used_s: list[float] = []

    def work() -> None:
        beside = burner("arena.hosting.proc.meter")
        thread = threading.Thread(target=lambda: used_s.append(beside()))
        thread.start()
        used_s.append(burner("arena.wire.encoding")())
        thread.join()

    reading, all_s = sampled(work)
    assert reading.cpu_s[Part.METER] + reading.cpu_s[Part.ENCODING] > 0.8 * all_s
    assert min(reading.cpu_s[Part.METER], reading.cpu_s[Part.ENCODING]) > 0.6 * min(used_s)


def test_afterwards_nothing_is_sampled_and_all_is_as_before() -> None:
    sheet = Sheet(new_words())
    with Sampler(sheet, WORKER_ROOMS, Part.GRPC).sampling():
        pass
    before_s = time.process_time()
    while time.process_time() - before_s < 0.1:
        pass
    assert sheet.read().samples == 1, "the last one, at the end"
    os.kill(os.getpid(), signal.SIGPROF)
    assert sheet.read().samples == 1, "one that was on its way ends nothing, and counts nothing"
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_process_that_waits_is_not_sampled() -> None:
    def wait() -> None:
        threading.Event().wait(0.1)

    reading, used_s = sampled(wait)
    assert reading.samples < 20
    assert used_s < 0.4


def test_somebody_is_told_of_each_sample() -> None:
    reading, _ = sampled(burner("engine.any"))
    assert len(taken) == reading.samples
