"""Watching matches over the wire: whole, in order, by many, only by who may; and a client that does not read."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from arena.executor.local import LocalExecutor
from arena.hosting.store import VersionStore
from arena.hosting.uploads.resumable_uploads import UploadArea
from arena.i18n.catalogue import translate
from arena.match.live import LiveEndEvent, LiveEvent, LiveLogEvent
from arena.match.spec import SeatSpec
from arena.model.errors import ClientError, FellBehindError, ForbiddenError, HiddenError
from arena.model.live import LogPart, MatchEvent
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.remote_arena import RemoteArena
from arena.service.scheduler.observers import LiveSlots
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import Slots, SlotsView
from arena.service.server import calls
from arena.service.server.grpc_server import ListenOptions, OwnerServices, OwnersServer
from arena.v1.match_service_pb2 import WatchLogsRequest, WatchLogsResponse
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_of
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import Database, open_database
from ratings.values.states import Scope
from tests.ratings import book
from tests.support.patience import PATIENCE_S, until
from tests.support.processes import mark, script_game
from tests.support.specs import king_spec, scripted

__all__ = ["mark", "script_game"]

GATED = """
import os, pathlib, sys, time
from tests.support.scripted_bot import Wire, first

print("started", file=sys.stderr, flush=True)
wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("decide"):
        while response.decide.ply > 3 and not pathlib.Path(sys.argv[1]).exists():
            time.sleep(0.01)
        print("asked at", response.decide.ply, flush=True)
        wire.send_bytes(first(response.decide))
"""
BOTS = ("ann/fox", "ben/owl", "cat")
MANY = 20
SEATS = {"foreign_king": 2, "rex_romanorum": 3}


@dataclass
class Watched:
    """A service whose matches wait for a gate, and who may watch them."""

    database: Database
    tournament: str
    matches: list[LeasedMatch]
    game: str
    view: SlotsView
    slots: Slots
    executor: LocalExecutor
    live: Cutting
    endpoint: Endpoint
    tokens: dict[str, str]
    seat: SeatSpec
    gate: Path
    pool: ThreadPoolExecutor

    def play(self, index: int = 0) -> asyncio.Task[None]:
        """Play a match, and record it."""
        match = self.matches[index]
        rules = {"game": self.game}
        spec = king_spec(
            match.match_id, [self.seat] * SEATS[self.game], keeps_logs=True, attempt=match.attempt, **rules
        )

        async def run() -> None:
            report = await self.view.run(spec)
            await asyncio.to_thread(Ledger(self.database).settle, self.tournament, results=[report])

        return asyncio.create_task(run())

    async def order(self) -> asyncio.Task[None]:
        """Order a match, which is played when the slots have an executor; a bot that thinks shows nothing new."""
        match = self.play()
        await until(lambda: self.slots.find(self.matches[0].match_id) is not None)
        return match

    async def ask(self, who: str, question: Callable[[RemoteArena], Any]) -> Any:
        """What the service answers somebody, asked in a thread of its own."""

        def blocking() -> Any:
            with open_line(self.endpoint, self.tokens[who]) as line:
                return question(RemoteArena(line))

        return await asyncio.get_running_loop().run_in_executor(self.pool, blocking)

    def watch(self, who: str, index: int = 0, after: int | None = None) -> asyncio.Future[list[MatchEvent]]:
        match_id = self.matches[index].match_id
        return asyncio.ensure_future(self.ask(who, lambda arena: list(arena.matches.watch_match(match_id, after))))


class Cutting:
    """Shows what goes on, and closes a watcher after some events, as one that is too slow, as often as it is told."""

    def __init__(self, live: LiveSlots) -> None:
        self._live = live
        self.cuts = 0
        self.asked: list[int] = []

    async def watch(self, match_id: str, *, after: int = -1, logs: Any = ()) -> AsyncGenerator[LiveEvent, None]:
        self.asked.append(after)
        events = self._live.watch(match_id, after=after, logs=logs)
        last = after
        try:
            async for event in events:
                yield event
                last = max(last, event.sequence)
                if self.cuts and last >= after + 2:
                    self.cuts -= 1
                    raise FellBehindError(last)
        finally:
            await events.aclose()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(mark: str) -> AsyncIterator[LocalExecutor]:
    async with LocalExecutor(1) as started:
        yield started


@pytest_asyncio.fixture(params=["foreign_king"], loop_scope="module")
async def watched(request: pytest.FixtureRequest, executor: LocalExecutor, tmp_path: Path) -> AsyncIterator[Watched]:
    game = request.param
    main, gate = tmp_path / "gated.py", tmp_path / "gate"
    main.write_text(GATED, encoding="utf-8")
    seat = replace(scripted(), name="gated", version=str(gate), command=(sys.executable, str(main), str(gate)))
    database = open_database(tmp_path / "arena.db")
    versions = [
        book.add_bots(database, [name], owner or None)[name]
        for owner, _, name in (bot.rpartition("/") for bot in BOTS[: SEATS[game]])
    ]
    pool = pool_of(game=game, rules_version="1", seats=SEATS[game], time_control="none")
    tournament = book.create(database, versions, SEATS[game], name="cup", pool=pool)
    ledger = ServiceLedger(database)
    tokens = {who: ledger.new_token(who, name="t", scope=Scope.COMPETITOR).secret for who in ("ann", "ben")}
    tokens["viewer"] = ledger.new_token("ann", name="v", scope=Scope.VIEWER).secret
    tokens["organiser"] = ledger.new_token(None, name="o", scope=Scope.ORGANISER).secret
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0))
    live = Cutting(LiveSlots(slots, executor.watch))
    services = OwnerServices(
        database, VersionStore(tmp_path / "arena.bots"), UploadArea(tmp_path / "uploads"), live=live
    )
    with tempfile.TemporaryDirectory(prefix="kma") as run:
        server = OwnersServer(services, ListenOptions(Path(run) / "run" / "owners.sock", "127.0.0.1:0"))
        addresses = await server.start()
        assert addresses.address is not None
        endpoint = Endpoint(addresses.address, plain=True)
        matches = book.take(database, tournament)
        view = slots.view(MatchPurpose.TOURNAMENT, "cup")
        threads = ThreadPoolExecutor(MANY + 10)
        try:
            yield Watched(
                database=database,
                tournament=tournament,
                matches=matches,
                game=game,
                view=view,
                slots=slots,
                executor=executor,
                live=live,
                endpoint=endpoint,
                tokens=tokens,
                seat=seat,
                gate=gate,
                pool=threads,
            )
        finally:
            gate.touch()
            await server.stop(0.2)
            view.close()
            threads.shutdown(wait=False, cancel_futures=True)
    database.close()


async def shown(watched: Watched, who: str = "organiser") -> list[MatchEvent]:
    """A match that is over, as it is shown afterwards."""
    return await watched.watch(who)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_watcher_sees_all_from_before_the_match_to_its_end_and_an_owner_the_log_of_the_own_bot(
    watched: Watched,
) -> None:
    match_id = watched.matches[0].match_id
    own = [seat.bot for seat in watched.matches[0].seats].index("ann/fox")
    watcher = watched.watch("viewer")
    await until(lambda: bool(watched.live.asked))  # it is waited for: nobody has ordered the match yet
    match = await watched.order()
    parts: list[LogPart] = []

    def follow(arena: RemoteArena) -> None:
        parts.extend(arena.matches.watch_logs(match_id, own))

    reader = asyncio.ensure_future(watched.ask("ann", follow))
    await until(lambda: len(watched.live.asked) == 2)
    watched.slots.use(watched.executor)
    await until(lambda: bool(parts))
    assert parts[0].data.startswith(b"started")
    assert not match.done()
    with pytest.raises(ForbiddenError, match="no bot of yours"):
        await watched.ask("ben", lambda arena: list(arena.matches.watch_logs(match_id, own)))
    watched.gate.touch()
    await match
    await reader
    stored = await watched.ask("ann", lambda arena: arena.matches.get_logs(match_id, own))
    assert b"".join(part.data for part in parts).decode() == stored[0].text
    again = await watched.ask("ann", lambda arena: list(arena.matches.watch_logs(match_id, own, 8)))
    assert b"".join(part.data for part in again).decode() == stored[0].text[8:]
    seen = await watcher
    assert seen == await shown(watched)
    assert [event.sequence for event in seen] == list(range(len(seen)))
    assert seen[0].start is not None
    assert seen[0].start.bots == tuple(seat.bot for seat in watched.matches[0].seats)
    assert all(event.move is not None and event.move.text for event in seen[1:-1])
    assert seen[-1].end is not None
    assert await watched.watch("ann", after=seen[3].sequence) == seen[4:]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_who_falls_behind_is_closed_and_goes_on_by_himself(watched: Watched) -> None:
    watched.live.cuts = 2
    match = await watched.order()
    watcher = watched.watch("ann")
    await until(lambda: bool(watched.live.asked))
    watched.slots.use(watched.executor)
    await until(lambda: watched.live.cuts < 2)
    watched.gate.touch()
    await match
    seen = await watcher
    assert seen == await shown(watched)
    assert [event.sequence for event in seen] == list(range(len(seen)))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
async def test_many_watch_one_match_and_hold_no_thread(watched: Watched) -> None:
    watched.slots.use(watched.executor)
    match = watched.play()
    watchers = [watched.watch(("ann", "ben", "viewer")[number % 3]) for number in range(MANY)]
    await until(lambda: len(watched.live.asked) >= MANY)
    assert (await watched.ask("ann", lambda arena: arena.account.get_identity())).owner == "ann"
    assert sum(thread.name.startswith("owners") for thread in threading.enumerate()) <= 6
    watched.gate.touch()
    await match
    whole = await shown(watched)
    assert all(seen == whole for seen in await asyncio.gather(*watchers))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("minutes")
@pytest.mark.parametrize("watched", ["rex_romanorum"], indirect=True)
async def test_a_game_with_chance_is_hidden_until_its_block_is_over_but_not_from_the_organiser(
    watched: Watched,
) -> None:
    watched.slots.use(watched.executor)
    match_id = watched.matches[0].match_id
    own = [seat.bot for seat in watched.matches[0].seats].index("ann/fox")
    match = watched.play()
    watcher = watched.watch("organiser")
    await until(lambda: bool(watched.live.asked))

    async def need_hidden() -> None:
        with pytest.raises(HiddenError, match="shown when every other match of its block is over"):
            await watched.watch("ann")
        with pytest.raises(HiddenError):
            await watched.ask("ann", lambda arena: list(arena.matches.watch_logs(match_id, own)))

    await need_hidden()
    watched.gate.touch()
    await match
    seen = await watcher
    assert any(event.move is not None and event.move.chance for event in seen)
    await need_hidden()
    await asyncio.gather(*(watched.play(index) for index in range(1, len(watched.matches))))
    assert await shown(watched, "ann") == seen


@pytest.mark.asyncio(loop_scope="module")
async def test_a_match_that_is_void_is_told_at_once(watched: Watched) -> None:
    await asyncio.to_thread(Ledger(watched.database).cancel, watched.tournament)
    with pytest.raises(ClientError, match="is void"):
        await watched.watch("ann")


@pytest.mark.asyncio(loop_scope="module")
async def test_what_a_bot_did_wrong_is_told_in_every_language_while_it_is_watched_and_afterwards(
    watched: Watched,
) -> None:
    watched.seat = scripted("illegal", 2)
    watcher = watched.watch("ann")
    await until(lambda: bool(watched.live.asked))
    match = await watched.order()
    watched.slots.use(watched.executor)
    await match
    match_id = watched.matches[0].match_id
    detail = await watched.ask("ann", lambda arena: arena.matches.get_match(match_id))
    ends = [(await watcher)[-1].end, (await shown(watched, "ann"))[-1].end]
    faults = [*detail.faults, *(fault for end in ends if end is not None for fault in end.faults)]
    assert len(faults) == 3
    assert {fault.explanation.partition(" action")[0] for fault in faults} == {"It chose"}
    assert {translate(fault.explanation, "de").partition(" Aktion")[0] for fault in faults} == {"Er wählte"}


PART = b"0123456789abcdef" * 2048
PARTS = 1000
MOST_AHEAD = len(PART) * PARTS // 5
"""How much may be on its way to a client that reads nothing: what the connection takes, far less than there is."""
SMALL_WINDOW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65536))


class Writing:
    """Shows a match whose bot writes without end; counts what is taken of it, and how often it is asked for."""

    def __init__(self) -> None:
        self.taken = self.times = 0
        self.left = asyncio.Event()

    async def watch(
        self, _match: str, /, *, after: int = -1, logs: Sequence[int] = ()
    ) -> AsyncGenerator[LiveEvent, None]:
        assert after == -1
        self.times += 1
        try:
            for number in range(PARTS):
                self.taken = max(self.taken, number * len(PART))
                yield LiveLogEvent(0, logs[0], number * len(PART), PART)
                await asyncio.sleep(0)
            yield LiveEndEvent(1, None, "the test is over")
        finally:
            self.left.set()


@asynccontextmanager
async def serving(directory: Path, live: Writing) -> AsyncIterator[tuple[Endpoint, str, str]]:
    """A service where a match is played, as the parts of `live`; the address, a token, the match."""
    database = open_database(directory / "arena.db")
    versions = book.add_bots(database, ["fox", "owl", "cat"])
    (match, *_) = book.take(database, book.create(database, versions.values()))
    token = ServiceLedger(database).new_token(None, name="o", scope=Scope.ORGANISER).secret
    services = OwnerServices(database, VersionStore(directory / "bots"), UploadArea(directory / "uploads"), live=live)
    with tempfile.TemporaryDirectory(prefix="kma") as run:
        server = OwnersServer(services, ListenOptions(Path(run) / "run" / "owners.sock", "127.0.0.1:0"))
        addresses = await server.start()
        assert addresses.address is not None
        try:
            yield Endpoint(addresses.address, plain=True), token, match.match_id
        finally:
            await server.stop(0.2)
    database.close()


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "READ_PATIENCE_S", 0.3)


@pytest.mark.usefixtures("short_patience")
@pytest.mark.hostile("watch-and-never-read")
async def test_who_reads_nothing_is_closed_with_the_place_to_go_on_at(tmp_path: Path) -> None:
    live = Writing()
    async with (
        serving(tmp_path, live) as (endpoint, token, match_id),
        grpc.aio.insecure_channel(endpoint.address, options=SMALL_WINDOW) as channel,
    ):
        call = channel.unary_stream(
            "/arena.v1.MatchService/WatchLogs",
            request_serializer=WatchLogsRequest.SerializeToString,
            response_deserializer=WatchLogsResponse.FromString,
        )(WatchLogsRequest(match=match_id, seat=1), metadata=(("authorization", f"Bearer {token}"),))
        read = [await anext(aiter(call))]
        async with asyncio.timeout(PATIENCE_S):
            await live.left.wait()
        assert live.taken < MOST_AHEAD
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await read_on(call, read)
    assert caught.value.code() is grpc.StatusCode.ABORTED
    assert [response.log_part.start for response in read] == [number * len(PART) for number in range(len(read))]
    details = dict(caught.value.trailing_metadata() or ())[STATUS_DETAILS_KEY]
    assert isinstance(details, bytes)
    status = decode_status(details)
    assert (status.reason, status.metadata) == ("FELL_BEHIND", {"sequence": str(len(read) * len(PART))})


async def read_on(call: AsyncIterable[WatchLogsResponse], read: list[WatchLogsResponse]) -> None:
    parts = aiter(call)
    while True:
        read.append(await anext(parts))


@pytest.mark.usefixtures("short_patience")
async def test_our_own_client_goes_on_by_itself_when_it_reads_again(tmp_path: Path) -> None:
    live = Writing()
    async with serving(tmp_path, live) as (endpoint, token, match_id):
        loop, starts = asyncio.get_running_loop(), list[int]()

        def read_slowly() -> None:
            with open_line(endpoint, token) as line:
                parts = RemoteArena(line).matches.watch_logs(match_id, 1)
                starts.append(next(parts).start)
                asyncio.run_coroutine_threadsafe(live.left.wait(), loop).result(PATIENCE_S)
                for part in parts:
                    starts.append(part.start)

        with pytest.raises(ClientError, match="the test is over"):
            await asyncio.to_thread(read_slowly)
    assert live.times > 1
    assert starts == [number * len(PART) for number in range(PARTS)]
