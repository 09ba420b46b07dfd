"""What the host does wrong is no bot's fault: a match is played again, and an admission is undecided in the end."""

import asyncio

import pytest

from arena.match.host_faults import HostCause, MatchLostError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.service.admission import AdmissionOutcome, admit
from tests.service.admission.places import look_at, request_for
from tests.support.specs import scripted


class LosingExecutor:
    """Loses every match."""

    def __init__(self, cause: HostCause = HostCause.WORKER_DIED) -> None:
        self._cause = cause
        self.attempts: list[int] = []

    def slots(self) -> int:
        return 1

    async def run(self, spec: MatchSpec) -> MatchReport:
        self.attempts.append(spec.attempt)
        raise MatchLostError("its worker ended", self._cause)

    async def cancel(self, match_id: str) -> None:
        raise NotImplementedError(match_id)


class StuckExecutor(LosingExecutor):
    """Never comes to an end with a match, and counts those it was told to end."""

    def __init__(self) -> None:
        super().__init__()
        self.running = 0

    async def run(self, spec: MatchSpec) -> MatchReport:
        self.running += 1
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.running -= 1
        return await super().run(spec)


async def test_a_match_that_is_lost_three_times_leaves_the_admission_undecided() -> None:
    executor = LosingExecutor()
    told = await look_at(executor, scripted())
    assert executor.attempts == [1, 2, 3]
    assert told.verdict.outcome is AdmissionOutcome.UNDECIDED
    assert told.verdict.summary == (
        "It will be looked at again: foreign_king with 2 seats could not be played: its worker ended."
    )
    assert told.failed == []


@pytest.mark.parametrize("cause", [HostCause.CANCELLED, HostCause.UNPLAYABLE])
async def test_what_would_be_lost_again_is_not_tried_again(cause: HostCause) -> None:
    executor = LosingExecutor(cause)
    assert (await look_at(executor, scripted())).verdict.outcome is AdmissionOutcome.UNDECIDED
    assert executor.attempts == [1]


async def test_cancelling_an_admission_ends_its_matches() -> None:
    executor = StuckExecutor()
    admission = asyncio.create_task(admit(request_for(scripted()), executor, lambda _: None))
    while not executor.running:
        await asyncio.sleep(0.005)
    admission.cancel()
    with pytest.raises(asyncio.CancelledError):
        await admission
    assert executor.running == 0
