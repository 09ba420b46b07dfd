"""Bots that speak through descriptors, in real processes: each costs itself alone; by every road games are equal."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.match.replay import load
from arena.match.result import FaultCause
from arena.match.spec import SeatSpec
from arena.match.verify import verify
from arena.match.worker_report import SeatLogText
from arena.worker.match_host import MatchHost
from engine import registry
from tests.support.keeper import (
    AT_START_BY_DESCRIPTORS,
    BY_LINES,
    BY_SOCKET,
    TOO_LATE_BY_DESCRIPTORS,
    TOO_LATE_TO_START_BY_DESCRIPTORS,
    WRONG_BY_DESCRIPTORS,
    Case,
    check_case,
    named,
    zoo_seat,
)
from tests.support.patience import PATIENT, any_start, patient_autopsies, patient_starts
from tests.support.processes import marked_processes
from tests.support.specs import king_spec, link_words, scripted
from tests.worker.hosted import TWICE, only_fault, play

pytestmark = pytest.mark.asyncio(loop_scope="module")
minutes = pytest.mark.needs("minutes")
LINKS = ("grpc", "socket", "lines")


async def check(host: MatchHost, zoo: Path, cases: Sequence[Case], **changes: Any) -> None:
    """One match of them all: everybody gets what it deserves, and the honest bot in the last seat wins."""
    seats = [*(zoo_seat(zoo, case.behaviour, by=case.by) for case in cases), zoo_seat(zoo, by="socket")]
    with patient_starts():
        report = await play(host, seats, " ".join(f"{seat}:3" for seat in range(len(seats))), **changes)
    for seat, case in enumerate(cases):
        check_case(case, [fault for fault in report.result.faults if fault.seat == seat])
    assert report.result.ranks[-1] == 1
    assert not [fault for fault in report.result.faults if fault.seat == len(cases)]


@pytest.mark.hostile(*named(BY_SOCKET), *named(BY_LINES))
@pytest.mark.parametrize("cases", WRONG_BY_DESCRIPTORS, ids=["socket", "lines"])
async def test_what_a_bot_says_wrong_costs_it_the_match_and_nobody_else(
    host: MatchHost, zoo: Path, mark: str, cases: Sequence[Case]
) -> None:
    with patient_autopsies():  # each of these ends with its stream
        await check(host, zoo, cases)
    await host.settle()
    assert not [command for command in marked_processes(mark).values() if "holds the descriptor" in command]


@pytest.mark.hostile(*named(AT_START_BY_DESCRIPTORS))
async def test_a_bot_that_does_not_start_loses_and_it_is_told_why(host: MatchHost, zoo: Path) -> None:
    await check(host, zoo, AT_START_BY_DESCRIPTORS)


@pytest.mark.hostile(*named(TOO_LATE_BY_DESCRIPTORS))
async def test_half_a_message_and_silence_is_a_timeout(host: MatchHost, zoo: Path) -> None:
    await check(host, zoo, TOO_LATE_BY_DESCRIPTORS, clock=any_start("300ms"))


@pytest.mark.hostile(*named(TOO_LATE_TO_START_BY_DESCRIPTORS))
@minutes
async def test_a_bot_that_never_joins_or_reads_loses(host: MatchHost, zoo: Path) -> None:
    await play(host, [zoo_seat(zoo, by="socket")], "0:3")  # it is warm then, and needs no time to start
    await check(host, zoo, TOO_LATE_TO_START_BY_DESCRIPTORS, clock=replace(PATIENT, start_limit_us=2_000_000))


async def test_through_bot_proxies_both_play_and_what_they_say_wrong_has_the_same_faults(zoo: Path, mark: str) -> None:
    wrong = [BY_SOCKET[2], BY_LINES[2]]
    honest = [zoo_seat(zoo, by=by) for by in ("socket", "lines")]
    seats = [*(zoo_seat(zoo, case.behaviour, at=1, by=case.by) for case in wrong), *honest]
    turns = " ".join(f"{seat}:3" for seat in range(len(seats)))
    async with MatchHost(apart=True) as host:
        for _ in range(2):  # the honest ones are warm then
            report = await play(host, seats, f"{turns} {turns} {turns}")
            for seat, case in enumerate(wrong):
                check_case(case, [fault for fault in report.result.faults if fault.seat == seat])
            assert [fault.ply for fault in report.result.faults] == [4, 5]


async def test_of_a_bot_of_lines_only_standard_error_is_its_log(host: MatchHost) -> None:
    seats = scripted("leave-with-status-7", by="lines"), scripted(by="lines")
    with patient_autopsies():
        report = await play(host, seats, TWICE, keeps_logs=True)
    fault = only_fault(report)
    assert report.seat_logs == (SeatLogText(0, b"Traceback: no good\n"),)
    assert fault.cause is FaultCause.DISCONNECTED
    assert (fault.evidence["stderr"], fault.evidence["exit_status"]) == ("Traceback: no good\n", 7)
    assert "stdout" not in fault.evidence


# The same bots by every road.

BOT = """
import os, random
from engine import registry
from engine.chance import SeededChance
from tests.support.scripted_bot import Wire, act, play_pb2

def turn(state, draw):
    \'\'\'The decisions that its seat has in a row.\'\'\'
    seat, planned = state.seat(), []
    while state.seat() == seat:
        legal = state.legal_actions()
        planned += [draw.choice(legal)] if len(legal) > 1 else []
        state.apply_unchecked(planned[-1] if len(legal) > 1 else legal[0])
    return planned

wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("match_started"):
        started, asked = response.match_started, 0
        happened, kind = list(started.events), KINDS[started.seed % len(KINDS)]
    if not response.HasField("decide"):
        continue
    decide = response.decide
    happened += decide.events
    asked += 1
    draw = random.Random(f"{started.seed} {decide.ply}")
    actions, note = [draw.choice(decide.legal_actions)], f"{len(decide.events)} {decide.dropped_actions}"
    if kind == "whole turns":
        state = registry.get(started.game).new_state(started.seats)
        for event in happened:
            state.apply_unchecked(event.action)
        actions = turn(state, draw)
    elif kind == "gives up" and asked == 3:
        wire.send(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=decide.match_id)))
        continue
    elif kind == "illegal" and asked == 4:
        actions = [-1]
    elif kind == "malformed" and asked == 4:
        note = "x" * 300_000
    wire.send_bytes(act(decide, *actions, note=note))
"""
KINDS = ("plain", "whole turns", "gives up", "illegal", "malformed")
KING, REX = "foreign_king", "rex_romanorum"
MATCHES = [
    (KING, ("whole turns", "plain", "gives up")),
    (REX, ("plain", "illegal", "gives up", "plain")),
    pytest.param(KING, ("malformed", "whole turns"), marks=minutes),
    pytest.param(KING, ("whole turns", "illegal", "gives up", "whole turns"), marks=minutes),
    pytest.param(REX, ("plain", "plain"), marks=minutes),
    pytest.param(REX, ("malformed", "gives up", "plain"), marks=minutes),
]
CAUSES = {"illegal": FaultCause.ILLEGAL_ACTION, "malformed": FaultCause.MALFORMED}


def seat_of(place: Path, by: str, seed: int) -> SeatSpec:
    main = place / "bot.py"
    main.write_text(f"KINDS = {KINDS}\n{BOT}", encoding="utf-8")
    command = (sys.executable, str(main), f"--by={by}")
    return replace(scripted(), version=by, command=command, seed=seed, **link_words(by))


TIMES = {"charged_us", "elapsed_us", "duration_us", "started_at_us", "times"}
TELLING_TIMES = {"evidence", "links", "record_digest", "version"}
"""Times are part of them, or by which road the bot came."""


def without_times(data: Any) -> Any:
    """Return a replay without what differs between two matches of the same bots; a message's length is its road's."""
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key not in TIMES | TELLING_TIMES}
    if isinstance(data, str):
        return re.sub(r"a message of \d+ bytes", "a message", data)
    return [without_times(one) for one in data] if isinstance(data, list) else data


async def outcome(host: MatchHost, place: Path, by: str, game: str, kinds: Sequence[str]) -> Any:
    """What became of a match, its replay included."""
    bots = [seat_of(place, by, 5 * seat + KINDS.index(kind)) for seat, kind in enumerate(kinds)]
    report = await host.play(king_spec("m1", bots, game=game, rules_version=registry.get(game).rules_version))
    assert verify(report.replay) == []
    return without_times(load(report.replay))


@pytest.mark.parametrize(("game", "kinds"), MATCHES)
async def test_by_every_road_the_same_bots_play_the_same_games(
    host: MatchHost, tmp_path: Path, game: str, kinds: Sequence[str]
) -> None:
    by_grpc, *others = [await outcome(host, tmp_path, by, game, kinds) for by in LINKS]
    assert others == [by_grpc, by_grpc]
    faults = {(fault["seat"], fault["cause"]) for fault in by_grpc["result"]["faults"]}
    assert faults == {(seat, CAUSES[kind]) for seat, kind in enumerate(kinds) if kind in CAUSES}
    assert bool(by_grpc["result"]["resigned"]) == ("gives up" in kinds)
    several = {entry["decide"] for entry in by_grpc["entries"] if entry.get("decide", entry["ply"]) != entry["ply"]}
    assert bool(several) == ("whole turns" in kinds)
