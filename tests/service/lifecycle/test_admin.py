"""The listener for metrics and health: what it answers, and what it does with those who ask wrongly or not at all."""

import asyncio
import errno
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from arena.service.addresses import Address, explain, parse_address
from arena.service.errors import ListenError
from arena.service.lifecycle.listeners import AdminListener
from arena.service.metrics import Metrics
from arena.service.supervision import Health


@asynccontextmanager
async def listening(metrics: Metrics, health: Health) -> AsyncIterator[Address]:
    listener = AdminListener(metrics, health)
    address = await listener.start(parse_address("127.0.0.1:0"))
    try:
        yield address
    finally:
        await listener.stop()


async def ask(address: Address, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(address.host, address.port)
    writer.write(request)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def get(address: Address, path: str) -> tuple[int, str]:
    head, _, body = (await ask(address, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())).partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    return int(head.split()[1]), body.decode()


async def test_metrics_and_health_are_told_as_they_are_at_that_moment() -> None:
    metrics, health = Metrics(), Health()
    async with listening(metrics, health) as address:
        assert await get(address, "/health") == (200, '{\n  "healthy": true,\n  "problems": {}\n}\n')
        health.report("host", "no worker starts")
        status, body = await get(address, "/health")
        assert (status, json.loads(body)["problems"]) == (503, {"host": "no worker starts"})
        health.clear("host")
        assert (await get(address, "/health?verbose"))[0] == 200
        metrics.counter("a_total", "A.").add(3)
        assert "a_total 3\n" in (await get(address, "/metrics"))[1]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /health HTTP/1.1\r\n\r\n", b"405"),
        (b"\xff\xfe\r\n\r\n", b"405"),
        (b"GET\r\n\r\n", b"404"),
    ],
)
async def test_whoever_asks_for_something_else_is_told_what_there_is(request_: bytes, status: bytes) -> None:
    async with listening(Metrics(), Health()) as address:
        assert (await ask(address, request_)).split()[1] == status


@pytest.mark.parametrize("request_", [b"", b"GET /health", b"x" * 20_000])
async def test_whoever_asks_nothing_whole_gets_nothing_and_does_no_harm(request_: bytes) -> None:
    async with listening(Metrics(), Health()) as address:
        with suppress(ConnectionError):  # what was sent too much is thrown away with the connection
            assert await ask(address, request_) == b""
        assert (await get(address, "/health"))[0] == 200


async def test_an_address_in_use_or_of_another_machine_is_one_line_with_the_flag() -> None:
    async with listening(Metrics(), Health()) as taken:
        for address, why in (
            (taken, "is in use; stop what listens there"),
            (Address("192.0.2.1", 80), "192.0.2.1 is no address of this machine"),
            (Address("no.such.host.invalid", 80), "no.such.host.invalid is the name of no machine"),
        ):
            with pytest.raises(ListenError, match=why) as caught:
                await AdminListener(Metrics(), Health()).start(address)
            assert "--admin-address" in str(caught.value)
            assert "\n" not in str(caught.value)


def test_a_port_for_which_a_user_has_no_right_is_told_with_the_remedy() -> None:
    why = explain(Address("127.0.0.1", 443), PermissionError(errno.EACCES, "Permission denied"), "--address")
    assert why == (
        "127.0.0.1:443 needs more rights than this user has, like all ports below 1024; choose another port with "
        "--address, or let a proxy listen there"
    )


@pytest.mark.parametrize(
    ("text", "is_loopback"),
    [("127.0.0.1:80", True), ("[::1]:80", True), ("localhost:0", True), ("0.0.0.0:1", False), ("arena.org:9", False)],
)
def test_addresses_are_read_as_they_are_written(text: str, is_loopback: bool) -> None:
    address = parse_address(text)
    assert str(address) == text
    assert address.is_loopback == is_loopback


@pytest.mark.parametrize("text", ["", "host", "host:", ":80", "host:99999", "::1:80", "a b:1", "http://a:1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        parse_address(text)
