"""Checks an exported tournament by its signed log, for somebody who trusts nobody: from the file alone.

First the file is read as it stands, and the log with what it says of the schedule and the results. Only if all that
holds is the tournament brought into a database of its own, planned and played once more, and its table made anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from arena.app.verification import imported_apart, problems_of_match
from arena.model.proofs import ProofCheck, ProofPart, ProofReport, Replayed
from arena.tournament.proof import table_of
from arena.tournament.replanning import replan
from arena.tournament.seed_key import is_signed
from engine.core import EngineError
from engine.os_errors import os_error_text
from engine.translatable import Text
from ratings.errors import ArchiveError
from ratings.ledger import proof
from ratings.ledger.proof import CLOSING, COMMITMENT, FORMAT, RESULTS, WAVES, digest_of, wave_digest
from ratings.ledger.tournament_import import Imported, check_header
from ratings.read import matches
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.export_format import HEADER, ColumnError, decode_row, read_chain
from ratings.values.states import MatchState, OnWorkProgress, WorkStage, no_progress

MOST_PROBLEMS = 20
"""So many are told of each part."""
_PART = 1000
Row: TypeAlias = Mapping[str, Any]
_ONE = {table.name: table for table in (tables.tournament, tables.pool)}
_MANY = {
    table.name: table
    for table in (
        tables.bot,
        tables.version,
        tables.entrant,
        tables.wave,
        tables.block,
        tables.match,
        tables.match_seat,
        tables.proof_entry,
    )
}
_ODD = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What a log raises whose entries have another shape; whoever signed it wrote that."""


def check_proof(source: Path, *, commitment: str | None = None, report: OnWorkProgress = no_progress) -> ProofReport:
    """Check the exported tournament in a file, whose `commitment` is the one given, if one is.

    Raises ArchiveError for a file that is no exported tournament or was written by another version of the arena.
    """
    checks = _Checks()
    facts = _Facts()
    checks.make(ProofPart.FILE, lambda: _read(source, facts, report))
    checks.make(ProofPart.LOG, lambda: _check_log(facts))
    checks.make(ProofPart.COMMITMENT, lambda: _check_commitment(facts, commitment))
    checks.make(ProofPart.SECRET, lambda: _check_secret(facts))
    checks.make(ProofPart.COMPLETE, lambda: _check_complete(facts))
    checks.make(ProofPart.SCHEDULE, lambda: _check_schedule(facts))
    checks.make(ProofPart.RESULTS, lambda: _check_results(facts))
    replayed = _check_by_playing(source, facts, checks, report)
    first = facts.log[0] if facts.log else {}
    return ProofReport(
        name=facts.name,
        commitment=digest_of(facts.many["proof_entry"][0]["text"]) if facts.log else "",
        public_key=str(first.get("public_key", "")),
        committed_at_us=first.get("at_us", 0),
        checks=tuple(checks.made),
        replayed=replayed,
    )


class _Checks:
    """The checks so far; each part is checked only if all before it hold."""

    def __init__(self) -> None:
        self.made: list[ProofCheck] = []

    @property
    def hold(self) -> bool:
        return all(check.holds for check in self.made)

    def make(self, part: ProofPart, check: Callable[[], tuple[int, Sequence[str]]]) -> None:
        """Check a part by what returns how much it looked at, and what is wrong."""
        if not self.hold:
            self.made.append(ProofCheck(part, is_made=False))
            return
        try:
            count, problems = check()
        except ArchiveError:
            raise
        except _ODD:
            count, problems = 0, [Text("an entry of the log, or a row of the file, lacks something")]
        self.made.append(ProofCheck(part, tuple(problems[:MOST_PROBLEMS]), count))


@dataclass(slots=True)
class _Facts:
    """What the file says, but for replays and evidence."""

    name: str = ""
    tournament: Row = field(default_factory=dict)
    pool: Row = field(default_factory=dict)
    many: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in _MANY})
    replayed: set[str] = field(default_factory=set)
    """The matches that have a replay."""
    log: list[Row] = field(default_factory=list)
    """The entries of the log, once they are checked."""

    def entries(self, kind: str) -> Iterator[Row]:
        """Yield the entries of one kind."""
        return (entry for entry in self.log if entry["kind"] == kind)

    @property
    def commitment(self) -> Row:
        return self.log[0]

    @property
    def closing(self) -> Row:
        return self.log[-1]

    @property
    def waves(self) -> list[Row]:
        """All waves that were signed, in order."""
        return [*self.commitment["waves"], *(wave for entry in self.entries(WAVES) for wave in entry["waves"])]


def _read(source: Path, facts: _Facts, report: OnWorkProgress) -> tuple[int, Sequence[str]]:
    count, kind = 0, ""
    try:
        with source.open(encoding="ascii", newline="\n") as file:
            for count, kind, data in read_chain(file, str(source)):
                if count == 1:
                    facts.name = _name(source, kind, data)
                elif kind in _ONE:
                    setattr(facts, kind, decode_row(_ONE[kind], data))
                elif kind in _MANY:
                    facts.many[kind].append(decode_row(_MANY[kind], data))
                elif kind == tables.replay.name:
                    facts.replayed.add(data["match_id"])
                if count % _PART == 0:
                    report(WorkStage.LINES, 0, 0)
    except ArchiveError as error:
        if not facts.name:
            raise
        return count, [str(error)]
    except OSError as error:
        why = os_error_text(error)
        raise ArchiveError(
            Text("{file} cannot be read: {why}; give the path of an exported tournament", file=source, why=why)
        ) from error
    except (ColumnError, KeyError, TypeError, ValueError):
        return count, [Text("line {number} is no row of {kind}", number=count, kind=kind)]
    facts.many["proof_entry"].sort(key=lambda row: row["number"])
    return count, []


def _name(source: Path, kind: str, data: Any) -> str:
    """Return how the tournament is called, after looking at the header as an import does."""
    if kind != HEADER:
        raise ArchiveError(Text("{file} is no exported tournament; `arena tournament export` writes one", file=source))
    return check_header(str(source), data)


def _check_log(facts: _Facts) -> tuple[int, Sequence[str]]:
    rows = facts.many["proof_entry"]
    if not rows:
        return 0, [Text("the tournament carries no proof: it was begun by an arena that signed nothing yet")]
    key = previous = ""
    for place, row in enumerate(rows):
        try:
            entry = json.loads(row["text"])
            if row["number"] != place or entry["number"] != place or entry["previous"] != previous:
                return place, [Text("entry {number} of the log does not follow the one before it", number=place)]
            key = key or entry["public_key"]
            if not is_signed(key, row["text"].encode(), row["signature"]):
                return place, [Text("entry {number} of the log: its signature is forged", number=place)]
            if (entry["kind"] == COMMITMENT) != (place == 0) or entry["tournament"] != facts.tournament["id"]:
                raise ValueError("it is of another tournament")
        except _ODD:
            return place, [Text("entry {number} of the log has another shape", number=place)]
        facts.log.append(entry)
        previous = digest_of(row["text"])
    if facts.closing["kind"] != CLOSING:
        return len(rows), [Text("the log does not say how the tournament ended; its last entries are gone")]
    return len(rows), []


def _check_commitment(facts: _Facts, commitment: str | None) -> tuple[int, Sequence[str]]:
    said, found = facts.commitment, facts.many["proof_entry"][0]["text"]
    if commitment not in (None, digest_of(found)):
        return 1, [Text("the commitment is {found}, and not the one that you have", found=digest_of(found))]
    versions = {row["id"]: row for row in facts.many["version"]}
    bots = {row["id"]: row["name"] for row in facts.many["bot"]}
    entered = [versions[row["version_id"]] for row in sorted(facts.many["entrant"], key=lambda row: row["position"])]
    entrants = [[bots[version["bot_id"]], version["content_hash"]] for version in entered]
    if said["format"] != FORMAT:
        return 1, [Text("the log has format {found}; this arena reads {own}", found=str(said["format"]), own=FORMAT)]
    parts = (
        ("plays", proof.terms_of(facts.tournament), Text("the settings are not those that were committed")),
        ("pool", proof.pool_terms(facts.pool), Text("the pool is not the one that was committed")),
        # Others may have come later.
        ("entrants", entrants[: len(said["entrants"])], Text("the entrants are not those that were committed")),
    )
    return 1, [problem for part, there, problem in parts if _canonical(there) != _canonical(said[part])]


def _canonical(value: Any) -> str:
    """Return JSON that is equal for equal values: 1 and true are not."""
    return json.dumps(value, sort_keys=True)


def _check_secret(facts: _Facts) -> tuple[int, Sequence[str]]:
    secret = facts.tournament["secret"]
    try:
        fits = proof.secret_digest(secret) == facts.commitment["secret"] and secret == facts.closing["secret"]
    except _ODD:
        fits = False
    return 1, [] if fits else [Text("the secret does not fit the commitment")]


def _check_complete(facts: _Facts) -> tuple[int, Sequence[str]]:
    """Return how many matches were to be played, and which are missing, too many, or were played twice."""
    total, void = sum(wave["matches"] for wave in facts.waves), set(facts.closing["void"])
    results = [
        (entry["number"], one["match"], one["position"]) for entry in facts.entries(RESULTS) for one in entry["results"]
    ]
    problems: list[str] = []
    signed: dict[int, tuple[int, str]] = {}
    for number, match, position in results:
        if position in signed:
            problems.append(_twice(match, position, signed[position][0], number))
        signed.setdefault(position, (number, match))
    there: dict[int, Row] = {}
    for row in facts.many["match"]:
        if row["position"] in there or not row["position"] < total:
            problems.append(Text("match {match} is not in the schedule", match=row["id"]))
        there.setdefault(row["position"], row)
    for position in range(total):
        problems += _place_problems(position, there.get(position), signed.get(position), is_void=position in void)
    problems += (
        Text("match {match} has no replay", match=row["id"])
        for row in facts.many["match"]
        if row["state"] is MatchState.FINISHED
        and row["id"] not in facts.replayed
        and row["replay_removed_at_us"] is None
    )
    return total, problems


def _twice(match: str, position: int, first: int, second: int) -> str:
    return Text(
        "match {match} (place {position} of the schedule) was played twice: entries {first} and {second} of the log "
        "have a result",
        match=match,
        position=position,
        first=first,
        second=second,
    )


def _place_problems(position: int, row: Row | None, signed: tuple[int, str] | None, *, is_void: bool) -> Iterator[str]:
    """Yield what is wrong at one place of the schedule."""
    if row is None:
        yield (
            Text("the match at place {position} of the schedule is missing", position=position)
            if signed is None
            else Text("match {match} (place {position} of the schedule) is missing", match=signed[1], position=position)
        )
    elif signed is not None and signed[1] != row["id"]:
        yield Text("match {match} is another one than was signed: {other}", match=row["id"], other=signed[1])
    elif (row["state"] is MatchState.FINISHED) != (signed is not None):
        yield (
            Text("match {match} has a result that was not signed", match=row["id"])
            if signed is None
            else Text("match {match} has no result, and one was signed", match=row["id"])
        )
    elif (row["state"] is MatchState.VOID) != is_void or (row["state"] is not MatchState.FINISHED and not is_void):
        yield Text("match {match}: the log does not say that it is void", match=row["id"])


def _check_schedule(facts: _Facts) -> tuple[int, Sequence[str]]:
    problems: list[str] = []
    versions = {row["id"]: row["content_hash"] for row in facts.many["version"]}
    blocks = {row["id"]: row["index"] for row in facts.many["block"]}
    seats: dict[str, list[tuple[int, str]]] = {}
    waves = facts.waves
    for row in facts.many["match_seat"]:
        seats.setdefault(row["match_id"], []).append((row["seat"], versions[row["version_id"]]))
    seatings = [
        (blocks[row["block_id"]], row["rotation"], [version for _, version in sorted(seats.get(row["id"], []))])
        for row in sorted(facts.many["match"], key=lambda row: row["position"])
    ]
    start = 0
    for place, wave in enumerate(waves):
        end = start + wave["matches"]
        if wave["index"] != place or wave_digest(seatings[start:end]) != wave["digest"]:
            problems.append(Text("wave {wave}: the schedule is not the one that was signed", wave=place))
        start = end
    rows = sorted((row["index"], row["first_block"], row["blocks"]) for row in facts.many["wave"])
    if not problems and rows != [(wave["index"], wave["first_block"], wave["blocks"]) for wave in waves]:
        problems.append(Text("the waves are not those that were signed"))
    return len(waves), problems


def _check_results(facts: _Facts) -> tuple[int, Sequence[str]]:
    seats: dict[str, list[Row]] = {}
    for row in facts.many["match_seat"]:
        seats.setdefault(row["match_id"], []).append(row)
    there = {row["id"]: row for row in facts.many["match"]}
    problems, count = [], 0
    for entry in facts.entries(RESULTS):
        for signed in entry["results"]:
            count += 1
            row = there[signed["match"]]
            of_seats = sorted(seats.get(row["id"], ()), key=lambda seat: seat["seat"])
            gone = sorted((seat["forfeit"], seat["seat"]) for seat in of_seats if seat["forfeit"] is not None)
            found = {
                "ranks": [seat["rank"] for seat in of_seats],
                "forfeits": [seat for _, seat in gone],
                "rated": row["rated"],
                "game": row["game_digest"],
                "record": row["record_digest"],
            }
            problems += [
                Text(
                    "match {match}: {what} is {found}, and {signed} was signed",
                    match=row["id"],
                    what=name,
                    found=str(value),
                    signed=str(signed.get(name)),
                )
                for name, value in found.items()
                if value != signed.get(name)
            ]
    return count, problems


def _check_by_playing(source: Path, facts: _Facts, checks: _Checks, report: OnWorkProgress) -> Replayed:
    """Bring the tournament into a database of its own and check the rest there; return what its replays were."""
    if not checks.hold:
        for part in (ProofPart.FACTS, ProofPart.PLAN, ProofPart.CHANCES, ProofPart.REPLAYS, ProofPart.TABLE):
            checks.make(part, lambda: (0, ()))
        return Replayed()
    found = Replayed()
    try:
        with imported_apart(source, None, report) as (database, imported):
            id_ = imported.tournament_id
            checks.make(ProofPart.FACTS, lambda: (imported.matches, ()))
            _check_plan(database, id_, checks)
            replayed, problems = _play_again(database, imported, report)
            found = replayed
            checks.make(ProofPart.REPLAYS, lambda: (replayed.played, problems))
            checks.make(ProofPart.TABLE, lambda: _check_table(database, id_, facts))
    except ArchiveError as error:
        why = str(error)
        checks.make(ProofPart.FACTS, lambda: (0, [why]))
        for part in (ProofPart.PLAN, ProofPart.CHANCES, ProofPart.REPLAYS, ProofPart.TABLE):
            checks.make(part, lambda: (0, ()))
    return found


def _check_plan(database: Database, tournament_id: str, checks: _Checks) -> None:
    try:
        found = replan(database, tournament_id)
    except EngineError as error:
        why = str(error)
        checks.make(ProofPart.PLAN, lambda: (0, [why]))
        checks.make(ProofPart.CHANCES, lambda: (0, ()))
        return
    checks.make(ProofPart.PLAN, lambda: (found.blocks, found.plan))
    checks.make(ProofPart.CHANCES, lambda: (found.blocks, found.chances))


def _play_again(database: Database, imported: Imported, report: OnWorkProgress) -> tuple[Replayed, list[str]]:
    """Play every replay again; return how many there are, and what is wrong."""
    played = without = withheld = 0
    problems: list[str] = []
    for match, stored in matches.replays(database):
        if stored is None:  # it was removed, or the match would not be complete
            without += 1
            continue
        detail = matches.match_detail(database, match.id)
        is_whole = not (imported.is_public and detail.faults)
        played, withheld = played + 1, withheld + (not is_whole)
        problems += [
            Text("match {match}: {problem}", match=match.id, problem=problem)
            for problem in problems_of_match(detail, stored, is_whole=is_whole)
        ]
        report(WorkStage.REPLAYS, played, imported.matches)
    return Replayed(played, without, withheld), problems


def _check_table(database: Database, tournament_id: str, facts: _Facts) -> tuple[int, Sequence[str]]:
    table, signed = table_of(database, tournament_id), facts.closing["table"]
    for place, row in enumerate(table):
        if place >= len(signed) or signed[place] != row:
            return len(table), [
                Text("line {line} of the table does not follow from the results: {bot}", line=place + 1, bot=row["bot"])
            ]
    extra = [Text("the table has more lines than entrants")] if len(signed) > len(table) else []
    return len(table), extra
