"""A bot that speaks the wire directly and misbehaves on demand.

    python scripted_bot.py [--do BEHAVIOUR] [--at N] [--by grpc|socket|lines]

It takes the first legal action, and does BEHAVIOUR instead at its N-th decision (from 0). A behaviour is a function
below, its name with dashes; those of `STARTS` happen before or instead of joining. Its messages travel by gRPC, by the
socket of ARENA_STREAM_FD, or as lines on its standard streams.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
from google.protobuf.json_format import ParseDict
from google.protobuf.message import DecodeError

from arena.v1 import play_pb2

FOREVER_S = 3600.0


def say(*words: object) -> None:
    sys.stderr.write(" ".join(str(word) for word in words) + "\n")
    sys.stderr.flush()


class GrpcLink:
    """Bytes out through a queue, messages in as an iterator."""

    def __init__(self, token: str) -> None:
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._channel = grpc.insecure_channel(os.environ["ARENA_ADDRESS"])
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream("/arena.v1.PlayService/Play")
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._play = play
        self._call = play(iter(self._out.get, None), metadata=metadata)

    def send(self, data: bytes) -> None:
        self._out.put(data)

    def __iter__(self) -> Iterator[play_pb2.PlayResponse]:
        return (play_pb2.PlayResponse.FromString(data) for data in self._call)

    def close(self) -> None:
        self._call.cancel()

    def call_again(self, **metadata: str) -> None:
        with contextlib.suppress(grpc.RpcError):
            list(self._play(iter(()), metadata=tuple(metadata.items())))


class SocketLink:
    """Each message with its length in front, over the socket that it was started with."""

    def __init__(self, _token: str) -> None:
        self.socket = socket.socket(fileno=int(os.environ["ARENA_STREAM_FD"]))

    def send(self, data: bytes) -> None:
        self.write(len(data).to_bytes(4, "little") + data)

    def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # the arena reads no more
            self.socket.sendall(data)

    def __iter__(self) -> Iterator[play_pb2.PlayResponse]:
        while len(head := self._read(4)) == 4:
            yield play_pb2.PlayResponse.FromString(self._read(int.from_bytes(head, "little")))

    def _read(self, size: int) -> bytes:
        try:
            return self.socket.recv(size, socket.MSG_WAITALL)
        except ConnectionError:
            return b""

    def close(self) -> None:
        self.socket.close()


class LineLink:
    """A line of JSON for each message, on the standard streams."""

    def __init__(self, _token: str) -> None:
        self._in = os.fdopen(os.dup(0), "rb")

    def send(self, data: bytes) -> None:
        self.write(line_of(data) + b"\n")

    def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(1, data) :]

    def __iter__(self) -> Iterator[play_pb2.PlayResponse]:
        for line in self._in:
            message = json.loads(line)
            message.get("decide", {}).pop("observation", None)
            yield ParseDict(message, play_pb2.PlayResponse(), ignore_unknown_fields=True)

    def close(self) -> None:
        os.close(1)


def line_of(data: bytes) -> bytes:
    """Return a message as a line: what is no message goes as it is, and there is nothing to join with."""
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return data
    act, kind = request.act, request.WhichOneof("message")
    content: dict[str, Any] = {}
    if kind == "act":
        content = {"match_id": act.match_id, "ply": act.ply, "actions": list(act.actions), "note": act.note}
    elif kind == "resign":
        content = {"match_id": request.resign.match_id}
    return json.dumps({kind: content}).encode() if kind else b""


LINKS: Mapping[str, Callable[[str], GrpcLink | SocketLink | LineLink]] = {
    "grpc": GrpcLink,
    "socket": SocketLink,
    "lines": LineLink,
}


class Wire:
    """The stream of the bot, by the link that its command names."""

    def __init__(self, token: str, by: str = "") -> None:
        named = [word.removeprefix("--by=") for word in sys.argv if word.startswith("--by=")]
        self.by = by or (named or ["grpc"])[0]
        self.link = LINKS[self.by](token)
        self.send_bytes = self.link.send
        self._has_joined = False

    def send(self, request: play_pb2.PlayRequest) -> None:
        self.send_bytes(request.SerializeToString())

    def join(self, *, major: int = 1, games: tuple[str, ...] = ("*",)) -> None:
        if self.by != "lines" or self._has_joined:
            join = play_pb2.Join(name="scripted", protocol_major=major, games=games)
            self.send(play_pb2.PlayRequest(join=join))
        self._has_joined = True

    def responses(self) -> Iterator[play_pb2.PlayResponse]:
        return iter(self.link)

    def close(self) -> None:
        self.link.close()

    def call_again(self, **metadata: str) -> None:
        """Make another call over the same connection, which is refused for want of a token."""
        assert isinstance(self.link, GrpcLink)
        self.link.call_again(**metadata)

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        assert not isinstance(self.link, GrpcLink)
        self.link.write(data)


def act(decide: play_pb2.Decide, *actions: int, match_id: str = "", ply: int | None = None, note: str = "") -> bytes:
    asked = decide.ply if ply is None else ply
    message = play_pb2.Act(match_id=match_id or decide.match_id, ply=asked, actions=actions, note=note)
    return play_pb2.PlayRequest(act=message).SerializeToString()


def first(decide: play_pb2.Decide) -> bytes:
    return act(decide, decide.legal_actions[0])


# Instead of an answer.


def garbage(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(b"\xff" * 40)


def empty_request(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(b"")


def no_actions(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide))


def too_many_actions(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, *([decide.legal_actions[0]] * 65)))


def a_hundred_thousand_actions(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, *([1] * 100_000)))


def long_note(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, decide.legal_actions[0], note="x" * 1001))


def illegal(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, max(decide.legal_actions) + 1))


def out_of_range(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, 2**31 - 1))


def negative(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, -1))


def wrong_ply(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, decide.legal_actions[0], ply=decide.ply + 1))


def wrong_match(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, decide.legal_actions[0], match_id="another"))


def two_answers(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(first(decide))
    wire.send_bytes(first(decide))


def many_answers(wire: Wire, decide: play_pb2.Decide) -> None:
    for _ in range(2000):
        wire.send_bytes(first(decide))


def join_twice(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.join()


def second_stream(wire: Wire, decide: play_pb2.Decide) -> None:
    other = Wire(os.environ["ARENA_TOKEN"], "grpc")
    other.join()
    try:
        list(other.responses())
    except grpc.RpcError as error:
        say("second stream:", error.code().name, error.details())


def silent(wire: Wire, decide: play_pb2.Decide) -> None:
    pass


def late(wire: Wire, decide: play_pb2.Decide) -> None:
    time.sleep((decide.time_limit_us / 1_000_000) + 0.5)
    wire.send_bytes(first(decide))


def resign(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=decide.match_id)))


def leave(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send(play_pb2.PlayRequest(leave=play_pb2.Leave()))


def close_stream(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.close()
    time.sleep(FOREVER_S)


def crash(wire: Wire, decide: play_pb2.Decide) -> None:
    say("about to crash")
    os.kill(os.getpid(), signal.SIGSEGV)


def leave_with_status_7(wire: Wire, decide: play_pb2.Decide) -> None:
    say("Traceback: no good")
    os._exit(7)


def huge_message(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, decide.legal_actions[0], note="x" * 300_000))


# Over descriptors alone.


def half_a_frame(wire: Wire, decide: play_pb2.Decide) -> None:
    """Half an answer, and silence."""
    data = first(decide)
    wire.write((line_of(data) if wire.by == "lines" else len(data).to_bytes(4, "little") + data)[:-3])


def wrong_length(wire: Wire, decide: play_pb2.Decide) -> None:
    """-1, or a message of 4 GB."""
    wire.write(b"\xff\xff\xff\xff" + first(decide))


def byte_by_byte(wire: Wire, decide: play_pb2.Decide) -> None:
    """An honest answer, in many pieces."""
    data = act(decide, decide.legal_actions[0], note="x" * 900)
    for byte in line_of(data) + b"\n" if wire.by == "lines" else len(data).to_bytes(4, "little") + data:
        wire.write(bytes((byte,)))


def endless_line(wire: Wire, decide: play_pb2.Decide) -> None:
    """Digits, as long as they are taken."""
    for _ in range(2**14):
        wire.write(b"9" * 65_536)


def endless_blanks(wire: Wire, decide: play_pb2.Decide) -> None:
    """4 MB of blanks, and the answer."""
    for _ in range(64):
        wire.write(b" \r\n\t" * 16_384)
    wire.send_bytes(first(decide))


def log_on_standard_output(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.write(b"thinking about ply 1 ...\n")


def leave_the_descriptor_to_a_child(wire: Wire, decide: play_pb2.Decide) -> None:
    """End, while a child in a session of its own holds the other end of the stream."""
    numbers = {0, 1} if wire.by == "lines" else {int(os.environ["ARENA_STREAM_FD"])}
    sleeper = [sys.executable, "-S", "-c", f"import time; time.sleep({FOREVER_S})", "holds the descriptor"]
    streams = None if wire.by == "lines" else subprocess.DEVNULL
    subprocess.Popen(sleeper, start_new_session=True, pass_fds=numbers, stdin=streams, stdout=streams)
    os._exit(6)


# In addition to an answer.


def flood_stderr(wire: Wire, decide: play_pb2.Decide) -> None:
    for _ in range(40):
        sys.stderr.write("noise " * 40_000 + "\n")
        sys.stdout.write("noise " * 40_000 + "\n")
    say("the last line")
    wire.send_bytes(first(decide))


def with_note(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, decide.legal_actions[0], note="because"))


def many_at_once(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, *([decide.legal_actions[0]] * 64)))


def start_apart(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start it in a session of its own, or, where a sandbox refuses that, in a group of its own."""
    try:
        return subprocess.Popen(command, start_new_session=True)
    except PermissionError:
        return subprocess.Popen(command, process_group=0)


def leave_daemons(wire: Wire, decide: play_pb2.Decide) -> None:
    """A child in its group, one in a session of its own, and a daemon that nobody waits for."""
    sleeper = [sys.executable, "-S", "-c", f"import time; time.sleep({FOREVER_S})"]
    subprocess.Popen(sleeper)
    start_apart(sleeper)
    daemon = f"import subprocess; subprocess.Popen({sleeper!r}, process_group=0)"
    start_apart([sys.executable, "-S", "-c", daemon]).wait()
    wire.send_bytes(first(decide))


def ignore_term(wire: Wire, decide: play_pb2.Decide) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    wire.send_bytes(first(decide))
    threading.Thread(target=time.sleep, args=(FOREVER_S,)).start()
    time.sleep(FOREVER_S)


def show_environment(wire: Wire, decide: play_pb2.Decide) -> None:
    names = sorted(name for name in os.environ if not name.startswith("GRPC_") and name != "LC_CTYPE")
    say("environment:", *names, "cwd:", os.getcwd())  # noqa: PTH109
    garbage(wire, decide)


# Before joining, or instead.


def exit_at_once() -> None:
    say("cannot find my brain")
    os._exit(3)


def exit_in_peace() -> None:
    os._exit(0)


def crash_at_once() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def never_connect() -> None:
    time.sleep(FOREVER_S)


def never_join() -> None:
    wire = Wire(os.environ["ARENA_TOKEN"])
    list(wire.responses())


def garbage_first() -> None:
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.send_bytes(b"\xff" * 40)
    list(wire.responses())


def act_first() -> None:
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.send_bytes(act(play_pb2.Decide(match_id="m1", ply=0), 0))
    list(wire.responses())


def greet_first() -> None:
    """A banner on standard output before anything is asked."""
    sys.stdout.write("Hello, I am a bot\n")
    sys.stdout.flush()
    play("", 0)


def prefer_grpc() -> None:
    """Close the socket that it was started with, and join by gRPC."""
    os.close(int(os.environ["ARENA_STREAM_FD"]))
    play("", 0)


def never_read() -> None:
    """Do not even read that it has joined."""
    time.sleep(FOREVER_S)


def other_protocol() -> None:
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join(major=2)
    list(wire.responses())


def other_game() -> None:
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join(games=("checkers",))
    list(wire.responses())


def wrong_token() -> None:
    wire = Wire("wrong")
    wire.join()
    try:
        list(wire.responses())
    except grpc.RpcError as error:
        say("refused:", error.code().name)
        os._exit(4)


def join_and_act() -> None:
    """Joins in order, and answers at once."""
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join()
    wire.send_bytes(act(play_pb2.Decide(match_id="m1", ply=0), 0))
    list(wire.responses())


def unasked_act() -> None:
    """Joins in order, and answers as soon as the match starts, before anybody asks."""
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join()
    for response in wire.responses():
        if response.HasField("match_started"):
            started = response.match_started
            wire.send_bytes(act(play_pb2.Decide(match_id=started.match_id, ply=0), 0))


STARTS: dict[str, Callable[[], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        exit_at_once,
        exit_in_peace,
        crash_at_once,
        never_connect,
        never_join,
        garbage_first,
        act_first,
        greet_first,
        prefer_grpc,
        never_read,
        other_protocol,
        other_game,
        wrong_token,
        join_and_act,
        unasked_act,
    )
}
ANSWERS: dict[str, Callable[[Wire, play_pb2.Decide], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        garbage,
        empty_request,
        no_actions,
        too_many_actions,
        a_hundred_thousand_actions,
        long_note,
        illegal,
        out_of_range,
        negative,
        wrong_ply,
        wrong_match,
        two_answers,
        many_answers,
        join_twice,
        second_stream,
        silent,
        late,
        resign,
        leave,
        close_stream,
        crash,
        leave_with_status_7,
        huge_message,
        half_a_frame,
        wrong_length,
        byte_by_byte,
        endless_line,
        endless_blanks,
        log_on_standard_output,
        leave_the_descriptor_to_a_child,
        flood_stderr,
        with_note,
        many_at_once,
        leave_daemons,
        ignore_term,
        show_environment,
    )
}


def play(behaviour: str, at: int) -> None:
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join()
    decisions = 0
    for response in wire.responses():
        if response.HasField("match_finished"):
            for fault in response.match_finished.faults:
                say("fault:", fault.explanation)
        if response.HasField("decide"):
            decide = response.decide
            if decisions == at and behaviour in ANSWERS:
                ANSWERS[behaviour](wire, decide)
            else:
                wire.send_bytes(first(decide))
            decisions += 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--do", choices=[*STARTS, *ANSWERS], default="")
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--by", choices=LINKS)  # read by the wire itself
    options = parser.parse_args()
    try:
        if options.do in STARTS:
            STARTS[options.do]()
        else:
            play(options.do, options.at)
    except grpc.RpcError as error:
        say("stream ended:", error.code().name, error.details())


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # a synchronous client with an open stream can hang at a normal exit
