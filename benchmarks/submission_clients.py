"""Clients that hand bots in at a service: well, badly, twice, and cut off in the middle.

    python -m benchmarks.submission_clients < one JSON object

As a program it sends the first half of an archive, says so and waits to be killed.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import grpc

from arena.hosting.archive.format import END, header
from arena.hosting.archive.packing import compress_chunk, pack
from arena.model.bots import Submitted, UploadTicket
from arena.model.errors import ClientError
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.remote_arena import RemoteArena
from arena.rpc.upload import submit
from arena.v1 import bot_pb2
from arena.wire.status import STATUS_DETAILS_KEY, decode_status

PARTS = 6
PAUSE_S = 0.3
WAITS = {"UPLOAD_TOO_MANY", "UPLOAD_OWNER_FULL"}
"""Reasons after which a client does best to wait until others of its owner are done."""


@dataclass(frozen=True, slots=True)
class Client:
    """How an owner reaches the service."""

    address: str
    certificate: str
    name: str
    token: str

    def open(self) -> Endpoint:
        """Where it connects."""
        return Endpoint(self.address, self.certificate, self.name)


@dataclass(frozen=True, slots=True)
class Source:
    """A bot on the disk of its author, and its archive."""

    directory: Path
    content_hash: str
    data: bytes

    @property
    def sha256(self) -> str:
        """The name under which its archive is announced."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(slots=True)
class Result:
    """What came of a submission."""

    submitted: Submitted | None = None
    reason: str = ""
    """Why it was refused."""
    resumed_at: int = 0
    """How much the service had when the client that was accepted asked first."""
    resumed: bool = False
    """Whether that client went on where an upload had stopped."""
    waited: int = 0


def write_source(
    directory: Path, name: str, seed: int, more: str = "", smallest: float = 10, largest: float = 21
) -> Source:
    """A bot with so many bytes, as powers of two, that do not compress.

    It names a game that nobody has, so that its admission is short.
    """
    rng = random.Random(seed)
    directory.mkdir(parents=True)
    manifest = f'schema = 1\nname = "{name}"\ncommand = ["python", "main.py"]\ngames = ["go_fish"]\n{more}'
    (directory / "bot.toml").write_text(manifest, encoding="utf-8")
    (directory / "main.py").write_text(f"# {seed}\n", encoding="utf-8")
    (directory / "weights.bin").write_bytes(rng.randbytes(int(2 ** rng.uniform(smallest, largest))))
    target = io.BytesIO()
    archive = pack(directory, target)
    return Source(directory, archive.content_hash, target.getvalue())


def reason_of(error: BaseException | None) -> str:
    """The reason that the service gave for refusing a call, or the name of the code, or that of the error."""
    cause = error.__cause__ if isinstance(error, ClientError) else error
    if not isinstance(cause, grpc.RpcError):
        return type(error).__name__
    call: grpc.Call = cause  # type: ignore[assignment] # both are the same object
    for key, value in call.trailing_metadata() or ():
        if key == STATUS_DETAILS_KEY and isinstance(value, bytes):
            return decode_status(value).reason
    return str(call.code().name)


def parts(ticket: UploadTicket, data: bytes, most: int | None = None) -> Iterator[bot_pb2.UploadRequest]:
    """What is left of an archive, in some parts, or the first of them."""
    step = min(ticket.chunk_bytes, max(1, len(data) // PARTS))
    for number, offset in enumerate(range(ticket.offset, len(data), step)):
        if number == most:
            return
        chunk = compress_chunk(data[offset : offset + step])
        yield bot_pb2.UploadRequest(upload=ticket.upload, turn=ticket.turn, offset=offset, chunk=chunk)


def hand_in(client: Client, source: Source) -> Result:
    """Submit as the command does."""
    begun: list[int] = []
    with open_line(client.open(), client.token) as line:
        submitted = submit(RemoteArena(line), source.directory, "", lambda sent, _total: begun.append(sent))
    # What was sent falls back to what had arrived when the client begins again.
    fell_back = any(0 < later <= earlier for earlier, later in itertools.pairwise(begun))
    return Result(submitted, resumed_at=begun[0], resumed=begun[0] > 0 or fell_back)


def wait_until_some_arrived(client: Client, ticket: UploadTicket) -> None:
    """Return when the service has stored something of an upload, or does not answer."""
    with suppress(ClientError), open_line(client.open(), client.token) as line:
        for found in RemoteArena(line).operations.watch_operation(f"uploads/{ticket.upload}"):
            if found.done:
                return


def cut_off(client: Client, source: Source, *, closes: bool) -> Result:
    """Send about half of an archive; then the connection is closed, or the stream is broken off."""
    with open_line(client.open(), client.token) as line:
        ticket = RemoteArena(line).submissions.begin_upload(source.sha256, len(source.data))

        def half() -> Iterator[bot_pb2.UploadRequest]:
            yield from parts(ticket, source.data, PARTS // 2)
            wait_until_some_arrived(client, ticket)
            if not closes:
                raise InterruptedError
            threading.Thread(target=line.close).start()
            time.sleep(PAUSE_S)

        with suppress(ClientError, ValueError):  # a closed channel raises ValueError
            line.upload(half())
    return Result()


def killed(client: Client, source: Source) -> None:
    """Have a process of its own send about half of an archive, and kill it."""
    said = {**asdict(client), "directory": str(source.directory)}
    words = [sys.executable, "-m", "benchmarks.submission_clients"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(said) + "\n")
        process.stdin.flush()
        process.stdout.readline()
        process.kill()


def _stored(source: Source, **other: object) -> Callable[[Client], Submitted]:
    """A client that announces and sends, one of these otherwise than it should: `data`, `sha256`, `size`, `hash`."""
    data = bytes(other.get("data", source.data))  # type: ignore[call-overload] # bytes, as the callers below show
    sha256 = str(other.get("sha256") or hashlib.sha256(data).hexdigest())

    def send(client: Client) -> Submitted:
        with open_line(client.open(), client.token) as line:
            arena = RemoteArena(line)
            ticket = arena.submissions.begin_upload(sha256, len(data))
            if ticket.offset < len(data):
                line.upload(parts(ticket, data))
            return arena.submissions.submit_version(ticket.upload, str(other.get("hash", source.content_hash)))

    return send


def _overrun(source: Source) -> Callable[[Client], Submitted]:
    """A client that sends more than it announced; what has arrived until then is not its archive, as it finds out."""

    def send(client: Client) -> Submitted:
        short = source.data[:-1]
        with open_line(client.open(), client.token) as line:
            arena = RemoteArena(line)
            ticket = arena.submissions.begin_upload(source.sha256, len(short))
            try:
                line.upload(parts(ticket, source.data))
            except ClientError as error:
                if reason_of(error) != "UPLOAD_OVERRUN":
                    raise
            ticket = arena.submissions.begin_upload(source.sha256, len(short))
            line.upload(parts(ticket, short))
            return arena.submissions.submit_version(ticket.upload, source.content_hash)

    return send


def _bad_part(source: Source) -> Callable[[Client], Submitted]:
    """A client whose first part is no part; it gets it right afterwards."""

    def send(client: Client) -> Submitted:
        with open_line(client.open(), client.token) as line:
            arena = RemoteArena(line)
            ticket = arena.submissions.begin_upload(source.sha256, len(source.data))
            bad = bot_pb2.UploadRequest(upload=ticket.upload, turn=ticket.turn, offset=0, chunk=b"no part")
            try:
                line.upload(iter([bad]))
            except ClientError as error:
                if reason_of(error) != "ARCHIVE_COMPRESSION_DAMAGED":
                    raise
            return submit(arena, source.directory, "", lambda _sent, _total: None)

    return send


def _with_file(path: str, source: Source) -> bytes:
    """The archive of the bot with one file more, of any name."""
    return header(path, 0, executable=False) + source.data


MALFORMED: Mapping[str, tuple[str, Callable[[Source], Callable[[Client], Submitted]]]] = {
    "no archive": ("ARCHIVE_NO_ARCHIVE", lambda one: _stored(one, data=b"PK\3\4" + one.data)),
    "damaged": ("ARCHIVE_DAMAGED", lambda one: _stored(one, data=one.data[:150] + b"~" + one.data[151:])),
    "truncated": ("ARCHIVE_TRUNCATED", lambda one: _stored(one, data=one.data[: -len(END)])),
    "with more behind": ("ARCHIVE_TRAILING_BYTES", lambda one: _stored(one, data=one.data + bytes(512))),
    "path escape": ("ARCHIVE_NAME_LEAVES", lambda one: _stored(one, data=_with_file("../x", one))),
    "absolute path": ("ARCHIVE_NAME_ABSOLUTE", lambda one: _stored(one, data=_with_file("/etc/passwd", one))),
    "hidden file": ("ARCHIVE_NAME_HIDDEN", lambda one: _stored(one, data=_with_file(".bashrc", one))),
    "other bytes than announced": ("UPLOAD_DAMAGED", lambda one: _stored(one, sha256=one.sha256[::-1])),
    "other version than announced": ("ARCHIVE_WRONG_CONTENT", lambda one: _stored(one, hash="0" * 64)),
    "more than announced": ("UPLOAD_DAMAGED", _overrun),
    "a bad part, then right": ("", _bad_part),
}
"""Ways of getting it wrong: the reason for which it must be refused, and the client that does it."""


T = TypeVar("T")


def patiently(work: Callable[[], T], on_wait: Callable[[], None] = lambda: None, most_s: float = 300.0) -> T:
    """Do it, and again a little later as long as others of the same owner are too many. Raises ClientError."""
    end = time.monotonic() + most_s
    while True:
        try:
            return work()
        except ClientError as error:
            if reason_of(error) not in WAITS or time.monotonic() > end:
                raise
            on_wait()
            time.sleep(PAUSE_S)


def result_of(work: Callable[[], Submitted | Result]) -> Result:
    """What came of it, patiently."""
    waits: list[None] = []
    try:
        done = patiently(work, lambda: waits.append(None))
    except ClientError as error:
        return Result(reason=reason_of(error), waited=len(waits))
    return replace(done if isinstance(done, Result) else Result(done), waited=len(waits))


def _send_half() -> None:
    said = json.loads(sys.stdin.readline())
    directory = Path(said.pop("directory"))
    target = io.BytesIO()
    archive = pack(directory, target)
    client = Client(**said)
    with open_line(client.open(), client.token) as line:
        submissions = RemoteArena(line).submissions
        ticket = patiently(lambda: submissions.begin_upload(archive.sha256, archive.size_bytes))

        def half() -> Iterator[bot_pb2.UploadRequest]:
            yield from parts(ticket, target.getvalue(), PARTS // 2)
            wait_until_some_arrived(client, ticket)
            print("half", flush=True)
            time.sleep(600)

        line.upload(half())


if __name__ == "__main__":
    _send_half()
