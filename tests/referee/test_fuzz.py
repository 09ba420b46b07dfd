"""Odd messages at every moment: the server never raises, keeps little, and honest matches beside are not disturbed.

`python -m benchmarks.fuzz` sends many more.
"""

import asyncio
import socket
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest

from arena.match.decisions import Malformed, ProtocolViolation
from arena.wire.messages import parse_join, parse_request
from tests.support.fuzz_messages import draw_message
from tests.support.fuzzing import Complaints, fuzz, listening, open_range
from tests.support.specs import installed_script_game


@pytest.mark.hostile("any-message")
@pytest.mark.parametrize(("seed", "messages"), [(1, 100), pytest.param(2, 1000, marks=pytest.mark.needs("minutes"))])
async def test_no_message_raises_or_disturbs_another_match(tmp_path: Path, seed: int, messages: int) -> None:
    with installed_script_game(), listening() as complaints:
        async with open_range(tmp_path) as target:
            await fuzz(target, seed, messages)
    assert complaints.found == []
    assert target.messages >= messages
    assert target.honest_matches > 0


def test_what_another_loop_has_left_behind_is_no_complaint_of_this_one() -> None:
    """All loops of a process share gRPC's poller, so that this one hears of calls of those that are gone."""
    left: list[Any] = []

    async def leave(port: int) -> None:
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        ask: Any = channel.unary_unary("/nobody/Answers")
        left.extend([channel, ask(b"")])
        await asyncio.sleep(0)

    async def listen() -> list[str]:
        async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
            ask: Any = channel.unary_unary("/nobody/Listens")
            complaints: Complaints
            with listening() as complaints:
                left[1]._cython_call.cancel("")  # its own `cancel` would need its loop
                with pytest.raises(grpc.aio.AioRpcError):  # whatever was told before this answer is heard
                    await ask(b"")
                asyncio.get_running_loop().call_soon(list[int].index, [], 1)
                await asyncio.sleep(0)
        return complaints.found

    with socket.create_server(("127.0.0.1", 0)) as silent:
        earlier = asyncio.new_event_loop()
        earlier.run_until_complete(leave(silent.getsockname()[1]))
        earlier.close()
        (complaint,) = asyncio.run(listen())
    assert "ValueError" in complaint


@pytest.mark.hostile("any-message")
def test_every_message_is_judged_and_none_raises() -> None:
    rng = Random(3)
    verdicts: set[type[object]] = set()
    for _ in range(2_000):
        data = draw_message(rng, "m1", 0)
        verdicts.add(type(parse_request(data)))
        verdicts.add(type(parse_join(data)))
    assert {Malformed, ProtocolViolation} < verdicts
