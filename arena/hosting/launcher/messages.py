"""What crosses the pipe of the launcher: requests to start a process, and reports about it. Plain values.

A report tells how a process ended, what it wrote, and which limit it exceeded.
"""

from __future__ import annotations

import base64
import signal
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.hosting.cgroups.hierarchy import GroupLimits
from engine.translatable import Text, from_json

STREAM, STDIN, STDOUT = "stream", "stdin", "stdout"
"""What a descriptor is for: one end of a socket pair, told by its number in ARENA_STREAM_FD, or a standard stream."""
STREAM_VARIABLE, STREAM_NUMBER = "ARENA_STREAM_FD", 3
"""The number is the first that a program may be given: whatever language it is in, it has opened nothing before."""
MOST_DESCRIPTORS = 2
KEY_BYTES = 8
"""Descriptors come with the key of their bot, in so many bytes, little-endian."""
_BY_KERNEL = {
    "cpu": Text("It used up the processor time that one process may have."),
    "disk": Text("It made a file larger than its private directories may hold."),
}


@dataclass(frozen=True, slots=True)
class WatchedLimits:
    """What a process and its descendants may use. The launcher checks it every 0.2 s, and kills them beyond it."""

    memory_bytes: int
    processes: int
    """Processes and threads together."""
    disk_bytes: int
    """How much its private directories may hold."""
    files: int
    """How many files these may hold."""
    output_bytes: int
    """How much it may write to stdout and stderr at once."""
    descriptors: int | None = None
    """Open descriptors of all its processes together; None if they are not limited."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """How a process is confined before its program runs."""

    rlimits: Mapping[str, int]
    """Limits for setrlimit(2), by their names in the module `resource`."""
    seccomp: str
    """The filter program, in base64."""
    wrapper: Sequence[str] = ()
    """The command of a sandbox, put in front of `argv`; the launcher fills in `{uid}`, `{seccomp}` and `{status}`."""
    own_uid: bool = False
    """Whether the process gets a user id of its own."""
    landlock: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The only places it may `read`, `list` and `write`; empty if a wrapper hides all others."""
    group: GroupLimits | None = None
    """The limits of its control group; None if it gets none."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Confinement:
        """Return the confinement that `StartRequest.to_json` wrote."""
        return cls(**{**data, "group": data["group"] and GroupLimits(**data["group"])})


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A process to start."""

    argv: Sequence[str]
    directory: str
    """Where its files lie; its working directory if it has no `scratch`."""
    environment: Mapping[str, str]
    scratch: str | None = None
    """A working directory that is created for it and removed after its end."""
    limits: WatchedLimits | None = None
    """None if it is not watched."""
    confinement: Confinement | None = None
    program: str = ""
    """The name of the program in messages; `argv[0]` if empty."""
    writable: str | None = None
    """A directory that it may change and that stays after its end; what is in it counts with its private ones."""
    descriptors: Sequence[str] = ()
    """What it gets the descriptors for that are sent along, in their order: `STREAM`, `STDIN` or `STDOUT`."""

    @property
    def named_program(self) -> str:
        """The name of the program in messages."""
        return self.program or self.argv[0]

    def to_json(self) -> dict[str, Any]:
        """Return the request as JSON data; `from_json` is the inverse."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StartRequest:
        """Return the request that `to_json` wrote."""
        limits, confinement = data["limits"], data["confinement"]
        nested = {
            "descriptors": tuple(data["descriptors"]),
            "limits": limits and WatchedLimits(**limits),
            "confinement": confinement and Confinement.from_json(confinement),
        }
        return cls(**{**data, **nested})


def _exceeded(what: str, used: int, limit: int) -> Text:
    match what:
        case "memory":
            return Text("It used {used} MiB of memory; {limit} MiB are allowed.", used=used, limit=limit)
        case "processes":
            return Text("It had {used} processes and threads; {limit} are allowed.", used=used, limit=limit)
        case "descriptors":
            return Text("It had {used} files and connections open; {limit} are allowed.", used=used, limit=limit)
        case "watches":
            return Text("It watched {used} files by epoll; {limit} are allowed.", used=used, limit=limit)
        case "disk":
            return Text(
                "It wrote {used} MiB into its private directories; {limit} MiB are allowed.", used=used, limit=limit
            )
        case "files":
            return Text("It made {used} files in its private directories; {limit} are allowed.", used=used, limit=limit)
    return Text(
        "It wrote {used} MiB to stdout and stderr, too much at once; {limit} MiB are allowed.", used=used, limit=limit
    )


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended: its status, or the number of the signal that ended it."""

    status: int
    signal: int

    def describe(self) -> str:
        """Return the end in words: `exit status 3`, `SIGKILL`."""
        if not self.signal:
            return Text("exit status {status}", status=self.status)
        try:
            return signal.Signals(self.signal).name
        except ValueError:
            return f"signal {self.signal}"


@dataclass(frozen=True, slots=True)
class OutputMark:
    """A position in the output of a process, in bytes from its start."""

    stdout: int = 0
    stderr: int = 0


BEGINNING = OutputMark()


@dataclass(frozen=True, slots=True)
class Output:
    """The last part of the output of a process, as text."""

    stdout: str
    stderr: str
    dropped: int
    """How many earlier bytes were not kept."""


@dataclass(frozen=True, slots=True)
class Log:
    """What a process wrote to both streams since its last mark, in the order in which it was read, as bytes."""

    head: bytes = b""
    tail: bytes = b""
    cut_bytes: int = 0
    """How many bytes between head and tail were not kept."""
    peak_bytes: int = 0
    """The most memory that was seen in its whole tree since its start; 0 if nobody looked.

    Where nobody could look, it is the most that one of its processes had, and known after its end alone.
    """
    stdout_bytes: int = 0
    """How much of it was written to stdout since the mark, whatever part is asked for."""

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Log:
        """Return the log that an event of the launcher holds."""
        data, head = base64.b64decode(event["data"]), event["head"]
        return cls(data[:head], data[head:], event["cut"], event["peak"], event["stdout"])

    @property
    def total_bytes(self) -> int:
        """How many bytes it stands for, those that were not kept included."""
        return len(self.head) + self.cut_bytes + len(self.tail)

    def after(self, start: int) -> Log:
        """Return the part of it from byte `start` on."""
        behind_head = max(start - len(self.head), 0)
        cut, behind_cut = max(self.cut_bytes - behind_head, 0), max(behind_head - self.cut_bytes, 0)
        return Log(self.head[start:], self.tail[behind_cut:], cut, self.peak_bytes, self.stdout_bytes)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """The limit that a process exceeded, for which it was killed."""

    what: str
    """`memory`, `processes`, `descriptors`, `watches`, `disk`, `output` or `cpu`."""
    sentence: str
    """What happened, in one sentence for people."""
    used: int | None
    """In the unit of `limit`; None if the kernel ended the process, which gives no figure."""
    limit: int | None

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Exceeded:
        """Return the excess that an event of the launcher reports."""
        what, used, limit = event["what"], event["used"], event["limit"]
        if used is None:
            return cls(what, _BY_KERNEL[what], None, None)
        is_counted = what in ("processes", "descriptors", "watches") or event.get("unit") == "files"
        shown = (used, limit) if is_counted else (used >> 20, limit >> 20)
        return cls(what, _exceeded(event.get("unit", what), *shown), used, limit)


@dataclass(frozen=True, slots=True)
class FreezeOutcome:
    """What came of freezing a process, or of thawing it."""

    problem: str = ""
    """Why it failed, in one sentence."""
    is_own: bool = False
    """Whether the process itself prevented it."""
    is_whole: bool = False
    """Whether nothing of it can compute now without having found a way to thaw itself."""

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> FreezeOutcome:
        """Return what an event of the launcher tells."""
        return cls(from_json(event["problem"]), event["is_own"], event["is_whole"])


@dataclass(frozen=True, slots=True)
class Written:
    """The output of a process as last reported: the last bytes of each stream, and how many there were in total."""

    stdout: bytes = b""
    stderr: bytes = b""
    totals: tuple[int, int] = (0, 0)

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Written:
        """Return the output that an event of the launcher holds."""
        stdout, stderr = (event[name].encode("latin-1") for name in ("stdout", "stderr"))
        return cls(stdout, stderr, tuple(event["totals"]))

    @property
    def end(self) -> OutputMark:
        """The position after the last byte."""
        return OutputMark(*self.totals)

    def since(self, mark: OutputMark) -> Output:
        """Return what was written after a mark."""
        stdout, lost_out = _after(self.stdout, self.totals[0], mark.stdout)
        stderr, lost_err = _after(self.stderr, self.totals[1], mark.stderr)
        return Output(stdout, stderr, lost_out + lost_err)


def _after(kept: bytes, total: int, start: int) -> tuple[str, int]:
    """Return the text of what was kept from byte `start` on, and how many bytes of it were not kept."""
    wanted = max(total - start, 0)
    text = kept[-wanted:] if wanted else b""
    return text.decode("utf-8", "replace"), wanted - len(text)
