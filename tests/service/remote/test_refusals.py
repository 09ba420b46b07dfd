"""Whoever tries to join again and again does not fill the log."""

from __future__ import annotations

from typing import Any, cast

import pytest

from arena.match.messages import JoinRequest
from arena.service.remote import process_supervisor
from arena.service.remote.join_policy import JoinRefusal
from arena.service.remote.process_supervisor import WINDOW_S, RefusalLog


class Lines:
    """A logger that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def info(self, event: str, **facts: Any) -> None:
        self.lines.append({"event": event, **facts})


class Book:
    """A log of refusals whose clock a test puts on."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.out = Lines()
        self.log = RefusalLog(cast(Any, self.out), lambda: self.now_s)

    def refuse(self, reason: str, token: str = "t", address: str = "ipv4:10.0.0.1:5", name: str = "fox") -> None:
        self.log.note(JoinRequest(token, address, name, "1", ("*",)), JoinRefusal("NOT_FOUND", reason, f"why {reason}"))


def test_the_first_is_written_at_once_and_the_others_are_counted_when_the_minute_is_over() -> None:
    book = Book()
    for _ in range(100):
        book.refuse("BOT_NAME")
    assert book.out.lines == [{"event": "remote bot refused", "bot": "fox", "why": "why BOT_NAME"}]
    book.now_s = WINDOW_S
    book.log.end_window_if_over()
    again = {"event": "remote bot refused again", "bot": "fox", "reason": "BOT_NAME", "times": 99}
    assert book.out.lines[1:] == [again]
    book.refuse("BOT_NAME")
    assert len(book.out.lines) == 3


def test_each_owner_and_each_reason_has_a_line() -> None:
    book = Book()
    for _ in range(3):
        book.refuse("BOT_NAME")
        book.refuse("BOT_NAME", token="another")
        book.refuse("NO_GAME")
    assert len(book.out.lines) == 3


def test_a_stranger_with_a_new_token_each_time_has_one() -> None:
    book = Book()
    for number in range(100):
        book.refuse("TOKEN_UNKNOWN", token=f"guess {number}", address=f"ipv4:10.0.0.1:{number}", name=f"b{number}")
    assert len(book.out.lines) == 1


@pytest.mark.hostile("remote-refused-from-everywhere")
def test_strangers_from_everywhere_have_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_supervisor, "MOST_KINDS", 5)
    book = Book()
    for number in range(100):
        book.refuse("TOKEN_UNKNOWN", address=f"ipv4:10.0.0.{number}:1")
    book.now_s = WINDOW_S
    book.log.end_window_if_over()
    assert len(book.out.lines) == 6
    assert book.out.lines[-1] == {
        "event": "remote bot refused again",
        "bot": "many",
        "reason": "TOKEN_UNKNOWN",
        "times": 95,
    }
