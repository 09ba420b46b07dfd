"""Leak checks with real processes: bots that remember, that forget, and that are not what they declare."""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from arena.match.report import LeakCheckResult, MatchReport
from arena.match.result import LeakVerdict
from arena.match.spec import SeatSpec
from arena.worker.host import MatchHost
from tests.support.patience import PATIENT
from tests.support.processes import marked_processes
from tests.support.specs import script_spec, scripted

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY_ROUNDS = "0:3 1:3d 0:3 0:3 1:3 0:3 1:1 1:3"
BOT = """
import os, random
from tests.support.scripted_bot import Wire, act

matches = 0
wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("match_started"):
        matches += 1
    if response.HasField("decide"):
        decide = response.decide
        wire.send_bytes(act(decide, decide.legal_actions[({choice}) % len(decide.legal_actions)]))
"""
CHOICES = {
    "forgets": "decide.ply",
    "remembers": "matches - 1 if decide.ply > 2 else 0",
    "guesses": "random.SystemRandom().randrange(3) if decide.ply > 2 else 0",
    "dies": "0 if matches > 0 and decide.ply < 3 or matches > 1 else os._exit(5)",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(mark: str) -> AsyncIterator[MatchHost]:
    async with MatchHost() as host:
        yield host
    assert marked_processes(mark) == {}


def seat_of(tmp_path: Path, kind: str, **changes: Any) -> SeatSpec:
    main = tmp_path / f"{kind}.py"
    main.write_text(BOT.format(choice=CHOICES[kind]), encoding="utf-8")
    changes = {"is_deterministic": True, "version": kind, **changes}
    return replace(scripted(), name=kind, command=(sys.executable, str(main)), **changes)


async def play_seats(host: MatchHost, *seats: SeatSpec, script: str = MANY_ROUNDS, **changes: Any) -> MatchReport:
    return await host.play(script_spec(script, len(seats), clock=PATIENT, seats=tuple(seats), **changes))


async def check(host: MatchHost, *seats: SeatSpec) -> tuple[LeakCheckResult, ...]:
    """What a check finds after a first match; both matches run to their ends."""
    first = await play_seats(host, *seats, script="0:3 1:3")
    report = await play_seats(host, *seats, checks_leaks=True)
    assert first.result.by_rules
    assert report.result.by_rules
    return report.leak_checks


@pytest.mark.needs("minutes")
async def test_a_bot_that_forgets_is_found_equal(host: MatchHost, tmp_path: Path) -> None:
    (found,) = await check(host, seat_of(tmp_path, "forgets"), scripted())
    assert (found.seat, found.verdict, found.ply, found.evidence) == (0, LeakVerdict.EQUAL, None, {})


@pytest.mark.hostile("remember-across-matches")
async def test_a_bot_that_remembers_is_flagged_with_both_answers(host: MatchHost, tmp_path: Path) -> None:
    (found,) = await check(host, scripted(), seat_of(tmp_path, "remembers"))
    assert (found.seat, found.verdict, found.ply) == (1, LeakVerdict.LEAK, 4)
    assert found.evidence == {"used": ["ADD:1"], "fresh": [["ADD:0"], ["ADD:0"]]}


@pytest.mark.needs("minutes")
async def test_a_bot_that_is_not_deterministic_is_not_called_a_leak(host: MatchHost, tmp_path: Path) -> None:
    many = "0:3 1:3 " + "0:3 " * 60  # the chance that two agree by accident is 3 ** -60
    seats = seat_of(tmp_path, "guesses"), scripted()
    await play_seats(host, *seats, script="0:3 1:3")
    (found,) = (await play_seats(host, *seats, script=many, checks_leaks=True)).leak_checks
    assert found.verdict is LeakVerdict.UNSTABLE


@pytest.mark.needs("minutes")
async def test_a_fresh_process_that_dies_proves_nothing(host: MatchHost, tmp_path: Path) -> None:
    (found,) = await check(host, seat_of(tmp_path, "dies"), scripted())
    assert found.verdict is LeakVerdict.UNKNOWN


@pytest.mark.needs("minutes")
async def test_who_does_not_declare_it_or_was_fresh_or_not_drawn_is_not_checked(
    host: MatchHost, tmp_path: Path
) -> None:
    plain, fresh = seat_of(tmp_path, "remembers", is_deterministic=False), seat_of(tmp_path, "forgets", version="new")
    await play_seats(host, plain, scripted())
    assert (await play_seats(host, plain, fresh, checks_leaks=True)).leak_checks == ()
    assert (await play_seats(host, plain, fresh)).leak_checks == ()


@pytest.mark.needs("minutes")
async def test_a_check_leaves_no_process_and_changes_no_result(host: MatchHost, mark: str, tmp_path: Path) -> None:
    seats = seat_of(tmp_path, "remembers", version="again"), scripted()
    await play_seats(host, *seats)
    unchecked = await play_seats(host, *seats)
    await host.settle()
    before = marked_processes(mark)
    await play_seats(host, *seats, checks_leaks=True)
    await host.settle()
    assert marked_processes(mark) == before
    assert unchecked.leak_checks == ()
