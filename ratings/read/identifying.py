"""Finds the one thing that a text means: by its name, its id, or any part of its id. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy.sql.elements import ColumnElement
from sqlmodel import col

from engine.translatable import Text
from ratings.errors import AmbiguousError, NotFoundError

_SHORTEST_PART = 4
_DIGITS = frozenset("0123456789abcdef-")
_LISTED = 4
_LONGEST_ID = 64
"""The digits of a hash. SQLite refuses to look for a text of any length."""


def may_be_part_of_id(text: str) -> bool:
    """Return whether a text is long enough to name an id by a part of it, and no longer than an id."""
    return _SHORTEST_PART <= len(text) <= _LONGEST_ID


def remedy_for(text: str, remedy: str) -> str:
    """Return the remedy where nothing is found: after how long a part of an id must be, if `text` is a shorter one."""
    is_shorter = 0 < len(text) < _SHORTEST_PART and set(text.lower()) <= _DIGITS
    return (
        Text("a part of an id needs at least {count} characters; {remedy}", count=_SHORTEST_PART, remedy=remedy)
        if is_shorter
        else remedy
    )


def holds_part(column: Any, text: str) -> ColumnElement[bool]:
    """Return the condition that a column of ids holds `text` somewhere."""
    return col(column).contains(text, autoescape=True)


def only_one(
    text: str, noun: Literal["match", "pool", "tournament"], candidates: Sequence[tuple[str, str | None]], remedy: str
) -> str:
    """Return the id of the one candidate (id and, if it has one, name) that `text` names.

    A name and an id must be given whole; of an id, any part of 4 characters or more will do that no other has. What
    tables show is the end of an id: an id that begins or ends with the text goes before those that hold it within.
    Raises NotFoundError, and AmbiguousError that lists candidates, with `noun` and `remedy` in the message.
    """
    exact = [one for one in candidates if text in one]
    within = [one for one in candidates if may_be_part_of_id(text) and text in one[0]]
    found = exact or [one for one in within if one[0].startswith(text) or one[0].endswith(text)] or within
    if not found:
        raise NotFoundError(_no_such(noun, repr(text), remedy_for(text, remedy)))
    if len(found) > 1:
        raise AmbiguousError(_fits_several("name" if exact else noun, repr(text), len(found), listed(found), remedy))
    return found[0][0]


def _no_such(noun: str, text: str, remedy: str) -> Text:
    match noun:
        case "match":
            return Text("no match {match}; {remedy}", match=text, remedy=remedy)
        case "pool":
            return Text("no pool {pool}; {remedy}", pool=text, remedy=remedy)
    return Text("no tournament {tournament}; {remedy}", tournament=text, remedy=remedy)


def _fits_several(noun: str, text: str, count: int, known: str, remedy: str) -> Text:
    """Return the sentence about a part of an id that several have, or about a name, which only tournaments have."""
    match noun:
        case "match":
            return Text(
                "{text} fits {count} matches: {known}; give more digits of the id; {remedy}",
                text=text,
                count=count,
                known=known,
                remedy=remedy,
            )
        case "pool":
            return Text(
                "{text} fits {count} pools: {known}; give more digits of the id; {remedy}",
                text=text,
                count=count,
                known=known,
                remedy=remedy,
            )
        case "name":
            return Text(
                "{text} fits {count} tournaments: {known}; give its id; {remedy}",
                text=text,
                count=count,
                known=known,
                remedy=remedy,
            )
    return Text(
        "{text} fits {count} tournaments: {known}; give more digits of the id; {remedy}",
        text=text,
        count=count,
        known=known,
        remedy=remedy,
    )


def listed(candidates: Sequence[tuple[str, str | None]]) -> str:
    """Return the first of several things by their ids, and by their names if they have any, in one line."""
    texts = [id_ if name is None else f"{name} ({id_})" for id_, name in candidates[:_LISTED]]
    return ", ".join(texts + ["..."] * (len(candidates) > _LISTED))
