"""Identifiers: ids and instants, names that may be given, secrets of which only a hash is stored. No I/O.

Ids are UUID version 7 as text (RFC 9562), instants UTC in integer microseconds. Python has `uuid.uuid7` from 3.14 on;
this stands in for it until then.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import threading
import time
from collections.abc import Callable

from engine.translatable import Text, with_parts
from ratings.errors import AccountError
from ratings.values.owners import ARENA, EVERY_BOT, OPERATOR, PEOPLE

_COUNTER_BITS = 42
_COUNTER_LIMIT = 1 << _COUNTER_BITS
_RESERVED = (OPERATOR, ARENA, PEOPLE)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", re.ASCII)
_MOST_LABEL = 80
TOKEN_PREFIX = "kma_"
CODE_PREFIX = "kmi_"
_TOKEN_BYTES = 32
_CODE_BYTES = 16
_NUL, _INSTEAD = "\0", "\N{REPLACEMENT CHARACTER}"


def now_us() -> int:
    """Return the present instant: UTC, in microseconds since 1970."""
    return time.time_ns() // 1000


class IdSource:
    """Makes UUIDv7 text that ascends strictly, also within one millisecond and when the system clock steps back.

    It follows RFC 9562 section 6.2, method 1: a 42-bit counter that starts at random in every millisecond, then 32
    random bits. Threads may share a source.
    """

    def __init__(self, clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._clock_ms = clock_ms
        self._lock = threading.Lock()
        self._last_ms = -1
        self._counter = 0

    def __call__(self) -> str:
        """Return the next id."""
        tail = int.from_bytes(os.urandom(4), "big")
        with self._lock:
            milliseconds, counter = self._advance()
        high, low = counter >> 30, counter & 0x3FFF_FFFF
        value = milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low << 32 | tail
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def _advance(self) -> tuple[int, int]:
        milliseconds = self._clock_ms()
        if milliseconds > self._last_ms:
            self._last_ms = milliseconds
            # The top bit starts as 0, so that every millisecond has room for 2^41 ids or more.
            self._counter = int.from_bytes(os.urandom(6), "big") & (_COUNTER_LIMIT // 2 - 1)
        else:
            self._counter += 1
            if self._counter == _COUNTER_LIMIT:
                self._last_ms, self._counter = self._last_ms + 1, 0
        return self._last_ms, self._counter


new_id = IdSource()
"""The process's own source of ids."""


def check_name(kind: str, text: str) -> str:
    """Return the name if an owner or bot, as `kind` says, can have it. Raises AccountError."""
    if _NAME.fullmatch(text) is None:
        raise AccountError(
            Text(
                "{name} is no name for {what}; use 1 to 40 of a-z, 0-9, - and _, the first a letter or digit",
                name=repr(text),
                what=kind,
            )
        )
    return text


def check_bot_name(text: str) -> str:
    """Return the name if a bot can have it, without that of its owner. Raises AccountError."""
    if text == EVERY_BOT:
        raise AccountError(
            Text("{name} stands for every bot where a tournament is run; choose another name", name=repr(text))
        )
    return check_name(Text("a bot"), text)


def check_version_name(text: str) -> str:
    """Return an author's own word for a version of a remote bot if it can be one. Raises AccountError."""
    if _VERSION.fullmatch(text) is None:
        raise AccountError(
            Text(
                "{name} is no name for a version; use 1 to 64 of a-z, A-Z, 0-9, ., -, + and _, the first a "
                "letter or digit, such as 1.4",
                name=repr(text),
            )
        )
    return text


def check_owner_name(text: str) -> str:
    """Return the name if an owner can have it. Raises AccountError."""
    if text in _RESERVED:
        raise AccountError(
            Text(
                "{name} is what the arena calls itself, its operator or its visitors; choose another name",
                name=repr(text),
            )
        )
    return check_name(Text("an owner"), text)


def check_label(kind: str, text: str) -> str:
    """Return what people call a token, ladder or season, as `kind` says, if it can be shown. Raises AccountError."""
    if not text.strip() or not text.isprintable() or len(text) > _MOST_LABEL:
        raise AccountError(
            Text(
                "{name} is no name for {what}; use 1 to {most} printable characters",
                name=repr(text),
                what=kind,
                most=_MOST_LABEL,
            )
        )
    return text


def new_token_text() -> str:
    """Return a new token, random as a whole."""
    return TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)


def new_code_text() -> str:
    """Return a new invitation code, random as a whole."""
    return CODE_PREFIX + secrets.token_urlsafe(_CODE_BYTES)


def token_digest(text: str) -> str:
    """Return what is stored of a token or code: its SHA-256, in hexadecimal digits.

    It needs no salt, as nobody can guess what is random.
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def storable(text: str) -> str:
    """Return the text without what databases refuse: NUL, and half of a surrogate pair."""
    return with_parts(text, lambda part: part.replace(_NUL, _INSTEAD).encode("utf-8", "replace").decode("utf-8"))
