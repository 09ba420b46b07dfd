"""Canonical JSON, and the hashes of a replay. Pure.

The chain runs over header, entries and ending (since schema 2 with the column of times): each link is the SHA-256 of
the link before and the canonical JSON of the next part. Its head is the `record_digest`; the first digits of every
link stand in the replay, so that a check can say which entry was changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
LINK_DIGITS = 8
BODY_KEYS = frozenset({"entries", "chance", "result", "times", "links", "game_digest", "record_digest"})


def canonical_json(value: Any) -> bytes:
    """Return the one spelling of a JSON value: sorted keys, no spaces, ASCII.

    Raises ValueError for NaN and infinities.
    """
    return _encode(value).encode("ascii")


def chain_texts(head: bytes, entries: Iterable[bytes], ending: bytes) -> tuple[list[str], str]:
    """Return the links of a replay as it stores them, and its record digest, from its parts in canonical JSON."""
    sha256, link, links = hashlib.sha256, hashlib.sha256(head).digest(), []
    for entry in entries:
        link = sha256(link + entry).digest()
        links.append(link[: LINK_DIGITS // 2].hex())
    return links, sha256(link + ending).hexdigest()


def chain(document: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the links of a replay document as it stores them, and its record digest."""
    head = {key: value for key, value in document.items() if key not in BODY_KEYS}
    ending = {key: document[key] for key in ("chance", "result", "times") if key != "times" or key in document}
    return chain_texts(canonical_json(head), map(canonical_json, document["entries"]), canonical_json(ending))


def _play_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without what differs between equal plays: evidence and explanations."""
    faults = [[fault["seat"], fault["cause"], fault["ply"]] for fault in result["faults"]]
    return {**result, "faults": faults}


def _decided(entry: Mapping[str, Any]) -> Sequence[Any]:
    return [entry["seat"], entry["action"], entry["by"]]


def game_digest(document: Mapping[str, Any]) -> str:
    """Return a hash that is equal for equal play: rules, options, seats, actions, who chose them, chance and result."""
    return digest_play(document, canonical_json([_decided(entry) for entry in document["entries"]]))


def digest_play(document: Mapping[str, Any], actions: bytes) -> str:
    """Return the game digest of a document without its entries, whose seats, actions and choosers are in `actions`.

    These are canonical JSON: a list of one list for each entry.
    """
    play = {
        "game": document["game"],
        "rules_version": document["rules_version"],
        "options": document["options"],
        "seats": len(document["seats"]),
        "chance": document["chance"],
        "result": _play_of(document["result"]),
    }
    return hashlib.sha256(b'{"actions":' + actions + b"," + canonical_json(play)[1:]).hexdigest()
