"""A tournament of real bots, exported, tampered with in every way, and checked by a stranger who has the file alone."""

from __future__ import annotations

import base64
import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.app.proof_checks import check_proof
from arena.match.replay import dump, load
from arena.model.proofs import ProofPart
from arena.tournament.seed_key import SeedKey, SigningKey
from ratings.ledger.proof import CLOSING, RESULTS, digest_of, secret_digest
from tests.support import exports
from tests.support.exports import Records, drop, log_of, rows, sign_anew
from tests.support.places import CHOICES, Place, write_quick_bot


class Played:
    """The file of a tournament, and the key of the arena that played it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.file = place.directory / "monday.arena"
        self.records = exports.records_of(self.file)
        self.key: SigningKey = SeedKey.beside(place.directory / "arena.bots").signing_key()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    directory = tmp_path_factory.mktemp("proved")
    place = Place(directory)
    place.ok("bot", "add", *(write_quick_bot(directory / "sources" / name, name) for name in CHOICES))
    bots = ("--bots", ",".join(CHOICES), "--option", "max_rounds=2", "--workers", "1")
    swiss = ("tournament", "run", "swiss", "--rounds", "2", "--blocks", "1", "--game", "foreign_king", "--seats", "2")
    place.ok(*swiss, *bots, "--name", "monday")
    place.ok("tournament", "export", "monday", directory / "monday.arena")
    place.wait_until_nothing_runs()
    return Played(place)


@pytest.fixture
def records(played: Played) -> Records:
    """Those of the honest file, to be changed."""
    return copy.deepcopy(played.records)


def failed(tmp_path: Path, records: Records, **more: Any) -> dict[ProofPart, tuple[str, ...]]:
    """What is wrong with a file of these records, by part."""
    report = check_proof(exports.write(tmp_path / "tampered.arena", records), **more)
    assert not report.holds
    return {check.part: check.problems for check in report.checks if check.problems}


def finished(records: Records) -> list[dict[str, Any]]:
    return sorted(rows(records, "match"), key=lambda row: row["position"])


def test_an_honest_file_holds_and_says_so(played: Played) -> None:
    out = played.place.ok("verify", played.file).out
    commitment = digest_of(rows(played.records, "proof_entry")[0]["text"])
    assert commitment in out
    assert played.key.public_key in out
    assert len(re.findall("^ok ", out, re.MULTILINE)) == len(ProofPart)
    assert "everything holds" in out
    assert played.place.ok("verify", played.file, "--commitment", commitment).out == out


def test_a_flipped_byte_is_found_in_its_line_and_the_command_fails(played: Played, tmp_path: Path) -> None:
    lines = played.file.read_bytes().splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if b'["replay",' in line)
    lines[place] = lines[place].replace(b"A", b"B", 1)
    (tmp_path / "flipped.arena").write_bytes(b"".join(lines))
    done = played.place.here("verify", tmp_path / "flipped.arena")
    assert done.code == 1
    assert f"line {place + 1} (replay) was changed" in done.out
    assert "not everything holds" in done.out
    assert done.out.count("failed") == 1


def test_a_match_that_was_dropped_is_named(records: Records, tmp_path: Path) -> None:
    gone = finished(records)[1]["id"]
    left = drop(records, lambda _, data: isinstance(data, dict) and gone in (data.get("match_id"), data.get("id")))
    assert failed(tmp_path, left) == {
        ProofPart.COMPLETE: (f"match {gone} (place 1 of the schedule) is missing",),
    }


def test_a_match_that_was_played_twice_is_named_whether_the_arena_signed_it_or_not(
    played: Played, records: Records, tmp_path: Path
) -> None:
    entries = log_of(records)
    first = next(entry for entry in entries if entry["kind"] == RESULTS)
    again = copy.deepcopy(first)
    again["results"][0]["ranks"].reverse()
    entries.insert(-1, again)
    problems = failed(tmp_path, sign_anew(records, entries, played.key))
    (problem,) = problems.pop(ProofPart.COMPLETE)
    assert not problems
    assert problem.startswith(
        f"match {first['results'][0]['match']} (place 0 of the schedule) was played twice: entries "
    )

    twin = {**finished(records)[0], "id": "0" * 36}
    place = next(place for place, (kind, _) in enumerate(records) if kind == "match")
    records.insert(place, ("match", twin))
    assert failed(tmp_path, records).keys() == {ProofPart.COMPLETE}


def test_a_schedule_that_was_changed_is_found_also_if_the_arena_signed_the_other_one(
    played: Played, records: Records, tmp_path: Path
) -> None:
    match = finished(records)[0]["id"]
    first, second = (row for row in rows(records, "match_seat") if row["match_id"] == match)
    first["version_id"], second["version_id"] = second["version_id"], first["version_id"]
    assert failed(tmp_path, records) == {
        ProofPart.SCHEDULE: ("wave 0: the schedule is not the one that was signed",),
    }
    entries = log_of(records)
    entries[0]["waves"][0]["digest"] = "0" * 64
    forged = sign_anew(records, entries, played.key)
    committed = digest_of(rows(played.records, "proof_entry")[0]["text"])
    assert failed(tmp_path, forged, commitment=committed).keys() == {ProofPart.COMMITMENT}


def test_a_forged_signature_and_an_entry_of_another_key_are_named(records: Records, tmp_path: Path) -> None:
    row = rows(records, "proof_entry")[2]
    honest = row["signature"]
    row["signature"] = f"{int(honest, 16) ^ 1:0128x}"
    assert failed(tmp_path, records) == {ProofPart.LOG: ("entry 2 of the log: its signature is forged",)}
    row["signature"] = SeedKey(tmp_path / "other.key").signing_key().sign(row["text"].encode())
    assert failed(tmp_path, records) == {ProofPart.LOG: ("entry 2 of the log: its signature is forged",)}
    row["signature"] = honest
    row["text"] = row["text"].replace('"rated":true', '"rated":false', 1)
    assert failed(tmp_path, records).keys() == {ProofPart.LOG}


def test_a_log_with_a_gap_or_without_its_end_is_told(records: Records, tmp_path: Path) -> None:
    rows_ = rows(records, "proof_entry")
    gap = drop(records, lambda _, data: data is rows_[1])
    assert failed(tmp_path, gap) == {ProofPart.LOG: ("entry 1 of the log does not follow the one before it",)}
    cut = drop(records, lambda _, data: data is rows_[-1])
    assert "how the tournament ended" in failed(tmp_path, cut)[ProofPart.LOG][0]


def test_a_secret_that_does_not_fit_is_told(played: Played, records: Records, tmp_path: Path) -> None:
    rows(records, "tournament")[0]["secret"] = "5e" * 32
    told = {ProofPart.SECRET: ("the secret does not fit the commitment",)}
    assert failed(tmp_path, records) == told
    entries = log_of(records)
    entries[-1]["secret"] = "5e" * 32
    assert failed(tmp_path, sign_anew(records, entries, played.key)) == told


def test_settings_and_entrants_that_were_changed_are_told(records: Records, tmp_path: Path) -> None:
    rows(records, "tournament")[0]["settings"]["rounds"] = 3
    assert failed(tmp_path, records)[ProofPart.COMMITMENT] == ("the settings are not those that were committed",)
    rows(records, "tournament")[0]["settings"]["rounds"] = 2
    rows(records, "version")[0]["content_hash"] = "0" * 64
    assert failed(tmp_path, records)[ProofPart.COMMITMENT] == ("the entrants are not those that were committed",)


def test_a_result_that_was_changed_is_named(records: Records, tmp_path: Path) -> None:
    match = finished(records)[0]["id"]
    for row in rows(records, "match_seat"):
        if row["match_id"] == match:
            row["rank"] = 3 - row["rank"]
    problems = failed(tmp_path, records)
    assert problems.keys() == {ProofPart.RESULTS}
    assert problems[ProofPart.RESULTS][0].startswith(f"match {match}: ranks is ")


def test_chance_that_does_not_follow_from_the_secret_is_named(records: Records, tmp_path: Path) -> None:
    rows(records, "block")[0]["chance_seed"] += 1
    block = rows(records, "block")[0]["index"]
    assert failed(tmp_path, records)[ProofPart.CHANCES] == (
        f"block {block}: its opening or its chance does not follow from the secret",
    )


def changed_replay(change: Callable[[dict[str, Any]], None], records: Records) -> str:
    """The match whose replay was changed and sealed anew."""
    row = rows(records, "replay")[0]
    document = load(base64.b64decode(row["data"]))
    change(document)
    row["data"] = base64.b64encode(dump(document)).decode()
    match: str = row["match_id"]
    return match


def test_a_replay_that_does_not_follow_the_rules_or_is_missing_is_named(records: Records, tmp_path: Path) -> None:
    def illegal(document: dict[str, Any]) -> None:
        document["entries"][-1]["action"] = 9999

    match = changed_replay(illegal, records)
    problems = failed(tmp_path, records)
    assert problems.keys() == {ProofPart.REPLAYS}
    assert all(problem.startswith(f"match {match}: ") for problem in problems[ProofPart.REPLAYS])
    assert any("is not legal" in problem for problem in problems[ProofPart.REPLAYS])
    left = drop(records, lambda kind, data: kind == "replay" and data["match_id"] == match)
    assert failed(tmp_path, left) == {ProofPart.COMPLETE: (f"match {match} has no replay",)}


def test_a_table_that_does_not_follow_is_told_although_it_is_signed(
    played: Played, records: Records, tmp_path: Path
) -> None:
    entries = log_of(records)
    assert entries[-1]["kind"] == CLOSING
    entries[-1]["table"][0]["points"] += 2
    bot = entries[-1]["table"][0]["bot"]
    assert failed(tmp_path, sign_anew(records, entries, played.key)) == {
        ProofPart.TABLE: (f"line 1 of the table does not follow from the results: {bot}",),
    }


def test_a_plan_that_does_not_follow_is_found_although_it_is_signed(
    played: Played, records: Records, tmp_path: Path
) -> None:
    """An arena that lets whom it likes meet, and signs that; it cannot have it from the secret that it committed."""
    entries = log_of(records)
    secret, other = entries[-1]["secret"], "5e" * 32
    entries[-1]["secret"] = rows(records, "tournament")[0]["secret"] = other
    entries[0]["secret"] = secret_digest(other)
    problems = failed(tmp_path, sign_anew(records, entries, played.key))
    assert problems.keys() & {ProofPart.PLAN, ProofPart.CHANCES}
    assert secret != other


def test_a_file_that_is_none_and_an_address_that_does_not_answer_are_refused_in_one_line(
    played: Played, tmp_path: Path
) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\xff\xfe" * 100)
    for source, message in (
        (tmp_path / "picture", "is no tournament as it was exported"),
        (tmp_path / "missing", "cannot be read: No such file"),
        ("http://127.0.0.1:9/tournament.arena", "cannot be fetched"),
    ):
        done = played.place.here("verify", source)
        assert done.code == 1
        assert message in done.err
        assert done.err.count("\n") == 1


def test_programs_get_json(played: Played) -> None:
    found = played.place.ok("verify", played.file, "--json").json
    assert found["holds"] is True
    assert [check["part"] for check in found["checks"]] == [part.value for part in ProofPart]
