"""Writes the replay of a match that is over: its document as canonical JSON, with its digests, in one pass.

Every part is spelled once, and what is hashed and what is stored is made of the same texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.match.decisions import DecidedBy, ReplayEntry
from arena.match.digests import canonical_json, chain_texts, digest_play
from arena.match.match import Match
from arena.match.replay import FORMAT, SCHEMA, load, seal
from arena.match.timing import Figures, pack_figures


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
    """Return the replay of a match that is over."""
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
    """Return the canonical JSON of an object, given that of its values."""
    return b"{" + b",".join([b'"%b":%b' % (key.encode("ascii"), texts[key]) for key in sorted(texts)]) + b"}"
