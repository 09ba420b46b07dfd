"""Canonical JSON, and the hashes of a replay. Pure.

The chain runs over header, entries and ending (since schema 2 with the column of times): each link is the SHA-256 of
the link before and the canonical JSON of the next part. Its head is the `record_digest`; the first digits of every
link stand in the replay, so that a check can say which entry was changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
LINK_DIGITS = 8
BODY_KEYS = frozenset({"entries", "chance", "result", "times", "links", "game_digest", "record_digest"})


def canonical_json(value: Any) -> bytes:
    """Return the one spelling of a JSON value: sorted keys, no spaces, ASCII.

    Raises ValueError for NaN and infinities.
    """
    return _encode(value).encode("ascii")


def _link(before: bytes, part: Any) -> bytes:
    return hashlib.sha256(before + canonical_json(part)).digest()


def chain(document: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the links of a replay document as it stores them, and its record digest."""
    link = _link(b"", {key: value for key, value in document.items() if key not in BODY_KEYS})
    links = []
    for entry in document["entries"]:
        link = _link(link, entry)
        links.append(link.hex()[:LINK_DIGITS])
    ending = {key: document[key] for key in ("chance", "result", "times") if key != "times" or key in document}
    return links, _link(link, ending).hex()


def _play_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without what differs between equal plays: evidence and explanations."""
    faults = [[fault["seat"], fault["cause"], fault["ply"]] for fault in result["faults"]]
    return {**result, "faults": faults}


def _decided(entry: Mapping[str, Any]) -> Sequence[Any]:
    return [entry["seat"], entry["action"], entry["by"]]


def game_digest(document: Mapping[str, Any]) -> str:
    """Return a hash that is equal for equal play: rules, options, seats, actions, who chose them, chance and result."""
    play = {
        "game": document["game"],
        "rules_version": document["rules_version"],
        "options": document["options"],
        "seats": len(document["seats"]),
        "actions": [_decided(entry) for entry in document["entries"]],
        "chance": document["chance"],
        "result": _play_of(document["result"]),
    }
    return hashlib.sha256(canonical_json(play)).hexdigest()
