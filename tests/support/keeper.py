"""Keeps the zoo: seats for its bots, and what must become of each that plays beside honest ones."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.match.result import Fault, FaultCause
from arena.match.spec import NO_SANDBOX, SeatSpec
from tests.support.specs import link_words

SUPPORT = Path(__file__).parent
PROGRAM = "tests.support.zoo"
FILES = ("__init__.py", "raw_stream.py", "scripted_bot.py", "zoo")


def copy_zoo(directory: Path) -> Path:
    """All that a bot of the zoo needs but the arena's own packages; readable for everybody, as the store is."""
    support = directory / "tests" / "support"
    support.mkdir(parents=True)
    (directory / "tests" / "__init__.py").touch()
    for name in FILES:
        if (SUPPORT / name).is_dir():
            shutil.copytree(SUPPORT / name, support / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(SUPPORT / name, support / name)
    directory.chmod(0o755)
    return directory


def zoo_seat(
    directory: Path,
    behaviour: str = "",
    *,
    at: int = 0,
    level: str = NO_SANDBOX,
    memory_mb: int = 512,
    mark: str = "",
    aims: Mapping[str, str] | None = None,
    by: str = "",
) -> SeatSpec:
    """A seat for a bot of the zoo in `directory`, by one of its links; without a behaviour it is honest."""
    words = ["--do", behaviour, "--at", str(at)] if behaviour else []
    words += [word for name, value in (aims or {}).items() for word in ("--aim", f"{name}={value}")]
    words += ["--mark", mark] if mark else []
    words += [f"--by={by}"] if by else []
    return SeatSpec(
        version=f"{behaviour or 'honest'}-{at}-{level}-{hash(tuple(words))}",
        name=behaviour or "honest",
        directory=str(directory),
        command=(sys.executable, "-m", PROGRAM, *words),
        seed=1,
        memory_mb=memory_mb,
        sandbox=level,
        **link_words(by),
    )


BOT, NOBODY = "bot", "nobody"


@dataclass(frozen=True)
class Case:
    """A bot of the zoo, and what must become of it."""

    behaviour: str
    owner: str
    cause: FaultCause | None = None
    words: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    by: str = ""
    """Its link, if that is not gRPC."""


def bots_fault(behaviour: str, cause: FaultCause, words: str, **evidence: Any) -> Case:
    return Case(behaviour, BOT, cause, words, evidence)


def harmless(behaviour: str) -> Case:
    return Case(behaviour, NOBODY)


F = FaultCause


def over(by: str, *cases: Case) -> tuple[Case, ...]:
    """The same bots with another link."""
    return tuple(replace(case, by=by) for case in cases)


# Those of one table play one match: each does at its own turn what it does, and the last seat is honest.
AT_START = (
    bots_fault("crash-at-import", F.START_FAILED, "ended before it joined (exit status 1)", exit_status=1),
    bots_fault("exit-in-peace", F.START_FAILED, "ended before it joined (exit status 0)", exit_status=0),
    bots_fault("wrong-token", F.START_FAILED, "ended before it joined (exit status 4)", exit_status=4),
    bots_fault("garbage-first", F.MALFORMED, "no PlayRequest as its first message"),
    bots_fault("act-first", F.PROTOCOL, "Join comes first"),
    bots_fault("flood-before-joining", F.RESOURCE, "too much at once", exceeded="output"),
)
TOO_LATE_TO_START = (
    bots_fault("never-join", F.START_FAILED, "It did not join within 2 s."),
    bots_fault("never-connect", F.START_FAILED, "It did not join within 2 s."),
)
WRONG_MESSAGES = (
    bots_fault("join-twice", F.PROTOCOL, "a second Join"),
    bots_fault("wrong-ply", F.PROTOCOL, "It answered ply 2; asked was ply 1."),
    bots_fault("wrong-match", F.PROTOCOL, "another match, 'another'"),
    bots_fault("illegal", F.ILLEGAL_ACTION, "It chose action 3 (ADD:3); legal were"),
    bots_fault("a-million-actions", F.MALFORMED, "bytes; 262144 are allowed"),
    bots_fault("crash", F.DISCONNECTED, "Its stream", signal=11, ended="SIGSEGV"),
)
WRONG_STREAMS = (
    bots_fault("oversized-message", F.DISCONNECTED, "Its stream"),
    bots_fault("half-a-message", F.DISCONNECTED, "Its stream"),
    bots_fault("close-stream", F.DISCONNECTED, "Its stream"),
    bots_fault("second-stream", F.PROTOCOL, "a second stream"),
    bots_fault("garbage", F.MALFORMED, "40 bytes that are no PlayRequest"),
    bots_fault("out-of-range", F.ILLEGAL_ACTION, "2147483647, which does not exist"),
)
TOO_LATE = (
    bots_fault("stop-writing", F.TIMEOUT, "it had 300 ms"),
    bots_fault("stop-reading", F.TIMEOUT, "it had 300 ms"),
    bots_fault("late-by-ten-seconds", F.TIMEOUT, "it had 300 ms"),
)
BY_SOCKET = over(
    "socket",
    bots_fault("join-twice", F.PROTOCOL, "a second Join"),
    bots_fault("garbage", F.MALFORMED, "40 bytes that are no PlayRequest"),
    bots_fault("wrong-length", F.MALFORMED, "a message of 4294967295 bytes; 262144 are allowed"),
    bots_fault("oversized-message", F.MALFORMED, "bytes; 262144 are allowed"),
    bots_fault("leave-the-descriptor-to-a-child", F.DISCONNECTED, "Its process ended, too", exit_status=6),
    harmless("byte-by-byte"),
)
BY_LINES = over(
    "lines",
    bots_fault("join-twice", F.PROTOCOL, "the key 'join' is unknown there"),
    bots_fault("garbage", F.PROTOCOL, "it is not UTF-8"),
    bots_fault("log-on-standard-output", F.PROTOCOL, "'thinking about ply 1 ...'"),
    bots_fault("endless-line", F.MALFORMED, "bytes; 262144 are allowed"),
    bots_fault("leave-the-descriptor-to-a-child", F.DISCONNECTED, "Its process ended, too", exit_status=6),
    harmless("endless-blanks"),
)
AT_START_BY_DESCRIPTORS = (
    *over(
        "socket", bots_fault("exit-in-peace", F.START_FAILED, "ended before it joined (exit status 0)", exit_status=0)
    ),
    *over("socket", bots_fault("garbage-first", F.MALFORMED, "no PlayRequest as its first message")),
    *over("socket", bots_fault("act-first", F.PROTOCOL, "Join comes first")),
    *over(
        "lines",
        bots_fault("crash-at-import", F.START_FAILED, "before it read its first line (exit status 1)", exit_status=1),
    ),
    *over("lines", bots_fault("greet-first", F.PROTOCOL, "it sent a line before it was asked: 'Hello, I am a bot'")),
    harmless("prefer-grpc"),
)
TOO_LATE_BY_DESCRIPTORS = (
    *over("socket", bots_fault("close-stream", F.DISCONNECTED, "Its stream")),
    *over("lines", bots_fault("close-stream", F.DISCONNECTED, "Its stream")),
    *over("socket", bots_fault("half-a-frame", F.TIMEOUT, "it had 300 ms")),
    *over("lines", bots_fault("half-a-frame", F.TIMEOUT, "it had 300 ms")),
)
TOO_LATE_TO_START_BY_DESCRIPTORS = (
    *over("socket", bots_fault("never-join", F.START_FAILED, "It did not join within 2 s.")),
    *over("lines", bots_fault("never-read", F.START_FAILED, "It did not read its first line within 2 s.")),
)
WRONG_BY_DESCRIPTORS = (BY_SOCKET, BY_LINES)
# Calls, connections and unread bytes are counted side by side; which meets a flood first is the machine's affair.
FLOODS_AT_START = (
    bots_fault("wrong-tokens-before-joining", F.FLOOD, ""),
    bots_fault("open-and-close-before-joining", F.FLOOD, ""),
    bots_fault("endless-header", F.FLOOD, ""),
    bots_fault("bomb-of-headers", F.FLOOD, ""),
    bots_fault("much-metadata", F.FLOOD, ""),
)
BOMB = "own-bomb-of-headers"
FLOODS = ("wrong-tokens", "own-endless-header", "own-much-metadata", "own-settings", "own-pings")
UNNOTICED = tuple(map(harmless, ("flood-stderr", "leave-daemons", "open-many-files", "fork-flood-and-stay")))
GREEDY = (
    ("bomb-with-forks", 512, "processes"),
    ("bomb-with-memory", 200, "memory"),
    ("fill-the-disk", 512, "disk"),
    ("flood-output", 512, "output"),
    ("hold-memory-behind-a-dead-thread", 200, "memory"),
    ("hold-files-behind-a-dead-thread", 512, "descriptors"),
    ("share-memory-and-let-it-go", 200, "memory"),
    ("fill-the-kernel-with-mappings", 128, "memory"),
    ("fork-a-chain-of-mappings", 100, "memory"),
    ("fill-the-kernel-with-messages", 48, "memory"),
    ("fill-the-kernel-behind-a-listener", 64, "memory"),
    ("fill-the-kernel-with-datagrams", 64, "memory"),
    ("fill-the-kernel-with-watches", 512, "watches"),
    ("hide-files-on-their-way", 512, "descriptors"),
)
"""What takes too much, the memory that it may have, and of what it takes too much."""
REFUSED_DEEDS = ("lock-a-file-of-the-system", "take-from-the-machine", "hide-and-weigh")


def named(cases: Sequence[Case]) -> tuple[str, ...]:
    """What they do, for the mark of the test that plays them."""
    return tuple(case.behaviour for case in cases)


def check_case(case: Case, faults: Sequence[Fault]) -> None:
    assert [fault.cause for fault in faults] == ([case.cause] if case.cause else []), (case, faults)
    for fault in faults:
        assert case.words in fault.explanation, (case, fault)
        assert case.evidence.items() <= fault.evidence.items(), (case, fault)
        assert case.owner == BOT
