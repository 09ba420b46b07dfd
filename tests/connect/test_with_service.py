"""A bot at home on a service's own process of remote bots: whole matches by the rules, whatever breaks on the way."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from arena.connect.endpoint_discovery import find_route
from arena.connect.news import BotStopped, MatchBegan, MatchEnded
from arena.connect.news import Connected as LetIn
from arena.match.result import FaultCause
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from arena.rpc.errors import ServiceError
from arena.rpc.profiles import Profile
from arena.service.server.self_signed import TlsFiles
from arena.v1 import play_pb2
from ratings.values.states import Scope
from tests.connect.bridging import Connected, connected, write_bot
from tests.remote.running import RunningProcess, remote_seat, running_process
from tests.support.cut_lines import open_line
from tests.support.owners import CERTIFICATE_NAME, running_server
from tests.support.patience import any_start, until
from tests.support.play_service import FakeService
from tests.support.remote_bots import RemoteBot
from tests.support.specs import scripted

SHORT = {"max_rounds": 4}
minutes = pytest.mark.needs("minutes")
in_one_loop = pytest.mark.asyncio(loop_scope="module")
ROOT = Path(__file__).resolve().parents[2]
CRASHES_AT_ITS_THIRD = """
self.count = getattr(self, "count", 0) + 1
if self.count == 3 and not (PLACE / "crashed").exists():
    (PLACE / "crashed").touch()
    os._exit(9)
return decision.legal_actions[0]
"""
WAITS = "wait_for(f'go {decision.match.id}')\nreturn decision.legal_actions[0]"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningProcess]:
    async with running_process(tmp_path_factory.mktemp("tls")) as house:
        yield house


def at_home(house: RunningProcess, place: Path, decide: str = "return decision.legal_actions[0]", **keys: Any) -> Any:
    """A bridge to the house for a bot of ada; her token is her name there."""
    directory = write_bot(place, decide)
    address = keys.pop("address", f"localhost:{house.process.port}")

    def to_house(order: Any) -> Any:
        profile = replace(order.profile, token="ada", certificate=house.certificate.read_text(encoding="ascii"))
        return replace(order, profile=profile, play_address=address, version="1")

    return connected(None, directory, to_house, **keys)


async def is_here(house: RunningProcess, told: Connected, name: str = "fox") -> None:
    await told.wait_for(LetIn)
    await house.until_here(name)


@pytest.mark.usefixtures("inside")
@in_one_loop
async def test_it_plays_whole_matches_by_the_rules_at_once(house: RunningProcess, tmp_path: Path) -> None:
    async with at_home(house, tmp_path, matches=2) as told, house.bot("a", room=2):
        orders = [house.order(f"whole{number}", [remote_seat("fox"), remote_seat("a")]) for number in range(3)]
        reports = await asyncio.gather(*orders)
        await told.wait_for(MatchEnded, 3)
    for report in reports:
        assert report.result.by_rules
        assert not report.result.faults
        assert verify(report.replay) == []
    ranks = {ended.match_id: ended.rank for ended in told.of(MatchEnded)}
    assert ranks == {report.match_id: report.result.ranks[0] for report in reports}


@minutes
@in_one_loop
async def test_a_line_that_is_cut_again_and_again_costs_nothing(house: RunningProcess, tmp_path: Path) -> None:
    async with open_line(house.process.port) as line:

        async def cut_now_and_then(bot: RemoteBot, decide: play_pb2.Decide) -> None:
            if len(bot.of("decide")) in (2, 4, 5):
                line.cut()
            await bot.act(decide)

        async with (
            at_home(house, tmp_path, address=line.address) as told,
            house.bot("cutter", on_decide=cut_now_and_then),
        ):
            report = await house.order("cut", [remote_seat("fox"), remote_seat("cutter")])
            await told.wait_for(MatchEnded)
        assert line.connections > 2
    assert report.result.by_rules
    assert not report.result.faults
    assert not told.of(BotStopped)
    asked = (tmp_path / "log").read_text().splitlines()
    assert len(asked) == len(set(asked)), "the bot was asked everything once"


@minutes
@in_one_loop
async def test_a_crash_in_the_middle_is_no_fault_there(house: RunningProcess, tmp_path: Path) -> None:
    async with at_home(house, tmp_path, CRASHES_AT_ITS_THIRD) as told:
        report = await house.order("crash", [remote_seat("fox"), scripted()], options=SHORT)
        await told.wait_for(MatchEnded)
    assert report.result.by_rules
    assert not report.result.faults
    assert [one.why for one in told.of(BotStopped)] == ["its process ended (exit status 9)"]


@minutes
@in_one_loop
async def test_a_bot_that_always_crashes_resigns(house: RunningProcess, tmp_path: Path) -> None:
    async with at_home(house, tmp_path, "os._exit(9)") as told:
        report = await house.order("always", [remote_seat("fox"), scripted()])
        await told.wait_for(MatchEnded)
    assert report.result.resigned == (0,)
    assert not report.result.faults


@minutes
@in_one_loop
async def test_a_bot_that_hangs_is_told_its_fault_in_words(house: RunningProcess, tmp_path: Path) -> None:
    async with at_home(house, tmp_path, "wait_for('never')") as told:
        await is_here(house, told)
        report = await house.order("hangs", [remote_seat("fox"), scripted()], any_start("200ms"))
        ended = await told.wait_for(MatchEnded)
    assert [fault.cause for fault in report.result.faults] == [FaultCause.TIMEOUT]
    assert (ended.rank, ended.faults[0].cause) == (2, "TIMEOUT")


@minutes
@in_one_loop
async def test_a_bridge_that_was_started_anew_plays_the_match_to_its_end(house: RunningProcess, tmp_path: Path) -> None:
    waits = "if decision.ply > 3:\n    wait_for('go')\nreturn decision.legal_actions[0]"
    async with at_home(house, tmp_path, waits) as told:
        match = house.order("anew", [remote_seat("fox"), scripted()], options=SHORT)
        await told.wait_for(MatchBegan)
        await until((tmp_path / "log").exists)
    (tmp_path / "go").touch()
    async with at_home(house, tmp_path, waits) as told:
        report = await match
        assert (await told.wait_for(MatchEnded)).match_id == "anew"
    assert told.of(MatchBegan)[0].resumed
    assert report.result.by_rules
    assert not report.result.faults


@minutes
@in_one_loop
async def test_a_second_connection_of_the_bot_ends_the_first(house: RunningProcess, tmp_path: Path) -> None:
    async with at_home(house, tmp_path / "one") as first:
        await is_here(house, first)
        async with at_home(house, tmp_path / "two") as second:
            with pytest.raises(ServiceError, match="--name gives this one a name of its own"):
                await first.end()
            await is_here(house, second)


@minutes
@in_one_loop
async def test_draining_ends_when_the_matches_are_over_and_begins_none(house: RunningProcess, tmp_path: Path) -> None:
    """As on a busy ladder, there is a next match at every moment, also in the one in which another ends."""
    async with at_home(house, tmp_path, WAITS, matches=2) as told, house.bot("a"), house.bot("b"):
        seats = [remote_seat("fox"), remote_seat("a")], [remote_seat("fox"), remote_seat("b")]
        orders = {f"d{number}": house.order(f"d{number}", seats[number % 2], options=SHORT) for number in range(4)}
        await told.wait_for(MatchBegan, 2)
        running = {began.match_id for began in told.of(MatchBegan)}
        told.running.drain()
        await house.until_gone("fox")
        for name in running:
            (tmp_path / f"go {name}").touch()
        reports = [await orders.pop(name) for name in running]
        await told.end()
        assert not any(report.result.faults for report in reports)
        assert {began.match_id for began in told.of(MatchBegan)} == running
        await _play_the_rest(house, tmp_path, orders)


@minutes
@in_one_loop
async def test_who_stops_after_a_match_plays_no_other_although_more_wait(house: RunningProcess, tmp_path: Path) -> None:
    orders = {name: house.order(name, [remote_seat("fox"), scripted()], options=SHORT) for name in ("s1", "s2", "s3")}
    async with at_home(house, tmp_path, stop_after=1) as told:
        await told.end()
    (began,) = told.of(MatchBegan)
    assert not (await orders.pop(began.match_id)).result.faults
    await _play_the_rest(house, tmp_path, orders)


async def _play_the_rest(house: RunningProcess, place: Path, orders: dict[str, asyncio.Task[MatchReport]]) -> None:
    """Play what has not begun yet, and begins when the bot is back."""
    assert not any(order.done() for order in orders.values())
    async with at_home(house, place) as told:
        reports = [await order for order in orders.values()]
        await told.wait_for(MatchEnded, len(reports))
    assert not any(report.result.faults for report in reports)
    assert not any(began.resumed for began in told.of(MatchBegan))


@minutes
@in_one_loop
async def test_the_example_without_our_kit_plays_a_whole_match(house: RunningProcess) -> None:
    address = f"localhost:{house.process.port}"
    words = (str(ROOT / "examples/remote_client.py"), address, "--certificate", str(house.certificate))
    environment = {**os.environ, "ARENA_TOKEN": "ada", "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(sys.executable, *words, env=environment)
    try:
        report = await house.order("example", [remote_seat("dice"), scripted()], options=SHORT)
    finally:
        process.kill()
        await process.wait()
    assert report.result.by_rules
    assert not report.result.faults


def test_the_way_leads_to_the_port_that_the_service_tells() -> None:
    with tempfile.TemporaryDirectory(prefix="kma") as place, running_server(Path(place), play_port=7735) as server:
        address, certificate = server.endpoint.address, server.endpoint.certificate
        token = server.token("ada", Scope.PLAYER)
        profile = Profile("club", address, token, "ada", Scope.PLAYER, certificate, None, CERTIFICATE_NAME)
        way = find_route(profile)
    assert (way.endpoint.address, way.owner, way.token) == ("127.0.0.1:7735", "ada", token)
    assert way.endpoint.certificate == certificate


class Context:
    """A call on which nothing comes."""

    def __init__(self) -> None:
        self.is_read = asyncio.Event()

    def invocation_metadata(self) -> None:
        return None

    async def send_initial_metadata(self, _metadata: object) -> None:
        await asyncio.sleep(0)

    async def read(self) -> None:
        self.is_read.set()
        await asyncio.Event().wait()


async def test_the_end_of_a_bot_is_heard_also_where_grpc_cancels_its_call_first(tls: TlsFiles) -> None:
    service, context = FakeService(tls), Context()
    serving = asyncio.create_task(service.Play(None, cast("Any", context)))
    await context.is_read.wait()
    visit = await service.visit()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert visit.heard.get_nowait() is None
