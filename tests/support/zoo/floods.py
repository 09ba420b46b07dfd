"""Bots that make the arena work or remember for them, over the connections that they may open."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable

import grpc

from arena.v1 import play_pb2
from tests.support.raw_stream import (
    CONTINUATION,
    HEADERS,
    PING,
    PREFACE,
    SETTINGS,
    frame,
    header,
)
from tests.support.scripted_bot import FOREVER_S, Wire, act, first, say
from tests.support.zoo.talk import joined_by_hand

FLOOD_S = 20.0
"""How long a flood lasts at most: a host that does not stop it survives it."""
CONNECTIONS = 60


def connect() -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    return link


def connected() -> socket.socket:
    """A connection of HTTP/2, whose other end need not be read."""
    link = connect()
    link.sendall(PREFACE + frame(SETTINGS, 0, 0, b""))
    return link


def keep_trying(flood: Callable[[], None]) -> None:
    """Do it in a process of its own, again and again, whatever is refused."""
    if os.fork():
        return
    until = time.monotonic() + FLOOD_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            flood()
    os._exit(0)


def ask_with_wrong_tokens() -> None:
    """Thousands of calls over one connection, 16 at a time."""
    play: grpc.StreamStreamMultiCallable[bytes, bytes] = grpc.insecure_channel(
        os.environ["ARENA_ADDRESS"]
    ).stream_stream("/arena.v1.PlayService/Play")
    until = time.monotonic() + FLOOD_S
    while time.monotonic() < until:
        for call in [play(iter(()), metadata=(("authorization", "Bearer wrong"),)) for _ in range(16)]:
            with contextlib.suppress(grpc.RpcError):
                next(call)


def _open_and_close() -> None:
    connect().close()


def wrong_tokens(wire: Wire, decide: play_pb2.Decide) -> None:
    """Answers, and asks on over the connection that it has."""
    threading.Thread(target=ask_with_wrong_tokens, daemon=True).start()
    wire.send_bytes(first(decide))


def open_and_close(wire: Wire, decide: play_pb2.Decide) -> None:
    """Answers, and leaves a process behind that tries on."""
    keep_trying(_open_and_close)
    wire.send_bytes(first(decide))


def flood_before_it_joins(flood: Callable[[], None]) -> Callable[[], None]:
    """A start at which it floods, and does not join."""

    def start() -> None:
        flood()
        time.sleep(FOREVER_S)

    return start


# Over connections that it opened in time. A flood is what begins it, and what is said again and again.


Flood = Callable[[int], tuple[bytes, bytes]]
"""Given the number of a stream that is free: what begins the flood, and what is said again and again."""
_FIELD = header("x" * 100, "y" * 120)
_ENDLESS = b"\0\x01x\x7f\x80\x80\x80\x80\x01"
"""A field whose value has 256 MiB."""


def endless_header(stream: int) -> tuple[bytes, bytes]:
    """A field that is announced with 256 MiB, and never ends."""
    return frame(HEADERS, 0, stream, _ENDLESS), frame(CONTINUATION, 0, stream, b"x" * 16_000)


def bomb_of_headers(stream: int) -> tuple[bytes, bytes]:
    """One long value in the dynamic table, asked for again and again by a byte each."""
    entry = b"\x40\x01x\x7f\xbd\x1d" + b"v" * 3900
    return frame(HEADERS, 0, stream, entry), frame(CONTINUATION, 0, stream, b"\xbe" * 16_000)


def much_metadata(stream: int) -> tuple[bytes, bytes]:
    """Megabytes of ordinary fields."""
    return frame(HEADERS, 0, stream, _FIELD * 70), frame(CONTINUATION, 0, stream, _FIELD * 70)


def pings(_stream: int) -> tuple[bytes, bytes]:
    return b"", frame(PING, 0, 0, b"12345678") * 100


def settings(_stream: int) -> tuple[bytes, bytes]:
    return b"", frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535)) * 100


def on_many_connections(flood: Flood) -> Callable[[], None]:
    """Opens them, joins in order over another one, and floods from its first decision on."""

    def start() -> None:
        links = []
        with contextlib.suppress(OSError):
            links = [connected() for _ in range(CONNECTIONS)]
        # While all those wait to be accepted, the kernel refuses one more, and with it the join: it stays nevertheless.
        with contextlib.suppress(grpc.RpcError):
            play_and(lambda: keep_trying(lambda: flood_over(links, flood(1))))
        time.sleep(FOREVER_S)

    return start


def on_its_own_connection(flood: Flood) -> Callable[[], None]:
    """Joins in order, and floods over that connection as soon as it has answered."""

    def start() -> None:
        stream = joined_by_hand()
        for data in stream.messages():
            response = play_pb2.PlayResponse.FromString(data)
            if response.HasField("decide"):
                stream.send(first(response.decide))
                flood_over([stream.link], flood(3))
                return

    return start


def flood_over(links: list[socket.socket], flood: tuple[bytes, bytes]) -> None:
    """Say it on each of them in turn, as far as that does not block."""
    until = time.monotonic() + FLOOD_S
    left = dict.fromkeys(links, flood[0])
    for link in links:
        link.setblocking(False)
    while left and time.monotonic() < until:
        _, ready, _ = select.select([], list(left), [], 1.0)
        for link in ready:
            try:
                left[link] = left[link][link.send(left[link]) :] or flood[1]
                drain(link)
            except OSError:
                del left[link]


def drain(link: socket.socket) -> None:
    """Read what is there, so that the other end can write on."""
    with contextlib.suppress(BlockingIOError):
        while link.recv(65536, socket.MSG_DONTWAIT):
            pass


def play_and(deed: Callable[[], None]) -> None:
    """Play with the first legal actions, and do that at the first decision."""
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join()
    has_done = False
    for response in wire.responses():
        if response.HasField("decide"):
            if not has_done:
                deed()
                has_done = True
            wire.send_bytes(act(response.decide, response.decide.legal_actions[0]))
    say("the stream has ended")


STARTS: dict[str, Callable[[], None]] = {
    "wrong-tokens-before-joining": flood_before_it_joins(ask_with_wrong_tokens),
    "open-and-close-before-joining": flood_before_it_joins(lambda: keep_trying(_open_and_close)),
    "endless-header": on_many_connections(endless_header),
    "bomb-of-headers": on_many_connections(bomb_of_headers),
    "much-metadata": on_many_connections(much_metadata),
    "own-endless-header": on_its_own_connection(endless_header),
    "own-bomb-of-headers": on_its_own_connection(bomb_of_headers),
    "own-much-metadata": on_its_own_connection(much_metadata),
    "own-pings": on_its_own_connection(pings),
    "own-settings": on_its_own_connection(settings),
}
ANSWERS: dict[str, Callable[[Wire, play_pb2.Decide], None]] = {
    "wrong-tokens": wrong_tokens,
    "open-and-close": open_and_close,
}
