"""The replay of a match: the document that holds all that happened, and its stored form.

The document is JSON:

    format, schema        "arena.replay", 2; schema 1, which is still read, has no `times`
    match_id, attempt     which match
    game, rules_version, options, cores, clock, opening, chance_seed     what was ordered
    seats                 per seat: version, name, seed
    started_at_us, duration_us
    notes_left_out        only if there are any: the seats whose notes are missing, for those of their owners had
                          reached their limit
    entries               one per ply: what `entry_json` returns
    chance                every chance outcome in order, as `engine.chance` writes them
    result                ranks, by_rules, rated, forfeits as [seat, ply] (-1: before the start), resigned, faults,
                          details
    times                 what the charges were computed from, one packed column over the entries that
                          have times: `arena.match.time_control.pack_figures`
    links                 the hash chain over the entries
    game_digest, record_digest

Stored: canonical JSON, zlib, and then 32 bytes, the SHA-256 of the bytes before; so every changed byte is noticed, even
one that unpacking would not look at.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from arena.match.decisions import DecidedBy, ReplayEntry
from arena.match.match import Match
from arena.match.time_control import Figures, pack_figures, unpack_figures
from engine.translatable import Text

FORMAT = "arena.replay"
SCHEMA = 2
READABLE_SCHEMAS = (1, SCHEMA)
MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
_SEAL_BYTES = 32
LINK_DIGITS = 8
BODY_KEYS = frozenset({"entries", "chance", "result", "times", "links", "game_digest", "record_digest"})


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
        raise ReplayError(Text("the stored bytes were changed or cut off: their checksum does not fit"))
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, MAX_DOCUMENT_BYTES)
        document = json.loads(text)
    except (zlib.error, ValueError, RecursionError) as error:
        raise ReplayError(Text("these bytes are no replay: {why}", why=error)) from error
    if not unpacker.eof or unpacker.unused_data:
        raise ReplayError(Text("these bytes are no replay: they are cut off, too long or have something after the end"))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ReplayError(Text("these bytes are no replay: their format is not {format}", format=repr(FORMAT)))
    if document.get("schema") not in READABLE_SCHEMAS:
        raise ReplayError(
            Text(
                "a replay of schema {schema}; this arena reads schemas 1 to {last}",
                schema=repr(document.get("schema")),
                last=SCHEMA,
            )
        )
    if canonical_json(document) != text:
        raise ReplayError(Text("the replay is not written canonically"))
    return document


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


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


def game_digest(document: Mapping[str, Any]) -> str:
    """Return a hash that is equal for equal play: rules, options, seats, actions, who chose them, chance and result."""
    return digest_play(
        document, canonical_json([[entry["seat"], entry["action"], entry["by"]] for entry in document["entries"]])
    )


def digest_play(document: Mapping[str, Any], actions: bytes) -> str:
    """Return the game digest of a document without its entries, whose seats, actions and choosers are in `actions`.

    These are canonical JSON: a list of one list for each entry.
    """
    # Evidence and explanations differ between equal plays.
    result = document["result"]
    faults = [[fault["seat"], fault["cause"], fault["ply"]] for fault in result["faults"]]
    play = {
        "game": document["game"],
        "rules_version": document["rules_version"],
        "options": document["options"],
        "seats": len(document["seats"]),
        "chance": document["chance"],
        "result": {**result, "faults": faults},
    }
    return hashlib.sha256(b'{"actions":' + actions + b"," + canonical_json(play)[1:]).hexdigest()


@dataclass(frozen=True, slots=True)
class WrittenReplay:
    """A replay in its stored form, and what the book of record keeps of it besides."""

    data: bytes
    game_digest: str
    record_digest: str
    started_at_us: int
    """Microseconds since 1970, UTC."""
    duration_us: int

    def document(self) -> dict[str, Any]:
        """Return the document."""
        return load(self.data)


def write_replay(match: Match, started_at_us: int, duration_us: int) -> WrittenReplay:
    """Return the replay of a finished match."""
    spec = match.spec
    head: dict[str, Any] = {
        "format": FORMAT,
        "schema": SCHEMA,
        "match_id": spec.match_id,
        "attempt": spec.attempt,
        "game": spec.game,
        "rules_version": spec.rules_version,
        "options": match.playing.game.options_json(match.playing.options),
        "cores": spec.cores,
        "clock": spec.clock.to_json(),
        "opening": list(spec.opening),
        "chance_seed": spec.chance_seed,
        "seats": [{"version": seat.version, "name": seat.name, "seed": seat.seed} for seat in spec.seats],
        "started_at_us": started_at_us,
        "duration_us": duration_us,
    }
    figures = (entry.figures or Figures(entry.elapsed_us) for entry in match.entries if entry.decide == entry.ply)
    ending = {
        "chance": [list(outcome) for outcome in match.playing.chance_outcomes],
        "result": {
            **match.result().to_json(),
            "forfeits": [[seat, instant] for seat, instant in match.forfeits.items()],
        },
        "times": pack_figures(figures),
    }
    head_texts = {key: canonical_json(value) for key, value in head.items()}
    ending_texts = {key: canonical_json(value) for key, value in ending.items()}
    entries = [entry_text(entry).encode("ascii") for entry in match.entries]
    links, record_digest = chain_texts(_object(head_texts), entries, _object(ending_texts))
    actions = ",".join([f'[{entry.seat},{entry.action},"{entry.by}"]' for entry in match.entries])
    game_digest = digest_play({**head, **ending}, f"[{actions}]".encode("ascii"))
    texts = {
        **head_texts,
        **ending_texts,
        "entries": b"[" + b",".join(entries) + b"]",
        "links": canonical_json(links),
        "record_digest": canonical_json(record_digest),
        "game_digest": canonical_json(game_digest),
    }
    return WrittenReplay(seal(_object(texts)), game_digest, record_digest, started_at_us, duration_us)


def leave_out_notes(stored: bytes, seats: Collection[int]) -> tuple[bytes, str]:
    """Return the stored form of a replay without the notes of these seats, which it names, and its record digest."""
    document = load(stored)
    for entry in document["entries"]:
        if entry["seat"] in seats:
            entry.pop("note", None)
    document["notes_left_out"] = sorted({*document.get("notes_left_out", ()), *seats})
    document["links"], document["record_digest"] = chain(document)
    return dump(document), document["record_digest"]


def entry_text(entry: ReplayEntry) -> str:
    """Return one ply in canonical JSON: what `arena.match.replay.entry_json` returns of it."""
    ending = f'"ply":{entry.ply},"seat":{entry.seat}}}'
    if entry.decide == entry.ply:
        note = f'"note":{canonical_json(entry.note).decode("ascii")},' if entry.note else ""
        return (
            f'{{"action":{entry.action},"by":"{entry.by}","charged_us":{entry.charged_us},'
            f'"decide":{entry.decide},"elapsed_us":{entry.elapsed_us},{note}{ending}'
        )
    if entry.by is DecidedBy.BOT:
        return f'{{"action":{entry.action},"by":"{entry.by}","decide":{entry.decide},{ending}'
    return f'{{"action":{entry.action},"by":"{entry.by}",{ending}'


def _object(texts: Mapping[str, bytes]) -> bytes:
    return b"{" + b",".join([b'"%b":%b' % (key.encode("ascii"), texts[key]) for key in sorted(texts)]) + b"}"
