"""Which road to a bot is taken: by what is asked for, and by the version of grpcio."""

import os
import subprocess
import sys

import grpc
import pytest

from arena.wire import completion_queue_check as completion_queue
from arena.wire.completion_queue_check import NEWEST, OLDEST, QueueRefusal, grpcio_version, prepare, refusal


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_GRPC", raising=False)
    monkeypatch.delenv("GRPC_EXPERIMENTS", raising=False)
    completion_queue._warn_once.cache_clear()


def install(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(completion_queue, "grpcio_version", lambda: version)


def test_the_version_is_told_without_importing_grpc() -> None:
    code = "import sys; from arena.wire.completion_queue_check import *; prepare(); assert 'grpc' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert grpcio_version() == grpc.__version__


def test_the_locked_version_was_tried() -> None:
    assert refusal() == QueueRefusal()
    assert prepare()
    assert os.environ["GRPC_EXPERIMENTS"] == "-event_engine_listener,-event_engine_client"


def test_another_version_takes_the_other_road_and_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "1.99.3")
    assert refusal() == QueueRefusal("grpcio 1.99.3 was not tried", "pip install 'grpcio>=1.76,<1.86'")
    assert not prepare()
    assert "GRPC_EXPERIMENTS" not in os.environ


@pytest.mark.parametrize("version", ["1.75.9", "1.86.0", "2.80.0", "0.80.1", "1.80", "", "one"])
def test_what_lies_outside_or_is_no_version_was_not_tried(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    install(monkeypatch, version)
    assert refusal().why == f"grpcio {version} was not tried"


@pytest.mark.parametrize("version", ["1.76.0", "1.80.0rc1", "1.85.99"])
def test_what_lies_between_was_tried(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    install(monkeypatch, version)
    assert refusal() == QueueRefusal()


def test_the_remedy_names_what_was_tried_and_the_lock_lies_in_it() -> None:
    locked = tuple(map(int, grpc.__version__.split(".")[:2]))
    assert OLDEST <= locked <= NEWEST
    assert (OLDEST, NEWEST) == ((1, 76), (1, 85)), "change the remedy, too"


def test_who_asks_for_the_queue_gets_it_with_any_version(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "1.99.3")
    monkeypatch.setenv("ARENA_GRPC", "queue")
    assert prepare()


def test_who_asks_for_aio_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_GRPC", "aio")
    assert refusal() == QueueRefusal("ARENA_GRPC is aio")


def test_another_word_takes_the_safe_road_and_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_GRPC", "fast")
    why = 'ARENA_GRPC is "fast", none of auto, queue and aio'
    assert refusal() == QueueRefusal(why, "unset ARENA_GRPC", is_mistake=True)
    assert not prepare()
    assert not prepare()
    assert capsys.readouterr().err == f"{why}; unset ARENA_GRPC\n"


def test_a_road_that_was_not_asked_for_by_mistake_is_nothing_to_tell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_GRPC", "aio")
    assert not prepare()
    assert capsys.readouterr().err == ""


def test_another_system_takes_the_other_road(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert refusal() == QueueRefusal("darwin was not tried")


def test_what_somebody_set_for_grpc_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRPC_EXPERIMENTS", "tcp_frame_size_tuning")
    assert prepare()
    assert os.environ["GRPC_EXPERIMENTS"] == "tcp_frame_size_tuning"
