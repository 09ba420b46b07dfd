"""What the launcher and its guardian do in turn, without processes."""

from typing import Any, cast

import pytest

from arena.hosting.launcher import guardian, server
from arena.hosting.launcher.server import LauncherServer


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
        self.server = LauncherServer(cast("Any", None), cast("Any", None))
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
