"""What of the time of a build counts, on a machine that is busy with other things."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.hosting.builds import Built
from arena.hosting.proc.meter import TreeMeter
from tests.support.builds import MAKE, Workshop

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process waits")


@contextmanager
def crowded_core(burners: int) -> Iterator[None]:
    """This thread and all that it starts on one core, with so many programs that compute without end."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(cores)])
    words = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    running = [subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True) for _ in range(burners)]
    try:
        yield
    finally:
        for burner in running:
            burner.kill()
        for burner in running:
            burner.wait()
        os.sched_setaffinity(0, cores)


@pytest.mark.host_fault("processor-busy-while-a-bot-is-built")
async def test_the_time_in_which_it_waits_for_a_processor_does_not_count(workshop: Workshop) -> None:
    with crowded_core(5):
        built = await workshop.build(f"import time\nwhile time.process_time() < 0.4: pass\n{MAKE}", time_s=1.4)
    assert isinstance(built, Built), built


async def test_one_that_waits_for_a_processor_for_ever_is_ended_at_last(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TreeMeter, "look", lambda _meter: (0, 3600 * 1_000_000))
    failure = await workshop.refusal("import time; time.sleep(3600)", time_s=0.3)
    assert failure.sentence == (
        "The build command `python make.py` did not end within 0.3 s, or 5 times that on a busy machine."
    )
