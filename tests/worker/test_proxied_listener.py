"""The listener that a bot proxy serves: for the worker and for the bot it is a listener like any other."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import grpc
import pytest

from arena.hosting import pipes
from arena.hosting.user_directories import runtime_directory
from arena.match.result import FaultCause
from arena.referee.server import MOST_CALLS, JoinError, join
from arena.v1 import play_pb2
from arena.worker.bot_listener import ProxiedListener
from arena.worker.own_limits import OwnLimits
from engine.text import parts_of
from tests.support.patience import PATIENCE_S


@pytest.mark.host_fault("bot-proxy-killed")
async def test_an_error_reaches_the_bot_and_a_bot_proxy_that_was_killed_is_the_hosts_fault(mark: str) -> None:
    lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.set_result)
        async with grpc.aio.insecure_channel(listener.address) as channel:
            play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.PlayService/Play")
            call = play(metadata=(("authorization", f"Bearer {listener.admission.token}"),))
            request = play_pb2.PlayRequest(join=play_pb2.Join(name="old", protocol_major=99, games=("*",)))
            await call.write(request.SerializeToString())
            stream = await listener.admission.stream
            with pytest.raises(JoinError) as refused:
                await join(stream)
            assert refused.value.cause is FaultCause.PROTOCOL
            assert await call.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert "use a kit of major version" in await call.details()
        assert listener.count_messages() == 1
        os.kill(listener._process.pid, signal.SIGKILL)
        assert await lost == "a bot proxy ended (SIGKILL)"
        assert stream.flood is None
        await listener.close()
        assert listener.socket is not None
        assert not listener.socket.exists()


@pytest.mark.host_fault("bot-proxy-stopped")
async def test_a_bot_proxy_that_is_stopped_and_not_dead_is_ended_and_nobody_is_blamed(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr(pipes, "BEAT_S", 0.05)
    monkeypatch.setattr(pipes, "SILENCE_S", PATIENCE_S)
    lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.set_result)
        heard = asyncio.Event()
        with monkeypatch.context() as patch:
            patch.setattr(listener._heartbeat, "note_answer", heard.set)
            await heard.wait()  # it is asked, and answers
        os.kill(listener._process.pid, signal.SIGSTOP)
        monkeypatch.setattr(pipes, "SILENCE_S", 2.0)  # until now it may have been silent for want of a core
        assert await lost == "a bot proxy ended (SIGKILL): it said nothing for 2 s, and was ended"
        assert not listener.admission.stream.done()
        await listener.close()


async def test_a_bot_proxy_that_cannot_start_says_why(tmp_path: Path, mark: str) -> None:
    lost: list[str] = []
    with pytest.raises(RuntimeError, match="a bot proxy ended"):
        await ProxiedListener.open(tmp_path / ("x" * 200), OwnLimits(), lost.append)
    assert lost == []


async def test_why_a_bot_was_disconnected_by_its_bot_proxy_keeps_which_text_it_is(mark: str) -> None:
    lost: list[str] = []
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.append)
        async with grpc.aio.insecure_channel(listener.address) as channel:
            nothing: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/arena.v1.No/No")
            while not listener.admission.stream.done():
                with suppress(grpc.aio.AioRpcError):
                    await nothing(b"")
        with pytest.raises(JoinError) as refused:
            await listener.admission.stream
        await listener.close()
    assert parts_of(str(refused.value)) == {
        "template": "It made more than {most} calls to the arena; a bot needs one for its whole life.",
        "parts": {"most": MOST_CALLS},
    }
    assert lost == []
