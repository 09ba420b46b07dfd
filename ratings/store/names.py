"""Which names owners, bots and versions can have. No I/O."""

from __future__ import annotations

import re

from ratings.errors import AccountError
from ratings.values.names import ARENA, EVERY_BOT, OPERATOR, PEOPLE

_RESERVED = (OPERATOR, ARENA, PEOPLE)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", re.ASCII)
_MOST_LABEL = 80


def check_name(kind: str, text: str) -> str:
    """Return the name if an owner or bot, as `kind` says, can have it. Raises AccountError."""
    if _NAME.fullmatch(text) is None:
        raise AccountError(
            f"{text!r} is no name for {kind}; use 1 to 40 of a-z, 0-9, - and _, the first a letter or digit"
        )
    return text


def check_bot_name(text: str) -> str:
    """Return the name if a bot can have it, without that of its owner. Raises AccountError."""
    if text == EVERY_BOT:
        raise AccountError(f"{text!r} stands for every bot where a tournament is run; choose another name")
    return check_name("a bot", text)


def check_version_name(text: str) -> str:
    """Return an author's own word for a version of a remote bot if it can be one. Raises AccountError."""
    if _VERSION.fullmatch(text) is None:
        raise AccountError(
            f"{text!r} is no name for a version; use 1 to 64 of a-z, A-Z, 0-9, ., -, + and _, the first a letter or "
            "digit, such as 1.4"
        )
    return text


def check_owner_name(text: str) -> str:
    """Return the name if an owner can have it. Raises AccountError."""
    if text in _RESERVED:
        raise AccountError(
            f"{text!r} is what the arena calls itself, its operator or its visitors; choose another name"
        )
    return check_name("an owner", text)


def check_label(kind: str, text: str) -> str:
    """Return what people call a token, ladder or season, as `kind` says, if it can be shown. Raises AccountError."""
    if not text.strip() or not text.isprintable() or len(text) > _MOST_LABEL:
        raise AccountError(f"{text!r} is no name for {kind}; use 1 to {_MOST_LABEL} printable characters")
    return text
