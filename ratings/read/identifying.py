"""Finds the one thing that a text means: by its name, its id, or a beginning or end of its id. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.errors import AmbiguousError, NotFoundError

_SHORTEST_PART = 4
_LONGEST_ID = 64
"""The digits of a hash. SQLite refuses to look for a text of any length."""


def may_be_part_of_id(text: str) -> bool:
    """Return whether a text is long enough to name an id by its beginning or end, and no longer than an id."""
    return _SHORTEST_PART <= len(text) <= _LONGEST_ID


def only_one(text: str, noun: str, candidates: Sequence[tuple[str, str | None]], remedy: str) -> str:
    """Return the id of the one candidate (id and, if it has one, name) that `text` names.

    A name and an id must be given whole; of an id, a beginning or an end of 4 characters or more will do. Raises
    NotFoundError, AmbiguousError, with `noun` and `remedy` in the message.
    """
    exact = [id_ for id_, name in candidates if text in (id_, name)]
    near = [id_ for id_, _ in candidates if may_be_part_of_id(text) and (id_.startswith(text) or id_.endswith(text))]
    found = exact or near
    if not found:
        raise NotFoundError(f"no {noun} {text!r}; {remedy}")
    if len(found) > 1:
        plural = "es" if noun.endswith("ch") else "s"
        what = "its id" if exact else "more digits of the id, its end differs"
        raise AmbiguousError(f"{text!r} fits {len(found)} {noun}{plural}; give {what}; {remedy}")
    return found[0]
