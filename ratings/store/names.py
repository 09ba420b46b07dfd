"""Which names owners, bots and versions can have. No I/O."""

from __future__ import annotations

import re

from engine.text import Text
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
            Text(
                "ratings.no_name_use_1_40",
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
            Text(
                "ratings.stands_every_bot_where_tournament",
                "{name} stands for every bot where a tournament is run; choose another name",
                name=repr(text),
            )
        )
    return check_name(Text("ratings.a_bot", "a bot"), text)


def check_version_name(text: str) -> str:
    """Return an author's own word for a version of a remote bot if it can be one. Raises AccountError."""
    if _VERSION.fullmatch(text) is None:
        raise AccountError(
            Text(
                "ratings.no_name_version_use_1",
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
                "ratings.what_arena_calls_itself_operator",
                "{name} is what the arena calls itself, its operator or its visitors; choose another name",
                name=repr(text),
            )
        )
    return check_name(Text("ratings.an_owner", "an owner"), text)


def check_label(kind: str, text: str) -> str:
    """Return what people call a token, ladder or season, as `kind` says, if it can be shown. Raises AccountError."""
    if not text.strip() or not text.isprintable() or len(text) > _MOST_LABEL:
        raise AccountError(
            Text(
                "ratings.no_name_use_1_printable",
                "{name} is no name for {what}; use 1 to {most} printable characters",
                name=repr(text),
                what=kind,
                most=_MOST_LABEL,
            )
        )
    return text
