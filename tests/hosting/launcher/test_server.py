"""The parts of the launcher, each by itself: turns, starts, requests, the log of a match, messages through a pipe."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import pwd
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosting.cgroups.hierarchy import GroupLimits
from arena.hosting.framed_pipe import MAX_FRAME_BYTES, FrameError, encode_frame, read_frame
from arena.hosting.launcher import guardian, launched_bot, server
from arena.hosting.launcher.launched_bot import HEAD_BYTES, TAIL_BYTES, SpanLog
from arena.hosting.launcher.messages import STDIN, STDOUT, Confinement, Log, StartRequest, WatchedLimits
from arena.hosting.launcher.own_ids import OwnIdsError, find_range
from arena.hosting.launcher.server import LauncherServer
from arena.hosting.launcher.spawn import spawn
from engine.translatable import split
from tests.support.texts import CHARACTERS

GROUP_LIMITS = GroupLimits(64 << 20, 10)
LIMITS = WatchedLimits(memory_bytes=1, processes=2, disk_bytes=3, files=4, output_bytes=5, descriptors=6)
WRAPPED = Confinement({"RLIMIT_CORE": 0}, "AAAA", ["bwrap", "{uid}"], own_uid=True)
REDUCED = Confinement({"RLIMIT_CORE": 0}, "AAAA", [], landlock={"read": ["/usr"], "list": [], "write": []})
# Pieces around the borders of head and tail, and everything between.
SIZES = st.integers(0, 40) | st.integers(HEAD_BYTES - 5, HEAD_BYTES + 5) | st.integers(TAIL_BYTES - 5, 3 * TAIL_BYTES)
PIECES = st.lists(SIZES, max_size=6)


class Bot:
    """A bot that a look finds over a limit."""

    def __init__(self, pid: int = 4711, **changes: Any) -> None:
        self.pid = self.key = pid
        self.limits: object | None = object()
        self.has_exited = False
        self.exceeded: dict[str, Any] | None = None
        self.looks = 0
        self.__dict__.update(changes)

    def find_group_excess(self) -> dict[str, Any] | None:
        self.looks += 1
        return {"what": "memory", "used": 2, "limit": 1}


class Launcher:
    """A launcher with such bots, by the clock of the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *bots: Bot) -> None:
        self.now = 1000.0
        self.sent: list[dict[str, Any]] = []
        monkeypatch.setattr("time.monotonic", lambda: self.now)
        monkeypatch.setattr("time.process_time", lambda: 5.0)
        monkeypatch.setattr(server, "find_orphans", lambda bots, _launcher: {bot.pid: [] for bot in bots})
        monkeypatch.setattr(
            server, "signal_bot", lambda bot, number: self.sent.append({"pid": bot.pid, "n": int(number)})
        )
        self.server = LauncherServer(cast("Any", None), cast("Any", None), cast("Any", None))
        self.server._bots = cast("Any", {bot.key: bot for bot in bots})
        monkeypatch.setattr(self.server, "_send", self.sent.append)


def test_who_exceeds_a_limit_is_told_and_killed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = Bot()
    launcher = Launcher(monkeypatch, bot)
    launcher.server._watch()
    launcher.now += 10
    launcher.server._watch()
    assert bot.looks == 1
    event, signalled = launcher.sent
    assert (event["event"], event["id"], event["what"]) == ("exceeded", 4711, "memory")
    assert signalled == {"pid": 4711, "n": 9}


def test_only_living_bots_with_limits_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    bots = Bot(1, limits=None), Bot(2, has_exited=True), Bot(3, exceeded={"what": "disk"})
    Launcher(monkeypatch, *bots).server._watch()
    assert [bot.looks for bot in bots] == [0, 0, 0]


def test_looks_are_a_fifth_of_a_second_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = Bot()
    bot.find_group_excess = lambda: None  # type: ignore[method-assign]
    found: list[float] = []
    launcher = Launcher(monkeypatch, bot)
    monkeypatch.setattr(server, "look", lambda *_: found.append(launcher.now))
    for now in (1000.0, 1000.125, 1000.25, 1000.375, 1000.5):
        launcher.now = now
        launcher.server._watch()
    assert found == [1000.0, 1000.25, 1000.5]


@pytest.mark.parametrize(("found", "looks"), [([False] * 3, 3), ([True, False, False, True, False, False, False], 7)])
def test_the_guardian_ends_when_it_has_found_nobody_three_times_in_a_row(
    monkeypatch: pytest.MonkeyPatch, found: list[bool], looks: int
) -> None:
    left = list(found)
    monkeypatch.setattr(guardian, "has_proc", lambda: True)
    monkeypatch.setattr(guardian, "LOOK_S", 0)
    monkeypatch.setattr(guardian, "_kill_members", lambda *_: left.pop(0))
    guardian._end_all({4711: b"token"})
    assert len(found) - len(left) == looks


def test_the_guardian_looks_for_nobody_if_no_bot_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guardian, "has_proc", lambda: True)
    monkeypatch.setattr(guardian, "_kill_members", lambda *_: pytest.fail("it looked"))
    guardian._end_all({})


class Group:
    """A group that notes who enters it, also in another process."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.done: list[str] = []

    def make(self, _key: int, limits: GroupLimits) -> Group:
        assert limits == GROUP_LIMITS
        return self

    def enter(self) -> None:
        self._file.write_text(f"{os.getpid()}", encoding="ascii")

    def close_entrances(self) -> None:
        self.done.append("closed")

    def remove(self) -> None:
        self.done.append("removed")


ROOMY = WatchedLimits(memory_bytes=1 << 40, processes=9, disk_bytes=1 << 40, files=9, output_bytes=9)
SUICIDE, FAILURE = ("/bin/sh", "-c", "kill -9 $$"), ("/bin/sh", "-c", "exit 3")


def tell_of_its_end(
    monkeypatch: pytest.MonkeyPatch,
    argv: Sequence[str],
    kills: Sequence[int],
    limits: WatchedLimits = ROOMY,
    group_kills: Sequence[int] = (),
) -> list[dict[str, Any]]:
    """The events at the end of a bot, where the kernel tells of so many kills: at its start, its mark, and its end."""
    monkeypatch.setattr(launched_bot, "count_oom_kills", mock.Mock(side_effect=kills))
    bot = spawn(1, StartRequest(argv, "/", {}, limits=limits), os.getpid(), cast("Any", None))
    if group_kills:
        counting = mock.Mock(side_effect=group_kills)
        bot.group = cast(
            "Any", SimpleNamespace(find_excess=lambda: None, remove=lambda: None, count_oom_kills=counting)
        )
    bot.mark()
    os.waitid(os.P_PID, bot.pid, os.WEXITED | os.WNOWAIT)
    launcher = LauncherServer(mock.Mock(), cast("Any", None), cast("Any", None))
    launcher._bots = {1: bot}
    for pipe in bot.open_pipes:
        launcher._selector.register(cast("Any", pipe), 1)
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(launcher, "_send", sent.append)
    launcher._finish(bot)
    return sent


@pytest.mark.host_fault("host-out-of-memory")
@pytest.mark.parametrize(
    ("argv", "kills", "is_host"),
    [
        (SUICIDE, (5, 5, 6), True),
        (SUICIDE, (5, 5, 5), False),
        (SUICIDE, (5, 6, 6), False),
        (FAILURE, (5, 5, 6), False),
    ],
    ids=["killed", "no-kill", "kill-before-its-match", "not-killed"],
)
def test_a_bot_was_killed_by_the_host_if_the_kernel_killed_for_want_of_memory_meanwhile(
    monkeypatch: pytest.MonkeyPatch, argv: Sequence[str], kills: Sequence[int], is_host: bool
) -> None:
    (event,) = tell_of_its_end(monkeypatch, argv, kills)
    assert (event["event"], event["killed_by_host"]) == ("exited", is_host)


@pytest.mark.hostile("bomb-with-memory")
def test_who_used_more_memory_than_it_may_was_not_killed_by_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    exceeded, exited = tell_of_its_end(monkeypatch, SUICIDE, (5, 5, 6), LIMITS)
    assert (exceeded["event"], exceeded["what"], exceeded["limit"]) == ("exceeded", "memory", LIMITS.memory_bytes)
    assert exceeded["used"] > LIMITS.memory_bytes
    assert not exited["killed_by_host"]


@pytest.mark.host_fault("host-out-of-memory")
@pytest.mark.parametrize(("argv", "group_kills", "is_host"), [(SUICIDE, (0, 0), False), (FAILURE, (0, 1), True)])
def test_of_a_bot_with_a_group_only_kills_in_the_group_count(
    monkeypatch: pytest.MonkeyPatch, argv: Sequence[str], group_kills: Sequence[int], is_host: bool
) -> None:
    (event,) = tell_of_its_end(monkeypatch, argv, (5,), group_kills=group_kills)
    assert event["killed_by_host"] == is_host


def request(scratch: Path, *argv: str) -> StartRequest:
    return StartRequest(argv, "/", {}, str(scratch), confinement=Confinement({}, "", group=GROUP_LIMITS))


def test_a_process_enters_its_group_before_its_program_runs(tmp_path: Path) -> None:
    group = Group(tmp_path / "entered")
    bot = spawn(
        1, request(tmp_path / "scratch" / "1", "/bin/cat", str(tmp_path / "entered")), os.getpid(), cast("Any", group)
    )
    said = bot.process.communicate()[0]
    assert int(said) == bot.pid
    assert group.done == ["closed"]
    assert (tmp_path / "scratch" / "1").is_dir()


def test_a_process_that_cannot_be_started_leaves_no_group_and_no_directory(tmp_path: Path) -> None:
    group = Group(tmp_path / "entered")
    with pytest.raises(FileNotFoundError):
        spawn(1, request(tmp_path / "scratch" / "1", "/no/such/program"), os.getpid(), cast("Any", group))
    assert group.done == ["removed"]
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("confinement", [None, WRAPPED, REDUCED])
@pytest.mark.parametrize("limits", [None, LIMITS])
def test_a_request_crosses_the_pipe_unchanged(limits: WatchedLimits | None, confinement: Confinement | None) -> None:
    where = ("/bots/x", {"A": "b"}, "/tmp/x")
    request = StartRequest(["python", "main.py"], *where, limits, confinement, "x", "/y", (STDIN, STDOUT))
    assert StartRequest.from_json(json.loads(json.dumps(request.to_json()))) == request


def test_a_program_is_named_as_it_is_started_unless_told_otherwise() -> None:
    assert StartRequest(["/bot/main"], "/bots/x", {}).named_program == "/bot/main"
    assert StartRequest(["/bot/main"], "/bots/x", {}, program="/bots/x/main").named_program == "/bots/x/main"


def written(sizes: list[int]) -> bytes:
    """Bytes of which every stretch of a few tells where it stands."""
    return b"".join(b"%07d " % index for index in range(sum(sizes) // 8 + 1))[: sum(sizes)]


def log_of(sizes: list[int], data: bytes) -> SpanLog:
    log = SpanLog()
    places = [sum(sizes[:index]) for index in range(len(sizes) + 1)]
    for start, end in pairwise(places):
        log.add(data[start:end])
    return log


@settings(max_examples=40)
@given(PIECES)
def test_beginning_and_end_are_kept_and_what_is_missing_is_counted(sizes: list[int]) -> None:
    data = written(sizes)
    head, tail, cut = log_of(sizes, data).since(0)
    assert len(head) + cut + len(tail) == len(data)
    assert data.startswith(head)
    assert data.endswith(tail)
    assert cut == max(len(data) - HEAD_BYTES - TAIL_BYTES, 0)


@settings(max_examples=40)
@given(PIECES, st.integers(0, 5 * TAIL_BYTES))
def test_a_part_of_it_is_the_same_whether_the_launcher_cuts_it_or_its_client(sizes: list[int], start: int) -> None:
    data = written(sizes)
    span = log_of(sizes, data)
    head, tail, cut = span.since(start)
    assert Log(*whole(span)).after(start) == Log(head, tail, cut)
    assert len(head) + cut + len(tail) == max(len(data) - start, 0)
    assert data[start:].startswith(head)
    assert data[start:].endswith(tail)


def whole(span: SpanLog) -> tuple[bytes, bytes, int]:
    return span.since(0)


@settings(max_examples=40)
@given(PIECES, PIECES)
def test_after_a_mark_nothing_older_is_left(before: list[int], after: list[int]) -> None:
    log = log_of(before, written(before))
    log.clear()
    for size in after:
        log.add(b"x" * size)
    assert log.since(0) == log_of(after, b"x" * sum(after)).since(0)


def test_a_log_survives_its_way_through_the_pipe() -> None:
    event = {"data": base64.b64encode(b"\xff\x00headtail").decode(), "head": 6, "cut": 7, "peak": 9, "stdout": 4}
    assert Log.from_event(event) == Log(b"\xff\x00head", b"tail", 7, 9, 4)
    assert Log.from_event(event).total_bytes == 17


HEADS = st.dictionaries(
    st.text(CHARACTERS, max_size=8), st.none() | st.integers(0, 2**53) | st.text(CHARACTERS, max_size=8), max_size=4
)


def read_all(data: bytes) -> list[tuple[dict[str, object], bytes]]:
    async def read() -> list[tuple[dict[str, object], bytes]]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        frames = []
        while (frame := await read_frame(reader)) is not None:
            frames.append(frame)
        return frames

    return asyncio.run(read())


@given(st.lists(st.tuples(HEADS, st.binary(max_size=50)), max_size=3))
def test_messages_are_read_as_they_were_written(frames: list[tuple[dict[str, object], bytes]]) -> None:
    assert read_all(b"".join(encode_frame(head, blob) for head, blob in frames)) == frames


def test_a_message_that_is_cut_off_is_the_end() -> None:
    frame = encode_frame({"event": "ready"}, b"blob")
    assert all(read_all(frame[:size]) == [] for size in range(len(frame)))


@pytest.mark.parametrize(
    "data", [b"Warning: something\n", (MAX_FRAME_BYTES + 1).to_bytes(4, "big") + bytes(4), b"\0\0\0\2\0\0\0\0{]"]
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        read_all(data)


NAME = pwd.getpwuid(os.geteuid()).pw_name


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        (f"other:1:9000\n{NAME}:100000:65536\n", range(100_000, 165_536)),
        (f"{os.geteuid()}:200000:5000\n", range(200_000, 205_000)),
        (f"{NAME}:1:2\n{NAME}:300000:128\n", range(300_000, 300_128)),
    ],
)
def test_ids_of_its_own_come_from_the_first_range_of_this_user_that_is_large_enough(
    tmp_path: Path, lines: str, ids: range
) -> None:
    file = tmp_path / "subuid"
    file.write_text(lines, encoding="utf-8")
    assert find_range(str(file)) == ids


@pytest.mark.parametrize(
    "lines", ["", "other:100000:65536", f"{NAME}:x:y", f"{NAME}:1", f"{NAME}:-5:9000", f"{NAME}:1:2"]
)
def test_who_has_no_range_of_ids_is_told_how_to_get_one(tmp_path: Path, lines: str) -> None:
    file = tmp_path / "subuid"
    file.write_text(lines, encoding="utf-8")
    with pytest.raises(OwnIdsError) as told:
        find_range(str(file))
    what, remedy = split(str(told.value))
    assert what == f"{file} gives no 128 ids to the user {NAME}"
    assert remedy == f"run as root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {NAME}"


def test_without_such_a_file_there_is_no_range(tmp_path: Path) -> None:
    with pytest.raises(OwnIdsError):
        find_range(str(tmp_path / "subuid"))
