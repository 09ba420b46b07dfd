"""Which head of a cluster may be used, and how a coordinator joins one and leaves it again."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.executor.interface import ExecutorFailedError
from arena.executor.ray import head_address as address
from arena.executor.ray import head_probe, session
from arena.executor.ray.head_address import Head, check_address, find_head
from arena.i18n.catalogue import translate
from engine.translatable import parts_of
from tests.support.patience import PATIENCE_S
from tests.support.small_cluster import SmallCluster

PYTHON = ".".join(map(str, sys.version_info[:3]))
SAME = {"address": "a:1", "ray": "2.60.0", "own_ray": "2.60.0", "python": PYTHON}


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Something that listens, and is no head of Ray."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def process(said: bytes, *, returncode: int | None, done: list[str] | None = None) -> SimpleNamespace:
    """One that has said that, and has ended unless its return code is None; it notes what is done with it."""
    noted = [] if done is None else done
    output = asyncio.StreamReader()
    output.feed_data(said)
    if returncode is not None:
        output.feed_eof()

    async def wait() -> None:
        noted.append("waited for")

    return SimpleNamespace(returncode=returncode, stdout=output, kill=lambda: noted.append("killed"), wait=wait)


def answer_with(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], dict[str, str]]) -> None:
    """Have heads answer who knocks, by how that authenticates itself."""

    async def begin(*_: object, env: Mapping[str, str] | None, **__: object) -> SimpleNamespace:
        said = json.dumps(answer((env or os.environ)["RAY_AUTH_MODE"])).encode()
        return process(b"\n\n" + said + b"\n", returncode=0)

    monkeypatch.setenv("RAY_AUTH_MODE", os.environ.get("RAY_AUTH_MODE", "disabled"))
    monkeypatch.setattr(asyncio, "create_subprocess_exec", begin)


@pytest.mark.parametrize("text", ["nonsense", "host:", ":6379", "host:0", "host:65536", "a b:1", "ray://host:1"])
async def test_what_is_no_address_is_told_with_one_that_is(text: str) -> None:
    with pytest.raises(ExecutorFailedError, match="is no address of a head of Ray; write HOST:PORT"):
        check_address(text)
    with pytest.raises(ExecutorFailedError, match="is no address"):
        await find_head(text)


@pytest.mark.parametrize("text", ["", "auto", "127.0.0.1:6379", "head.example:1", "[::1]:6379"])
def test_what_is_an_address_is_taken(text: str) -> None:
    check_address(text)


async def test_a_head_that_is_not_there_is_told_with_how_to_start_one(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    listener.close()
    with pytest.raises(ExecutorFailedError, match=f"no head of Ray answers at 127.0.0.1:{port}; start a head"):
        await find_head(f"127.0.0.1:{port}")


async def test_whoever_else_listens_there_is_told_apart(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    async def begin(*_: object, **__: object) -> SimpleNamespace:
        """Begin to probe where nobody ever answers."""
        return process(b"\n", returncode=None, done=done)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", begin)
    monkeypatch.setattr(address, "PROBE_S", 0.0)
    with pytest.raises(ExecutorFailedError, match="is no head of Ray"):
        await find_head(f"127.0.0.1:{listener.getsockname()[1]}")
    assert done == ["killed", "waited for"]


async def test_an_open_head_that_others_reach_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    with pytest.raises(ExecutorFailedError, match=r"can be reached from other machines.*RAY_AUTH_MODE=token"):
        await find_head("192.0.2.1:6379")


async def test_a_head_at_the_loopback_that_listens_to_others_as_well_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.setattr(address, "_own_addresses", lambda: {"127.0.0.2"})  # as if that were an address of others
    with (
        socket.create_server(("0.0.0.0", 0)) as made,
        pytest.raises(ExecutorFailedError, match="can be reached from other machines"),
    ):
        await find_head(f"127.0.0.1:{made.getsockname()[1]}")


async def test_a_head_that_ignores_our_token_is_refused_as_well(
    cluster: SmallCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "f" * 64)
    monkeypatch.setattr(address, "_own_addresses", lambda: {"127.0.0.1"})  # as if others reached it
    with pytest.raises(ExecutorFailedError, match="can be reached from other machines"):
        await find_head(cluster.address)


async def test_a_head_that_lets_nobody_in_without_a_token_may_be_reached_by_others(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setattr(address, "_own_addresses", lambda: {"127.0.0.1"})
    answer_with(monkeypatch, lambda mode: SAME if mode == "token" else {"problem": "it does not let us in"})
    text = f"127.0.0.1:{listener.getsockname()[1]}"
    assert await find_head(text) == Head(text, is_closed=False)


@pytest.mark.host_fault("another-ray-at-the-head")
@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ({"ray": "2.9.0"}, "runs Ray 2.9.0, and here is Ray 2.60.0; install the same on both"),
        ({"python": "3.8.1"}, "runs Python 3.8.1, and here is Python"),
        ({"problem": "it does not let us in"}, "it does not let us in"),
    ],
)
async def test_a_head_of_another_version_is_told_with_both(
    listener: socket.socket, theirs: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, lambda _: {**SAME, **theirs})
    with pytest.raises(ExecutorFailedError, match=said):
        await find_head(f"127.0.0.1:{listener.getsockname()[1]}")


def test_a_head_that_was_killed_is_told_by_its_address_where_none_was_named(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = f"127.0.0.1:{listener.getsockname()[1]}"
    listener.close()
    services = SimpleNamespace(find_gcs_addresses=lambda: {gone})  # the other processes of the cluster name it
    monkeypatch.setattr(head_probe, "load_ray", lambda: None)
    monkeypatch.setattr(head_probe, "part_of_ray", lambda _: services)
    assert head_probe.ask("auto")["problem"].startswith(f"no head of Ray answers at {gone}; start a head")


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("token", "does not take the token that is used here; copy its ~/.ray/auth_token to the same place here, and"),
        ("disabled", "lets nobody in without its token; set RAY_AUTH_MODE=token, and copy its ~/.ray/auth_token"),
    ],
)
def test_a_head_that_does_not_take_our_token_is_told_in_our_words(
    mode: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class AuthenticationError(Exception):
        """As Ray raises it, with a page of its own words."""

    def refuse(**_: object) -> None:
        raise AuthenticationError("RPC error: InvalidAuthToken: ...")

    monkeypatch.setenv("RAY_AUTH_MODE", mode)
    monkeypatch.setattr(head_probe, "load_ray", lambda: None)
    monkeypatch.setattr(head_probe, "_has_token", lambda: True)
    monkeypatch.setattr(head_probe, "part_of_ray", lambda _: SimpleNamespace(GcsClient=refuse))
    assert f"the head of Ray at 127.0.0.1:6379 {said}" in head_probe.ask("127.0.0.1:6379")["problem"]


async def test_why_no_head_can_be_used_is_told_in_every_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where Ray is not installed."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("HOME", str(tmp_path))  # in which there is no token
    problem = (await address._ask("127.0.0.1:1"))["problem"]
    assert parts_of(problem) is not None
    assert translate(problem, "de") != problem


@pytest.mark.asyncio
async def test_who_is_still_leaving_joins_when_that_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head that is gone makes leaving slow."""
    told: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def shut_down() -> None:
        begun.set()
        go_on.wait(PATIENCE_S)
        told.append("left")

    async def yes(_address: str) -> bool:
        return True

    async def find(address: str) -> Head:
        return Head(address, is_closed=False)

    ray = SimpleNamespace(shutdown=shut_down, init=lambda **_: told.append("joined"))
    monkeypatch.setattr(session, "load_ray", lambda: ray)
    monkeypatch.setattr(session, "LEAVE_S", 0.01)
    monkeypatch.setattr(session, "find_head", find)
    monkeypatch.setattr(session, "_is_joined", yes)
    monkeypatch.setattr(session, "_keep_quiet", lambda: None)
    await session.leave()
    assert begun.wait(PATIENCE_S)
    joining = asyncio.create_task(session.join("a:1"))
    await asyncio.sleep(0.3)
    assert told == []
    go_on.set()
    await joining
    assert told == ["left", "joined"]
