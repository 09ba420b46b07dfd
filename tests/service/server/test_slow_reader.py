"""A client that does not read, over a real connection: it is closed, and goes on behind what it has."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from arena.hosting.store import VersionStore
from arena.hosting.uploads.area import UploadArea
from arena.match.live import LiveEndEvent, LiveEvent, LiveLogEvent
from arena.model.errors import ClientError
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.remote import RemoteArena
from arena.service.server import calls
from arena.service.server.owners import ListenOptions, OwnerServices, OwnersServer
from arena.v1.match_service_pb2 import WatchLogsRequest, WatchLogsResponse
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from ratings.ledger.service import ServiceLedger
from ratings.store.database import open_database
from ratings.values.states import Scope
from tests.ratings import book
from tests.support.patience import PATIENCE_S

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


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "READ_PATIENCE_S", 0.3)


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
