"""What a process computes is sampled where it computes it, nothing is lost; and which part a stack belongs to."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import cast

import pytest

from arena.profiling.parts import COORDINATOR_PARTS, WORKER_PARTS, ProfilePart, StackClassifier
from arena.profiling.sampler import EVERY_S, Sampler
from arena.profiling.shared_counters import Reading, Sheet, WorkerPhase, new_words, read_sheet, shared_sheet
from tests.support.sources import sources_below, text_of

GENERATED = {"arena.games"}
"""What only generated code lies in, which is no source."""


def stack(*modules: str) -> FrameType:
    """The innermost frame of a stack of functions of these modules, the outermost first, above that of the test."""
    space: dict[str, object] = {"__name__": modules[-1], "get": sys._getframe}
    exec("def call(): return get()", space)
    for module in reversed(modules[:-1]):
        space = {"__name__": module, "inner": space["call"]}
        exec("def call(): return inner()", space)
    call = space["call"]
    assert callable(call)
    frame = call()
    assert isinstance(frame, FrameType)
    return frame


@pytest.mark.parametrize(
    ("modules", "part"),
    [
        (["asyncio.events"], ProfilePart.TRANSPORT),
        (["asyncio.events", "arena.referee.play"], ProfilePart.REFEREE),
        (["asyncio.events", "arena.referee.play", "arena.referee.stream"], ProfilePart.TRANSPORT),
        (["asyncio.events", "arena.referee.play", "arena.match.match"], ProfilePart.ENGINE),
        (["asyncio.events", "arena.referee.queue.loop"], ProfilePart.TRANSPORT),
        (["arena.referee.queue.loop", "arena.referee.stream", "arena.wire.messages"], ProfilePart.ENCODING),
        (["arena.referee.play", "arena.match.match", "engine.games.any.rules.phases"], ProfilePart.ENGINE),
        (["arena.referee.play", "arena.wire.messages", "engine.games.any.wire"], ProfilePart.ENCODING),
        (["arena.worker.match_host", "arena.match.replay", "json.encoder"], ProfilePart.RECORDING),
        (["arena.match.match", "a_game_of_others.rules"], ProfilePart.ENGINE),
        (["arena.referee.measuring", "arena.hosting.procfs.meter", "contextlib"], ProfilePart.METER),
        (["arena.hosting.launcher.client"], ProfilePart.REFEREE),
        (["threading", "threading"], ProfilePart.OTHER),
    ],
)
def test_the_innermost_module_that_is_named_decides_and_the_engine_works_for_its_caller(
    modules: list[str], part: ProfilePart
) -> None:
    assert StackClassifier(WORKER_PARTS, ProfilePart.OTHER).part_of(stack(*modules)) is part


def test_what_no_module_explains_is_told_as_what_it_is() -> None:
    assert StackClassifier(WORKER_PARTS, ProfilePart.TRANSPORT).part_of(stack("threading")) is ProfilePart.TRANSPORT
    assert StackClassifier(WORKER_PARTS, ProfilePart.OTHER).part_of(None) is ProfilePart.OTHER


def test_in_the_coordinator_its_loop_is_its_own_and_the_book_of_record_is_recording() -> None:
    judge = StackClassifier(COORDINATOR_PARTS, ProfilePart.COORDINATOR)
    assert judge.part_of(stack("asyncio.events", "arena.executor.worker_pool")) is ProfilePart.COORDINATOR
    assert (
        judge.part_of(stack("asyncio.events", "ratings.ledger.ledger", "sqlalchemy.engine.base"))
        is ProfilePart.RECORDING
    )


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def test_the_tables_name_modules_that_are_there() -> None:
    there = {module_of(path) for path in sources_below("arena", "engine", "ratings")}
    there |= {name.rpartition(".")[0] for name in there}
    named = {name for name in (*WORKER_PARTS, *COORDINATOR_PARTS) if name.startswith(("arena.", "engine", "ratings"))}
    assert named - there == GENERATED


def test_whatever_of_a_worker_imports_grpc_carries_messages() -> None:
    places = sources_below("arena/referee", "arena/worker")
    carriers = {module_of(path) for path in places if re.search(r"^(import|from) grpc\b", text_of(path), re.MULTILINE)}
    assert carriers
    parts = {name: StackClassifier(WORKER_PARTS, ProfilePart.OTHER).part_of(stack(name)) for name in carriers}
    assert {name for name, part in parts.items() if part is not ProfilePart.TRANSPORT} == set()


STEP_NS = 10_000_000
STEP_S = STEP_NS / 1e9
MAIN = threading.get_ident()
OTHER = """
import sys
from pathlib import Path
from arena.profiling.parts import ProfilePart
from arena.profiling.shared_counters import WorkerPhase, shared_sheet
with shared_sheet(Path(sys.argv[1])) as sheet:
    sheet.enter(WorkerPhase.START)
    sheet.enter(WorkerPhase.PLAY)
    sheet.add_cpu(ProfilePart.METER, 1_500_000_000)
    sheet.add_cpu(ProfilePart.METER, 500_000_000)
    sheet.count_decisions(7, 2_000_000)
    sheet.count_match()
    sheet.count_sample()
    print("ready", flush=True)
    sys.stdin.read()
"""


class Clocks:
    """The processor time of a process and of its threads, which goes on when a test says so."""

    def __init__(self) -> None:
        self.process_ns = 5 * STEP_NS
        self.threads_ns: dict[int, int] = {}
        self.late_ns: dict[int, int] = {}
        """What threads compute between the reading of the clock of the process and that of their own, each time."""

    def go_on(self, *threads: int, alone: bool = False) -> None:
        """Let each of the threads compute for a step; `alone` is a thread without a stack."""
        for thread in threads:
            self.threads_ns[thread] = self.threads_ns.get(thread, 0) + STEP_NS
        self.process_ns += STEP_NS * (len(threads) + alone)

    def process_time_ns(self) -> int:
        return self.process_ns

    def of(self, frames: dict[int, FrameType]) -> dict[int, int]:
        """The clocks of the threads that have a stack."""
        for thread, late_ns in self.late_ns.items():
            self.threads_ns[thread] = self.threads_ns.get(thread, 0) + late_ns
            self.process_ns += late_ns
        return {thread: self.threads_ns.get(thread, 0) for thread in frames}


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    """The only clocks of the sampler, whose timer is still: a test asks for each sample."""
    made = Clocks()
    monkeypatch.setattr("arena.profiling.sampler.time", SimpleNamespace(process_time_ns=made.process_time_ns))
    monkeypatch.setattr(Sampler, "_clocks", staticmethod(made.of))
    monkeypatch.setattr(signal, "setitimer", lambda *_: None)
    return made


def in_module(module: str, work: Callable[[], object]) -> Callable[[], object]:
    """A function of that module that does the work."""
    space: dict[str, object] = {"__name__": module, "work": work}
    exec("def call(): return work()", space)
    return cast(Callable[[], object], space["call"])


def take() -> None:
    """Have a sample taken of whoever called."""
    signal.raise_signal(signal.SIGPROF)


def compute(clocks: Clocks) -> None:
    """Compute for a step, at whose end a sample is taken."""
    clocks.go_on(MAIN)
    take()


def sampled(work: Callable[[], object]) -> Reading:
    """What a sheet says after some work."""
    sheet = Sheet(new_words())
    with Sampler(sheet, WORKER_PARTS, ProfilePart.TRANSPORT).sampling():
        work()
    return sheet.read()


def computed(reading: Reading) -> dict[ProfilePart, float]:
    """The parts that computed anything, in steps."""
    return {part: round(cpu_s / STEP_S, 6) for part, cpu_s in reading.cpu_s.items() if cpu_s}


@contextmanager
def thread_in(module: str) -> Iterator[int]:
    """A thread that stands in a function of that module."""
    stands, may_end = threading.Event(), threading.Event()

    def stand() -> None:
        stands.set()
        may_end.wait()

    thread = threading.Thread(target=in_module(module, stand))
    thread.start()
    stands.wait()
    assert thread.ident is not None
    try:
        yield thread.ident
    finally:
        may_end.set()
        thread.join()


def test_what_a_room_computes_shows_up_in_its_part(clocks: Clocks) -> None:
    found = {
        module: computed(sampled(in_module(module, lambda: compute(clocks))))
        for module in (
            *("engine.games.any.rules", "arena.wire.messages", "arena.referee.stream"),
            *("arena.hosting.procfs.meter", "arena.match.replay", "arena.referee.play"),
        )
    }
    parts = (
        ProfilePart.ENGINE,
        ProfilePart.ENCODING,
        ProfilePart.TRANSPORT,
        ProfilePart.METER,
        ProfilePart.RECORDING,
        ProfilePart.REFEREE,
    )
    assert list(found.values()) == [{part: 1} for part in parts]


def test_two_rooms_share_what_they_compute(clocks: Clocks) -> None:
    one = in_module("engine.any", lambda: compute(clocks))
    other = in_module("arena.wire.messages", lambda: compute(clocks))
    reading = sampled(lambda: (one(), other(), one()))
    assert computed(reading) == {ProfilePart.ENGINE: 2, ProfilePart.ENCODING: 1}
    assert reading.samples == 4, "the last one at the end"


def test_what_another_thread_computes_while_the_main_one_waits_is_its_own(clocks: Clocks) -> None:
    with thread_in("arena.wire.messages") as thread:
        assert computed(sampled(lambda: clocks.go_on(thread))) == {ProfilePart.ENCODING: 1}


def test_what_a_thread_without_a_stack_computes_is_that_of_the_part_beside(clocks: Clocks) -> None:
    assert computed(sampled(lambda: clocks.go_on(alone=True))) == {ProfilePart.TRANSPORT: 1}


def test_what_another_thread_computes_while_a_sample_is_taken_counts_once(clocks: Clocks) -> None:
    with thread_in("arena.wire.messages") as thread:
        clocks.late_ns[thread] = STEP_NS // 5

        def go_on() -> None:
            for _ in range(3):
                clocks.go_on(thread)
                take()
            clocks.late_ns[thread] = 0

        before_ns = clocks.process_ns
        reading = sampled(go_on)
    # The first reading of the clocks is before the work: what came in it, after the clock of the process, counts here.
    used = (clocks.process_ns - before_ns) / STEP_NS
    assert computed(reading)[ProfilePart.ENCODING] == pytest.approx(used - 0.2)
    assert sum(computed(reading).values()) == pytest.approx(used)


def test_of_two_threads_each_gets_its_own_part(clocks: Clocks) -> None:
    with thread_in("arena.hosting.procfs.meter") as thread:
        clocks.go_on(thread)  # before it is sampled

        def work() -> None:
            clocks.go_on(thread, thread, MAIN)
            take()

        assert computed(sampled(in_module("arena.wire.messages", work))) == {
            ProfilePart.METER: 2,
            ProfilePart.ENCODING: 1,
        }


def test_a_sample_that_comes_while_one_is_taken_is_left_to_the_next(clocks: Clocks) -> None:
    sheet, taken = Sheet(new_words()), list[int]()

    def on_sample() -> None:
        taken.append(sheet.read().samples)
        if len(taken) == 1:
            take()

    with Sampler(sheet, WORKER_PARTS, ProfilePart.TRANSPORT, on_sample).sampling():
        compute(clocks)
        compute(clocks)
    assert taken == [1, 2, 3], "each is told of, and the one in between was none"
    assert sum(computed(sheet.read()).values()) == 2


def test_the_kernel_samples_a_process_by_what_it_computes() -> None:
    sheet, taken = Sheet(new_words()), list[None]()

    def burn() -> float:
        start_s = time.thread_time()
        while len(taken) < 5:
            pass
        return time.thread_time() - start_s

    before_s = time.process_time()
    with Sampler(sheet, WORKER_PARTS, ProfilePart.TRANSPORT, lambda: taken.append(None)).sampling():
        assert signal.getitimer(signal.ITIMER_PROF)[1] == pytest.approx(EVERY_S)
        burnt_s = cast(float, in_module("engine.any", burn)())
    used_s = time.process_time() - before_s
    reading = sheet.read()
    assert reading.cpu_s[ProfilePart.ENGINE] > 0
    assert burnt_s <= sum(reading.cpu_s.values()) <= used_s
    assert reading.samples == len(taken) > 5


def test_afterwards_nothing_is_sampled_and_all_is_as_before() -> None:
    sheet = Sheet(new_words())
    with Sampler(sheet, WORKER_PARTS, ProfilePart.TRANSPORT).sampling():
        pass
    samples = sheet.read().samples
    assert samples >= 1, "the last one, at the end"
    os.kill(os.getpid(), signal.SIGPROF)
    assert sheet.read().samples == samples, "one that was on its way ends nothing, and counts nothing"
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_another_process_reads_what_was_counted_while_its_writer_lives_and_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "4711"
    words = [sys.executable, "-c", OTHER, str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        living, again = read_sheet(file), read_sheet(file)
        process.communicate(b"")
    ended = read_sheet(file)
    assert living is not None
    assert again is not None
    assert ended is not None
    assert living.cpu_s[ProfilePart.METER] == ended.cpu_s[ProfilePart.METER] == 2.0
    assert (living.decisions, living.asked_s, living.matches, living.samples) == (7, 2.0, 1, 1)
    assert again.wall_s[WorkerPhase.PLAY] > living.wall_s[WorkerPhase.PLAY], "the phase that lasts counts up to now"
    assert again.wall_s[WorkerPhase.START] == living.wall_s[WorkerPhase.START]
    assert living.wall_s[WorkerPhase.END] == 0


def test_a_sheet_that_has_only_just_begun_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "1"
    file.write_bytes(b"")
    assert read_sheet(file) is None
    with shared_sheet(tmp_path / "2"):
        file.write_bytes(bytes((tmp_path / "2").stat().st_size))
        assert read_sheet(file) is None
        assert read_sheet(tmp_path / "2") is not None


def test_a_sheet_is_made_where_none_is(tmp_path: Path) -> None:
    with shared_sheet(tmp_path / "1"), pytest.raises(FileExistsError), shared_sheet(tmp_path / "1"):
        pass


def test_the_phases_take_all_of_the_time() -> None:
    sheet = Sheet(new_words())
    assert sheet.read().wall_s[WorkerPhase.WAIT] > 0, "it waits first"
    for phase in (WorkerPhase.START, WorkerPhase.PLAY, WorkerPhase.END, WorkerPhase.WAIT):
        sheet.enter(phase)
    first, second = sheet.read(), sheet.read()
    assert all(wall > 0 for wall in first.wall_s.values())
    grown = [phase for phase in WorkerPhase if second.wall_s[phase] > first.wall_s[phase]]
    assert grown == [WorkerPhase.WAIT]
