"""The figures for those who keep a service running move when matches are played and bots are handed in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.match.result import Fault, FaultCause
from arena.match.spec import MatchSpec
from arena.model.errors import ClientError
from arena.model.planning import ChallengeRequest
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.remote import RemoteArena
from arena.rpc.upload import submit
from arena.service.home import make_home
from arena.service.lifecycle.listeners import open_owners
from arena.service.logs import get_logger
from arena.service.metrics import Metrics
from arena.service.scheduler.host import ExecutorHost
from arena.service.scheduler.observers import MatchObserver, export_slots
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import Slots
from arena.service.settings.reading import load_settings
from arena.service.supervision import Health
from ratings.store.database import open_database
from tests.cli.support import write_bot
from tests.service.scheduler.executors import HeldExecutor, settle
from tests.support.patience import until
from tests.support.specs import king_spec, scripted
from tests.tournament.scripted_executor import report_of

MATCHES = 5


def value(text: str, sample: str) -> float:
    found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
    assert found, f"no {sample} in:\n{text}"
    return float(found[1])


def match(number: int) -> MatchSpec:
    """A match with the bot of an owner, besides the operator's."""
    return king_spec(f"m{number}", [scripted(), replace(scripted(), name="ada/fox"), scripted()], chance_seed=number)


class Warm(HeldExecutor):
    """Keeps two processes for later matches, in which the bot in the second seat goes astray."""

    def count_warm_bots(self) -> int:
        return 2

    def end_one(self) -> None:
        """End the match that began first."""
        match_id, ending = next(iter(self.playing.items()))
        report = report_of(king_spec(match_id, [scripted()] * 3))
        fault = Fault(1, FaultCause.ILLEGAL_ACTION, 5, "it chose 7", {})
        ending.set_result(replace(report, result=replace(report.result, faults=(fault,))))


async def test_slots_queue_decisions_faults_lag_and_warm_processes_are_told() -> None:
    metrics, executor = Metrics(), Warm(1)
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0), observer=MatchObserver(metrics, get_logger("test")))
    host = ExecutorHost(slots, lambda: executor, Health(), get_logger("test"))
    export_slots(metrics, slots, host.count_warm_bots)
    running = asyncio.create_task(host.run())
    try:
        view = slots.view(MatchPurpose.LADDER, "spring")
        playing = [asyncio.ensure_future(view.run(match(number))) for number in range(MATCHES)]
        await until(lambda: bool(executor.playing))
        executor.end_one()
        await playing[0]
        meanwhile = metrics.render()
        while not all(one.done() for one in playing):
            await until(lambda: bool(executor.playing))
            executor.end_one()
            await settle()
        reports = [one.result() for one in playing]
        afterwards = metrics.render()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    busy, queue = 'arena_slots_busy{activity="ladder"}', 'arena_queue_matches{activity="ladder"}'
    assert value(meanwhile, busy) in (1, 2)
    assert value(meanwhile, busy) + value(meanwhile, queue) == MATCHES - 1
    assert value(afterwards, busy) == value(afterwards, queue) == 0
    assert value(afterwards, "arena_slots") == 1
    assert value(afterwards, "arena_decisions_total") == sum(report.decisions for report in reports) > MATCHES
    assert value(afterwards, 'arena_faults_total{cause="ILLEGAL_ACTION",owner="ada"}') == MATCHES
    assert value(afterwards, "arena_referee_lag_seconds_count") == MATCHES
    assert value(afterwards, 'arena_match_seconds_count{activity="ladder"}') == MATCHES
    assert value(afterwards, "arena_warm_processes") == 2


@asynccontextmanager
async def opened(directory: Path, metrics: Metrics, **limits: int) -> AsyncIterator[Endpoint]:
    """The owners' services of a new home with these limits in its settings, and where the organiser reaches them."""
    home = make_home(directory / "home", "")
    flags = {"service.address": "", "service.admin_address": ""}
    flags |= {f"limits.{name}": str(limit) for name, limit in limits.items()}
    settings, database = load_settings(home.settings_file, flags, {}).values, open_database(home.database)
    open_ = await open_owners(home, settings, database, metrics, lambda: None)
    try:
        yield Endpoint(f"unix:{open_.addresses.socket}")
    finally:
        await open_.server.stop()
        database.close()


async def test_an_upload_and_the_calls_for_it_are_told(tmp_path: Path) -> None:
    metrics = Metrics()

    def hand_in(endpoint: Endpoint) -> None:
        with open_line(endpoint) as line:
            submit(RemoteArena(line), write_bot(tmp_path / "fox", "fox"), "", lambda _sent, _total: None)

    async with opened(tmp_path, metrics) as endpoint:
        await asyncio.to_thread(hand_in, endpoint)
        text = metrics.render()
    assert value(text, 'arena_upload_seconds_count{outcome="OK"}') == 1
    assert value(text, 'arena_rpc_seconds_count{method="SubmitVersion",code="OK"}') == 1


async def test_the_settings_say_how_many_matches_a_challenge_may_have(tmp_path: Path) -> None:
    order = ChallengeRequest(
        bot="fox", opponents=("elk",), game="foreign_king", seats=2, blocks=3, time="50ms", start_limit="10s"
    )

    def ask(endpoint: Endpoint) -> None:
        with open_line(endpoint) as line:
            arena = RemoteArena(line)
            for name in ("fox", "elk"):
                submit(arena, write_bot(tmp_path / name, name), "", lambda _sent, _total: None)
            arena.tournaments.challenge_bot(order)

    async with opened(tmp_path, Metrics(), challenge_matches=5) as endpoint:
        with pytest.raises(ClientError, match="these are 6 matches, and a challenge has 5 at most"):
            await asyncio.to_thread(ask, endpoint)
