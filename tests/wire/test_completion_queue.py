"""Which road to a bot is taken: by what is asked for, and by the version of grpcio."""

import os
import subprocess
import sys

import grpc
import pytest

from arena.wire import completion_queue
from arena.wire.completion_queue import TRIED, Refusal, grpcio_version, prepare, refusal


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_GRPC", raising=False)
    monkeypatch.delenv("GRPC_EXPERIMENTS", raising=False)


def install(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(completion_queue, "grpcio_version", lambda: version)


def test_the_version_is_told_without_importing_grpc() -> None:
    code = "import sys; from arena.wire.completion_queue import *; prepare(); assert 'grpc' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert grpcio_version() == grpc.__version__


def test_the_locked_version_was_tried() -> None:
    assert refusal() == Refusal()
    assert prepare()
    assert os.environ["GRPC_EXPERIMENTS"] == "-event_engine_listener,-event_engine_client"


def test_another_version_takes_the_other_road_and_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "1.99.3")
    assert refusal() == Refusal("grpcio 1.99.3 was not tried", f"pip install 'grpcio=={TRIED[-1]}.*'")
    assert not prepare()
    assert "GRPC_EXPERIMENTS" not in os.environ


def test_who_asks_for_the_queue_gets_it_with_any_version(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "1.99.3")
    monkeypatch.setenv("ARENA_GRPC", "queue")
    assert prepare()


def test_who_asks_for_aio_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_GRPC", "aio")
    assert refusal() == Refusal("ARENA_GRPC is aio")


def test_another_word_takes_the_safe_road_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_GRPC", "fast")
    assert refusal() == Refusal('ARENA_GRPC is "fast", none of auto, queue and aio', "unset ARENA_GRPC")


def test_another_system_takes_the_other_road(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert refusal() == Refusal("darwin was not tried")


def test_what_somebody_set_for_grpc_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRPC_EXPERIMENTS", "tcp_frame_size_tuning")
    assert prepare()
    assert os.environ["GRPC_EXPERIMENTS"] == "tcp_frame_size_tuning"
