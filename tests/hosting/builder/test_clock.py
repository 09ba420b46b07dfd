"""What of the time of a build counts, on a machine that is busy with other things."""

import sys
import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from arena.hosting.builder import clock
from arena.hosting.builder.outcome import LONGEST_FACTOR
from arena.hosting.procfs.meter import TreeMeter
from tests.support.builds import Workshop

LIMIT_S = 0.4


class Build:
    """A build that ends after so many seconds, by a clock that goes on only while it is waited for, and its meter."""

    def __init__(self, ends_s: float, waited_s: Callable[[float], float | None]) -> None:
        self.now_s, self._ends_s, self._waited_s = 100.0, 100.0 + ends_s, waited_s

    async def wait(self, timeout_s: float) -> bool:
        self.now_s = min(self.now_s + max(timeout_s, 0.001), self._ends_s)
        return self.now_s == self._ends_s

    def look(self) -> tuple[int, int] | None:
        waited_s = self._waited_s(self.now_s - 100.0)
        return None if waited_s is None else (0, round(waited_s * 1e6))


@pytest.mark.host_fault("processor-busy-while-a-bot-is-built")
@pytest.mark.parametrize(
    ("waited_s", "lasts_s"),
    [
        pytest.param(lambda _: 0.0, LIMIT_S, id="never"),
        pytest.param(lambda _: None, LIMIT_S, id="nobody can tell"),
        pytest.param(lambda took_s: 0.2 if took_s < 0.3 else None, LIMIT_S + 0.2, id="told once"),
        pytest.param(lambda took_s: 0.75 * took_s, 4 * LIMIT_S, id="mostly"),
        pytest.param(lambda took_s: took_s, LONGEST_FACTOR * LIMIT_S, id="always"),
    ],
)
async def test_the_time_in_which_it_waits_for_a_processor_does_not_count(
    waited_s: Callable[[float], float | None], lasts_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ends_s, has_ended in ((lasts_s - 0.01, True), (lasts_s + 0.01, False)):
        build = Build(ends_s, waited_s)
        with monkeypatch.context() as patch:
            patch.setattr(time, "monotonic", lambda build=build: build.now_s)
            assert await clock._wait(cast(Any, build), cast(Any, build), LIMIT_S) is has_ended


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process waits")
async def test_one_that_waits_for_a_processor_for_ever_is_ended_at_last(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TreeMeter, "look", lambda _meter: (0, 3600 * 1_000_000))
    failure = await workshop.refusal("import time; time.sleep(3600)", time_s=0.3)
    assert failure.sentence == (
        "The build command `python make.py` did not end within 0.3 s, or 5 times that on a busy machine."
    )
