"""A tournament goes out as one file and comes in whole, or not at all."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.result import Fault, FaultCause
from ratings.errors import ArchiveError
from ratings.ledger.check import check, facts_problems
from ratings.ledger.ledger import Ledger
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.ledger.tournament_import import Imported, import_tournament
from ratings.read.bots import find_version
from ratings.read.exporting import export_tournament
from ratings.read.pool_lookup import pool_value
from ratings.read.tournaments import find_tournament, standings, tournament_row
from ratings.store import schema
from ratings.store.database import Database, open_database
from ratings.store.export_format import FORMAT, HEADER, read_chain, write_chain
from ratings.store.sessions import write
from ratings.values.owners import OwnerLimits
from ratings.values.pools import RatingMethod
from ratings.values.states import WorkStage
from tests.ratings import book


def export(database: Database, tournament_id: str, target: Path) -> str:
    return export_tournament(database, find_tournament(database, tournament_id), target)


def bring_in(database: Database, source: Path, name: str | None = None) -> Imported:
    return Ledger(database).import_tournament(source, name=name)


@pytest.fixture
def other(empty_file: Path, tmp_path: Path) -> Iterator[Database]:
    """Another database, empty."""
    database = open_database(book.copy_of(empty_file, tmp_path / "other.db"))
    yield database
    database.close()


@pytest.fixture
def played(database: Database, bots: dict[str, str], tournament: str) -> str:
    """A tournament that is over, with a void match, faults and two owners."""
    first, *others = book.take(database, tournament)
    with write(database) as session:
        book.lose(session, tournament, first)
    fault = Fault(1, FaultCause.TIMEOUT, 3, "It took too long.", {"stderr": "é"})
    for match in others:
        faults = (fault,) if match.position == 5 else ()
        book.record(database, match, faults=faults, replay=bytes(range(256)))
    return tournament


ALL = ("tournament", "entrant", "block", "match", "attempt", "match_seat", "fault", "replay", "rating", "rating_change")


def test_everything_arrives_in_an_empty_database_ratings_to_the_last_digit(
    database: Database, other: Database, played: str, tmp_path: Path
) -> None:
    export(database, played, tmp_path / "monday.arena")
    imported = bring_in(other, tmp_path / "monday.arena")
    assert (imported.tournament_id, imported.name, imported.matches) == (played, "test", 12)
    assert imported.same_ratings is True
    assert book.rows(other, *ALL) == book.rows(database, *ALL)
    assert book.rows(other) == book.rows(database)
    assert check(other) == []


def test_exporting_what_was_imported_gives_the_same_file(
    database: Database, other: Database, played: str, tmp_path: Path
) -> None:
    digest = export(database, played, tmp_path / "monday.arena")
    bring_in(other, tmp_path / "monday.arena")
    assert export(other, played, tmp_path / "again.arena") == digest
    assert (tmp_path / "again.arena").read_bytes() == (tmp_path / "monday.arena").read_bytes()


def test_bots_that_are_known_are_recognised_and_matches_are_rated_after_those_here(
    database: Database, other: Database, played: str, tmp_path: Path
) -> None:
    ours = book.add_bots(other, ("zoe", "ada"))
    ours |= book.add_bots(other, ("yan",))
    book.play_all(other, book.create(other, ours.values(), name="own"))
    before = book.count(other, "rating_change")
    export(database, played, tmp_path / "monday.arena")
    imported = bring_in(other, tmp_path / "monday.arena")
    assert imported.same_ratings is None
    assert book.count(other, "bot") == 6
    assert book.count(other, "rating_change") > before
    assert check(other) == []
    assert "ada" in {row.bot for row in standings(other, played) if row.version_id == ours["ada"]}


def test_another_program_of_the_same_name_becomes_another_version(
    database: Database, other: Database, played: str, tmp_path: Path
) -> None:
    Ledger(other).add_version(bot="ada", content_hash="something else", manifest={})
    export(database, played, tmp_path / "monday.arena")
    bring_in(other, tmp_path / "monday.arena")
    assert sum("'ada1'" in row for row in book.rows(other, "version")["version"]) == 1
    assert check(other) == []


def test_a_tournament_comes_in_once_and_its_name_must_be_free(
    database: Database, other: Database, played: str, tmp_path: Path
) -> None:
    export(database, played, tmp_path / "monday.arena")
    book.create(other, book.add_bots(other, ("x", "y", "z")).values(), name="test")
    with pytest.raises(ArchiveError, match="'test' already; give the imported one another --name"):
        bring_in(other, tmp_path / "monday.arena")
    assert bring_in(other, tmp_path / "monday.arena", "monday").name == "monday"
    with pytest.raises(ArchiveError, match="in this database already"):
        bring_in(other, tmp_path / "monday.arena", "again")


@pytest.mark.both_databases
@pytest.mark.hostile("import-a-bot-of-another-owner")
def test_a_bot_of_another_owner_is_refused(database: Database, other: Database, played: str, tmp_path: Path) -> None:
    book.add_bots(other, ("ada", "bob"), owner="hopper")
    with write(other) as session:
        session.connection().exec_driver_sql("UPDATE bot SET name = 'ada' WHERE name = 'hopper/ada'")
    export(database, played, tmp_path / "monday.arena")
    with pytest.raises(ArchiveError, match="bot 'ada' belongs to another owner"):
        bring_in(other, tmp_path / "monday.arena")
    assert book.count(other, "match") == 0


def test_an_export_tells_how_far_it_is(database: Database, played: str, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    found = find_tournament(database, played)
    export_tournament(database, found, tmp_path / "monday.arena", lambda done, total: told.append((done, total)))
    assert told[0] == (0, 12)
    assert told == sorted(told)
    assert {total for _, total in told} == {12}


def test_an_import_tells_how_far_it_is(database: Database, other: Database, played: str, tmp_path: Path) -> None:
    export(database, played, tmp_path / "monday.arena")
    told: list[WorkStage] = []
    Ledger(other).import_tournament(tmp_path / "monday.arena", report=lambda stage, _done, _total: told.append(stage))
    assert list(dict.fromkeys(told)) == [WorkStage.LINES, WorkStage.FACTS, WorkStage.RATINGS]


@pytest.mark.both_databases
def test_other_ratings_in_the_file_are_told(database: Database, other: Database, played: str, tmp_path: Path) -> None:
    with write(database) as session:
        session.connection().exec_driver_sql("UPDATE rating_change SET mu_after = mu_after + 1e-9 WHERE rating_seq = 7")
    export(database, played, tmp_path / "monday.arena")
    assert bring_in(other, tmp_path / "monday.arena").same_ratings is False


def test_what_is_not_over_is_not_exported(database: Database, tournament: str, tmp_path: Path) -> None:
    book.record(database, book.take(database, tournament)[0])
    with pytest.raises(ArchiveError, match=r"not over \(1 of 12 matches played\); `arena tournament resume test`"):
        export(database, tournament, tmp_path / "monday.arena")
    assert list(tmp_path.glob("*monday*")) == []


def test_no_file_is_overwritten(database: Database, played: str, tmp_path: Path) -> None:
    (tmp_path / "monday.arena").write_text("mine")
    with pytest.raises(ArchiveError, match="exists; name a new file"):
        export(database, played, tmp_path / "monday.arena")
    with pytest.raises(ArchiveError, match="cannot be written: No such file or directory"):
        export(database, played, tmp_path / "nowhere" / "monday.arena")
    assert (tmp_path / "monday.arena").read_text() == "mine"


@pytest.fixture
def file(database: Database, played: str, tmp_path: Path) -> Path:
    export(database, played, tmp_path / "monday.arena")
    return tmp_path / "monday.arena"


@pytest.mark.hostile("change-an-exported-file")
@settings(max_examples=20)
@given(data=st.data())
def test_any_changed_byte_is_found_at_its_line(engine_file: tuple[Path, Path], data: st.DataObject) -> None:
    source, database = engine_file
    content = bytearray(source.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = data.draw(st.integers(0, 127).filter(lambda byte: byte != content[place]))
    line = bytes(content[:place]).count(b"\n") + 1
    changed = source.with_name("changed.arena")
    changed.write_bytes(content)
    other = open_database(database)
    with pytest.raises(ArchiveError, match=rf"line {line}\b|line {line + 1}\b|after line {line - 1}\b|no exported"):
        bring_in(other, changed)
    assert book.count(other, "tournament") == 0
    other.close()


@pytest.fixture(scope="module")
def engine_file(empty_file: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An export of two matches, and an empty database."""
    directory = tmp_path_factory.mktemp("archive")
    database = open_database(book.copy_of(empty_file, directory / "arena.db"))
    tournament = book.create(database, book.add_bots(database, ("ada", "bob")).values(), 2)
    book.play_all(database, tournament)
    export(database, tournament, directory / "monday.arena")
    database.close()
    return directory / "monday.arena", book.copy_of(empty_file, directory / "other.db")


class _UndoneError(Exception):
    """Takes an import back that was to see what it does."""


def bring_in_and_take_back(database: Database, source: Path) -> None:
    with write(database) as session:
        import_tournament(session, source)
        assert list(facts_problems(session)) == []
        raise _UndoneError


HOSTILE: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 0, 3, 2**63, 1e300, float("inf"), "", "x", "void", "\ud800", [], {}, [[]], {"a": 1}, "00" * 32]
)


@pytest.mark.hostile("forge-any-record")
@settings(max_examples=16)
@given(data=st.data())
def test_a_file_that_was_forged_with_a_right_chain_is_refused_or_agrees_with_itself(
    engine_file: tuple[Path, Path], data: st.DataObject
) -> None:
    source, database = engine_file
    with source.open(encoding="ascii") as file:
        records = [(kind, value) for _, kind, value in read_chain(file, "it")]
    kind, value = records[place := data.draw(st.integers(0, len(records) - 1))]
    key = data.draw(st.sampled_from([None, *value]))
    forged = data.draw(HOSTILE) if key is None else {**value, key: data.draw(HOSTILE)}
    records[place] = (kind, forged)
    target = source.with_name("forged.arena")
    with target.open("w", encoding="ascii") as file:
        for line in forge(records):
            file.write(line)
    other = open_database(database)
    try:
        with pytest.raises((ArchiveError, _UndoneError)):
            bring_in_and_take_back(other, target)
        assert book.count(other, "tournament") == book.count(other, "bot") == 0
    finally:
        other.close()


def forge(records: list[tuple[str, Any]]) -> Iterator[str]:
    """The lines of a file with these records and a right chain, NaN and infinity allowed."""
    link = "kingmaker-arena"
    for record in [*records, ("end", len(records))]:
        text = json.dumps(record, separators=(",", ":"))
        link = hashlib.sha256(f"{link} {text}".encode()).hexdigest()
        yield f"{link} {text}\n"


@pytest.mark.hostile("forge-another-tournament")
def test_a_forged_file_adds_nothing_to_another_tournament(
    database: Database, other: Database, played: str, tmp_path: Path
) -> None:
    own = book.create(other, book.add_bots(other, ("x", "y", "z")).values(), name="own")
    match = book.take(other, own, 1)[0]
    export(database, played, tmp_path / "monday.arena")
    with (tmp_path / "monday.arena").open(encoding="ascii") as file:
        honest = [(name, value) for _, name, value in read_chain(file, "it")]
    for kind in ("fault", "match_seat", "replay", "match", "entrant", "tournament", "rating_order"):
        place = next(place for place, (name, _) in enumerate(honest) if name == kind)
        theirs = {"match_id": match.match_id, "tournament_id": own, "number": 9, "seat": 9, "position": 99}
        theirs |= {"id": "z" * 36} if kind in ("match", "tournament") else {}
        forged = {key: theirs.get(key, value) for key, value in honest[place][1].items()}
        records = [*honest[: place + 1], (kind, forged), *honest[place + 1 :]]
        (tmp_path / "forged.arena").write_text("".join(forge(records)), "ascii")
        with pytest.raises(ArchiveError, match=rf"line {place + 2}: it is no row of {kind}"):
            bring_in(other, tmp_path / "forged.arena")


WHOLE_HEADER = {"format": FORMAT, "schema": schema.HEAD, "tournament": "t1", "name": "monday"}


def test_a_header_that_lacks_something_is_refused(other: Database, tmp_path: Path) -> None:
    for header in (
        list(WHOLE_HEADER),
        "format",
        *({key: WHOLE_HEADER[key] for key in WHOLE_HEADER if key != lacking} for lacking in WHOLE_HEADER),
        WHOLE_HEADER | {"tournament": "t\N{SUPERSCRIPT ONE}"},
    ):
        (tmp_path / "odd").write_text("".join(forge([(HEADER, header)])), "ascii")
        with pytest.raises(ArchiveError, match="line 1: it is no header"):
            bring_in(other, tmp_path / "odd")


def test_a_line_that_holds_no_record_is_refused(other: Database, tmp_path: Path) -> None:
    for text in ("[" * 100_000, '["a"]', "5", '[["a"],{}]', '["pool",{}', "1" * 5000):
        link = hashlib.sha256(f"kingmaker-arena {text}".encode()).hexdigest()
        (tmp_path / "odd").write_text(f"{link} {text}\n", "ascii")
        with pytest.raises(ArchiveError, match="line 1 holds no record"):
            bring_in(other, tmp_path / "odd")


def test_lines_that_are_missing_or_too_many_are_found(other: Database, file: Path, tmp_path: Path) -> None:
    lines = file.read_text("ascii").splitlines(keepends=True)
    for changed, message in (
        (lines[:-1], "its last lines are gone"),
        (lines[:3] + lines[4:], r"line 4 .*was changed, or the line before it is gone"),
        ([*lines, "more\n"], "something follows its end"),
        (["hello\n"], "line 1 was changed"),
        ([], "ends after line 0"),
    ):
        (tmp_path / "odd").write_text("".join(changed), "ascii")
        with pytest.raises(ArchiveError, match=message):
            bring_in(other, tmp_path / "odd")
    assert book.count(other, "bot") == 0


def test_a_binary_file_and_a_missing_one_are_refused(other: Database, tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\xff\xfe" * 100)
    with pytest.raises(ArchiveError, match="no text file"):
        bring_in(other, tmp_path / "picture")
    with pytest.raises(ArchiveError, match="cannot be read: No such file"):
        bring_in(other, tmp_path / "missing")


def test_a_tournament_of_remote_bots_arrives_as_one(database: Database, other: Database, tmp_path: Path) -> None:
    join = RemoteJoin("ada", "fox", "1", ("*",))
    fox = ServiceLedger(database).join_remote(join, OwnerLimits()).version.id
    entrants = [fox, *book.add_bots(database, ["a", "b"]).values()]
    tournament = book.create(database, entrants, pool=book.pool_like(book.POOL, remote=True))
    for match in book.take(database, tournament):
        book.record(database, match)
    export(database, tournament, tmp_path / "homes.arena")
    assert bring_in(other, tmp_path / "homes.arena").same_ratings is True
    assert tournament_row(other, tournament).pool.remote
    assert find_version(other, "ada/fox").bot.remote
    # No files come along: those of hosted bots are not here, and a remote one has none that could be missed.
    missing = {
        name: find_version(other, name).version.files_removed_at_us is not None for name in ("ada/fox", "a", "b")
    }
    assert missing == {"ada/fox": False, "a": True, "b": True}
    assert check(other) == []


def test_a_bot_that_is_hosted_here_and_remote_there_is_not_mixed_up(
    database: Database, other: Database, tmp_path: Path
) -> None:
    fox = ServiceLedger(database).join_remote(RemoteJoin("ada", "fox", "1", ("*",)), OwnerLimits()).version.id
    entrants = [fox, *book.add_bots(database, ["a", "b"]).values()]
    tournament = book.create(database, entrants, pool=book.pool_like(book.POOL, remote=True))
    for match in book.take(database, tournament):
        book.record(database, match)
    export(database, tournament, tmp_path / "homes.arena")
    book.add_bots(other, ["fox"], owner="ada")
    with pytest.raises(ArchiveError, match="of bot 'ada/fox' one is hosted and one remote"):
        bring_in(other, tmp_path / "homes.arena")


@pytest.mark.needs("openskill")
def test_a_tournament_rated_by_openskill_arrives_as_one_where_its_package_is(
    database: Database, other: Database, tmp_path: Path
) -> None:
    pool = book.pool_like(book.POOL, rating_method=RatingMethod.OPENSKILL)
    tournament = book.create(database, book.add_bots(database, ["a", "b", "c"]).values(), pool=pool)
    for match in book.take(database, tournament):
        book.record(database, match)
    export(database, tournament, tmp_path / "open.arena")
    with (
        mock.patch.dict(sys.modules, {"openskill.models": None}),
        pytest.raises(ArchiveError, match=r"cannot be rated \(openskill is not installed; .*nothing was imported"),
    ):
        bring_in(other, tmp_path / "open.arena")
    assert bring_in(other, tmp_path / "open.arena").same_ratings is True
    assert pool_value(tournament_row(other, tournament).pool) == pool


def test_a_file_from_before_there_were_rating_methods_is_read(
    database: Database, other: Database, tmp_path: Path
) -> None:
    tournament = book.create(database, book.add_bots(database, ["a", "b", "c"]).values())
    for match in book.take(database, tournament):
        book.record(database, match)
    export(database, tournament, tmp_path / "new.arena")
    with (tmp_path / "new.arena").open(encoding="utf-8") as file:
        records = [(kind, data) for _, kind, data in read_chain(file, "new.arena")]
    for kind, data in records:
        if kind == "pool":
            assert data.pop("rating_method") == "trueskill"
    with (tmp_path / "old.arena").open("w", encoding="utf-8") as file:
        write_chain(file, records)
    assert bring_in(other, tmp_path / "old.arena").same_ratings is True
    assert pool_value(tournament_row(other, tournament).pool) == book.POOL
