"""The replay of a match: the document that holds all that happened, and its stored form.

The document is JSON:

    format, schema        "arena.replay", 2; schema 1, which is still read, has no `times`
    match_id, attempt     which match
    game, rules_version, options, cores, clock, opening, chance_seed     what was ordered
    seats                 per seat: version, name, seed
    started_at_us, duration_us
    entries               one per ply: what `entry_json` returns
    chance                every chance outcome in order, as `engine.chance` writes them
    result                ranks, by_rules, rated, forfeits as [seat, ply] (-1: before the start), resigned, faults,
                          details
    times                 what the charges were computed from, one packed column: `arena.match.timing.pack_figures`
                          over the entries that have times
    links                 the hash chain of `arena.match.digests`
    game_digest, record_digest

Stored: canonical JSON, zlib, and then 32 bytes, the SHA-256 of the bytes before; so every changed byte is noticed, even
one that unpacking would not look at.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol

from arena.match.decisions import DecidedBy, ReplayEntry
from arena.match.digests import canonical_json
from arena.match.timing import Figures, unpack_figures
from engine.text import Text

FORMAT = "arena.replay"
SCHEMA = 2
READABLE_SCHEMAS = (1, SCHEMA)
MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
_SEAL_BYTES = 32


class ReplayError(ValueError):
    """The bytes are not a stored replay."""

    kind: ClassVar[str] = "failed"


class ExplainedFault(Protocol):
    """What a bot did wrong, as it is kept beside a replay."""

    @property
    def seat(self) -> int: ...

    @property
    def ply(self) -> int: ...

    @property
    def explanation(self) -> str:
        """One sentence that knows which text it is."""


def entry_json(entry: ReplayEntry) -> dict[str, Any]:
    """Return one ply as JSON data: ply, seat, action, by; if a bot chose it also `decide`, the ply that was asked.

    The first action of an answer also has elapsed_us, charged_us and, if there is one, the note.
    """
    data: dict[str, Any] = {"ply": entry.ply, "seat": entry.seat, "action": entry.action, "by": entry.by.value}
    if entry.by is DecidedBy.BOT:
        data["decide"] = entry.decide
    if entry.decide == entry.ply:
        data["elapsed_us"], data["charged_us"] = entry.elapsed_us, entry.charged_us
        if entry.note:
            data["note"] = entry.note
    return data


def timed_entries(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the entries that have times: the first of each answer."""
    return [entry for entry in document["entries"] if entry.get("decide", -1) == entry["ply"]]


def read_figures(document: Mapping[str, Any]) -> list[Figures]:
    """Return what each decision took, in the order of `timed_entries`; in schema 1 that is its wall time alone.

    Raises TimingError if the column of times does not fit the entries.
    """
    walls_us = [entry["elapsed_us"] for entry in timed_entries(document)]
    if document["schema"] == 1:
        return [Figures(wall_us) for wall_us in walls_us]
    return unpack_figures(document["times"], walls_us)


def with_texts(document: Mapping[str, Any], faults: Iterable[ExplainedFault]) -> dict[str, Any]:
    """Return a document in which the texts of these faults explain them, where it says the same of the same ply.

    A replay itself has plain words.
    """
    texts = {(fault.seat, fault.ply, fault.explanation): fault.explanation for fault in faults}
    result = document["result"]
    told = [
        {**fault, "explanation": texts.get((fault["seat"], fault["ply"], fault["explanation"]), fault["explanation"])}
        for fault in result["faults"]
    ]
    return {**document, "result": {**result, "faults": told}}


def dump(document: Mapping[str, Any]) -> bytes:
    """Return the stored form of a document; `load` is the inverse."""
    return seal(canonical_json(document))


def seal(text: bytes) -> bytes:
    """Return the stored form of a document that is written as canonical JSON."""
    packed = zlib.compress(text)
    return packed + hashlib.sha256(packed).digest()


def load(stored: bytes) -> dict[str, Any]:
    """Return the document from its stored form. Raises ReplayError if a single byte is not as it was written."""
    packed, seal = stored[:-_SEAL_BYTES], stored[-_SEAL_BYTES:]
    if hashlib.sha256(packed).digest() != seal:
        raise ReplayError(
            Text(
                "matches.stored_bytes_were_changed_cut",
                "the stored bytes were changed or cut off: their checksum does not fit",
            )
        )
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, MAX_DOCUMENT_BYTES)
        document = json.loads(text)
    except (zlib.error, ValueError, RecursionError) as error:
        raise ReplayError(
            Text("matches.these_bytes_no_replay", "these bytes are no replay: {why}", why=error)
        ) from error
    if not unpacker.eof or unpacker.unused_data:
        raise ReplayError(
            Text(
                "matches.these_bytes_no_replay_they",
                "these bytes are no replay: they are cut off, too long or have something after the end",
            )
        )
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ReplayError(
            Text(
                "matches.these_bytes_no_replay_their",
                "these bytes are no replay: their format is not {format}",
                format=repr(FORMAT),
            )
        )
    if document.get("schema") not in READABLE_SCHEMAS:
        raise ReplayError(
            Text(
                "matches.replay_schema_arena_reads_schemas",
                "a replay of schema {schema}; this arena reads schemas 1 to {last}",
                schema=repr(document.get("schema")),
                last=SCHEMA,
            )
        )
    if canonical_json(document) != text:
        raise ReplayError(Text("matches.replay_not_written_canonically", "the replay is not written canonically"))
    return document
