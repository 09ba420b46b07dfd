"""Exported tournaments that were tampered with, by somebody who knows how the file and its log are made."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ratings.ledger.proof import Signer, digest_of
from ratings.store.export_format import read_chain, write_chain

Record = tuple[str, Any]
Records = list[Record]


def records_of(source: Path) -> Records:
    """Kind and data of every line."""
    with source.open(encoding="ascii") as file:
        return [(kind, data) for _, kind, data in read_chain(file, str(source))]


def write(target: Path, records: Records) -> Path:
    """A file with these records and a right chain."""
    with target.open("w", encoding="ascii", newline="\n") as file:
        write_chain(file, records)
    return target


def rows(records: Records, kind: str) -> list[dict[str, Any]]:
    """The rows of a table; changing one changes the records."""
    return [data for name, data in records if name == kind]


def log_of(records: Records) -> list[dict[str, Any]]:
    """The entries of the log."""
    return [json.loads(row["text"]) for row in rows(records, "proof_entry")]


def sign_anew(records: Records, entries: list[dict[str, Any]], signer: Signer) -> Records:
    """The records with another log, signed and chained as the arena itself could."""
    tournament, previous, written = rows(records, "tournament")[0]["id"], "", []
    for number, entry in enumerate(entries):
        text = json.dumps({**entry, "number": number, "previous": previous}, separators=(",", ":"), sort_keys=True)
        row = {"tournament_id": tournament, "number": number, "text": text, "signature": signer.sign(text.encode())}
        written.append(("proof_entry", row))
        previous = digest_of(text)
    place = next(place for place, (kind, _) in enumerate(records) if kind == "proof_entry")
    others = [record for record in records if record[0] != "proof_entry"]
    return [*others[:place], *written, *others[place:]]


def drop(records: Records, is_dropped: Callable[[str, Mapping[str, Any]], bool]) -> Records:
    """The records without some."""
    return [(kind, data) for kind, data in records if not is_dropped(kind, data)]
