"""Whose fault it is that a bot which speaks lines does not start: its pipes end with a sandbox that cannot be made."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from arena.hosting.sandbox.limits import STANDARD
from arena.match.result import FaultCause, HostCause, MatchLostError
from arena.match.spec import LINES, NO_SANDBOX, SeatSpec
from arena.match.worker_report import MatchReport
from arena.worker.match_host import MatchHost
from tests.support.patience import PATIENT
from tests.support.specs import script_spec, scripted
from tests.worker.hosted import ROUNDS, only_fault

FAILING = ("/bin/sh", "-c", "echo no namespaces >&2; exit 1")


@pytest_asyncio.fixture
async def host() -> AsyncIterator[MatchHost]:
    async with MatchHost() as host:
        yield host


def seat(directory: Path, program: str, sandbox: str = NO_SANDBOX) -> SeatSpec:
    command = (sys.executable, "-S", "-c", program)
    return SeatSpec("v" * 64, "lines", str(directory), command, seed=1, protocol=LINES, games=("*",), sandbox=sandbox)


async def play(host: MatchHost, one: SeatSpec) -> MatchReport:
    return await host.play(script_spec(ROUNDS, 2, seats=(one, scripted()), clock=PATIENT))


@pytest.mark.host_fault("sandbox-fails")
async def test_a_sandbox_that_cannot_be_made_is_no_fault_of_a_bot(
    host: MatchHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.hosting.sandbox.start_plan.wrapper", lambda *_, **__: [*FAILING])
    with pytest.raises(MatchLostError, match="a sandbox could not be made: no namespaces") as lost:
        await play(host, seat(tmp_path, "", sandbox=STANDARD))
    assert lost.value.cause is HostCause.SANDBOX_FAILED


async def test_a_bot_that_ends_before_it_reads_is_told_how(host: MatchHost, tmp_path: Path) -> None:
    fault = only_fault(await play(host, seat(tmp_path, "raise SystemExit(3)")))
    assert fault.cause is FaultCause.START_FAILED
    assert fault.explanation == "It ended before it read its first line (exit status 3)."


async def test_what_a_bot_wrote_that_ends_before_it_reads_is_told(host: MatchHost, tmp_path: Path) -> None:
    fault = only_fault(
        await play(host, seat(tmp_path, "print('Could not open input file: main'); raise SystemExit(1)"))
    )
    assert fault.cause is FaultCause.START_FAILED
    assert fault.explanation == (
        "It ended before it read its first line (exit status 1). It wrote to standard output: 'Could not open input "
        "file: main'."
    )
    assert fault.evidence["stdout"] == "Could not open input file: main\n"


async def test_all_that_a_bot_wrote_beside_its_answers_is_kept(host: MatchHost, tmp_path: Path) -> None:
    program = """
import sys
for line in sys.stdin:
    if '"decide"' in line:
        sys.stdout.write("Warning: undefined\\n  in line 3\\n0 with no end")
        sys.stdout.flush()
"""
    fault = only_fault(await play(host, seat(tmp_path, program)))
    assert fault.cause is FaultCause.PROTOCOL
    assert fault.evidence["stdout"].split("\n") == ["Warning: undefined", "in line 3", "0 with no end"]
