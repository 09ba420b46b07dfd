"""What ends without order ends all the same: a process whose server was not stopped, or whose queue cannot be woken.

gRPC waits for ever where it is left alone with a queue that still awaits something, so each is tried in a process.
"""

import subprocess
import sys

import pytest

from tests.support.patience import PATIENCE_S

_UNSTOPPED = """
import asyncio, os, tempfile
from pathlib import Path
from arena.wire.completion_queue import prepare
assert prepare()
import grpc
from arena.referee.queue.loop import run
from arena.referee.server import PlayServer

def open_call(address, token):
    channel = grpc.insecure_channel(address)
    call = channel.unary_stream("/grpc.health.v1.Health/Watch")(b"", metadata=(("authorization", f"Bearer {token}"),))
    next(call)
    return channel, call

async def main(directory):
    server = PlayServer()
    admission = server.admit()
    address = f"unix:{Path(directory, 'door')}"
    await server.start(address)
    if HAS_CALL:
        calls.append(await asyncio.to_thread(open_call, address, admission.token))
    raise ZeroDivisionError

calls = []
with tempfile.TemporaryDirectory() as directory:
    try:
        run(main(directory))
    except ZeroDivisionError:
        print("ended", flush=True)
os._exit(0)  # at its end, gRPC's own client can wait for a thread that is no more
"""
_SILENT = """
from arena.wire.completion_queue import prepare
assert prepare()
from arena.referee.queue import loop, wakeup
wakeup._PATIENCE_S = 0.1
wakeup.call_once = lambda *_: None
loop.new_loop().close()
print("ended")
"""


def said_by(program: str) -> tuple[str, str]:
    """Return what a program says on stdout and stderr."""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return ended.stdout, ended.stderr


@pytest.mark.parametrize("has_call", [False, True])
def test_a_loop_closes_although_a_server_was_not_stopped(has_call: bool) -> None:
    assert said_by(f"HAS_CALL = {has_call}\n{_UNSTOPPED}")[0] == "ended\n"


def test_where_a_queue_does_not_ring_grpc_aio_is_used_at_once() -> None:
    said, told = said_by(_SILENT)
    assert said == "ended\n"
    assert told.endswith("did not arrive, or did not end); grpc.aio is used instead\n")
