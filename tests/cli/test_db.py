"""Databases at the command line: made, checked, copied, refused; and tournaments that go to others as files."""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from copy import copy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from ratings.ledger.rating import pool_of
from ratings.store.export_format import read_chain, write_chain
from ratings.values.pools import Pool
from tests.cli.support import Arena, Finished, write_bot
from tests.cli.test_tournament import MONDAY


def set_schema(db: Path, revision: str) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


def test_a_fresh_database_is_migrated_by_itself(arena: Arena) -> None:
    assert arena("db", "upgrade").code == 0
    assert arena.db.exists()


def test_a_fresh_database_is_in_order(arena: Arena) -> None:
    arena("db", "upgrade")
    finished = arena("db", "check")
    assert (finished.code, finished.out) == (0, f"{arena.db} is in order\n")
    assert arena("db", "check", "--json").json == {"problems": []}


def test_upgrade_of_a_current_database_changes_nothing(arena: Arena) -> None:
    arena("db", "upgrade")
    assert "already" in arena("db", "upgrade").out


def test_upgrade_makes_a_fresh_database(arena: Arena) -> None:
    assert "from schema nothing to" in arena("db", "upgrade").out


def test_a_backup_holds_what_the_database_holds(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_bot(tmp_path / "a", "ada"))
    assert arena("db", "backup", tmp_path / "copy.db").code == 0
    assert arena("bot", "list", "--json", "--db", tmp_path / "copy.db").json[0]["name"] == "ada"


def test_a_backup_never_overwrites_a_file(arena: Arena, tmp_path: Path) -> None:
    arena("db", "upgrade")
    (tmp_path / "copy.db").write_text("precious", encoding="utf-8")
    assert "exists already" in arena.refusal("db", "backup", tmp_path / "copy.db", code=1)
    assert (tmp_path / "copy.db").read_text(encoding="utf-8") == "precious"


def test_a_database_of_a_newer_schema_is_refused_with_the_remedy(arena: Arena) -> None:
    arena("db", "upgrade")
    set_schema(arena.db, "9999")
    for command in (["bot", "list"], ["leaderboard"], ["db", "upgrade"], ["db", "check"]):
        refusal = arena.refusal(*command, code=1)
        assert "schema 9999" in refusal
        assert "older than the database; update it" in refusal


@pytest.mark.host_fault("file-that-is-no-database")
def test_a_file_that_is_no_database_is_refused_and_left_alone(arena: Arena) -> None:
    arena.db.write_text("a letter, not a database " * 100, encoding="utf-8")
    assert "is not a database" in arena.refusal("bot", "list", code=1)
    assert arena.db.read_text(encoding="utf-8").startswith("a letter")


def test_a_database_of_another_program_is_refused(arena: Arena) -> None:
    with closing(sqlite3.connect(arena.db)) as connection, connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    assert "another program" in arena.refusal("bot", "list", code=1)


def test_a_database_in_a_directory_that_is_not_there_is_refused(arena: Arena, tmp_path: Path) -> None:
    assert "there is no directory" in arena.refusal("bot", "list", "--db", tmp_path / "no" / "arena.db", code=1)


LOOKING = [
    "db check",
    "db backup copy.db",
    "leaderboard",
    "bot list",
    "bot show ada",
    "bot disable ada",
    "match show abcd",
    "tournament list",
    "tournament show monday",
    "tournament resume monday",
    "tournament cancel monday",
    "replay show abcd",
    "replay verify --all",
]


def test_what_only_looks_at_a_database_does_not_make_one(arena: Arena) -> None:
    said = f"there is no database at {arena.db}; `arena demo --db {arena.db}` or `arena bot add"
    assert arena.misses(((line.split(), said) for line in LOOKING), code=1) == []
    assert not arena.db.exists()


@pytest.mark.usefixtures("brief_doctor")
def test_what_only_looks_makes_nothing_of_an_empty_file(arena: Arena) -> None:
    arena.db.touch()
    for words in ("db check", "bot list", "leaderboard", "tournament resume monday"):
        refusal = arena.refusal(*words.split(), code=1)
        assert refusal == f"{arena.db} is empty; name a database that something was played in"
    (finding,) = [one for one in arena("doctor", "--json").json if one["check"] == "database"]
    assert (finding["state"], finding["detail"]) == ("ok", f"{arena.db} is empty; its tables are created on first use")
    assert arena.db.stat().st_size == 0


@pytest.mark.usefixtures("brief_doctor")
@pytest.mark.host_fault("killed-while-a-database-is-copied")
def test_a_copy_that_is_not_finished_is_refused_by_every_other_command(
    table: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError("the disk is gone")

    target = tmp_path / "copy.db"
    with monkeypatch.context() as patch:
        patch.setattr("arena.cli.nouns.db.copy_files", fail)
        assert "the disk is gone" in table("db", "copy", table.db, target).err
    said = f"{target} is a copy that is not finished; run the same `arena db copy` again, which goes on"
    for words in ("db check", "db upgrade", "db backup x.db", "bot list", "bot add ada", "web", "owner add ada"):
        assert table.refusal(*words.split(), "--db", target, code=1) == said
    assert table.refusal("db", "copy", target, tmp_path / "third.db", code=1) == said
    (finding,) = [one for one in table("doctor", "--db", target, "--json").json if one["check"] == "database"]
    assert (finding["state"], f"{finding['detail']}; {finding['remedy']}") == ("FAILED", said)
    assert table("db", "copy", table.db, target).code == 0
    assert table("db", "check", "--db", target).out == f"{target} is in order\n"
    assert table("db", "copy", table.db, target).code == 0, "a whole one may be copied again"


@pytest.mark.usefixtures("brief_doctor")
def test_doctor_fails_on_a_database_in_a_directory_that_is_not_there(arena: Arena, tmp_path: Path) -> None:
    finished = arena("doctor", "--db", tmp_path / "no" / "arena.db", "--json")
    (finding,) = [finding for finding in finished.json if finding["check"] == "database"]
    assert (finished.code, finding["state"]) == (1, "FAILED")
    assert "there is no directory" in finding["detail"]


def test_ratings_that_are_wrong_are_found_by_the_name_of_the_bot_and_rebuilt(table: Arena) -> None:
    table("match", "run", "--game", "foreign_king", "--bots", "ada,bob", "--rated")
    right = table("leaderboard").out
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE rating SET mu = mu + 1 WHERE mu > 25")
    finished = table("db", "check")
    assert finished.code == 1
    assert " version 1 is not what the facts give" in finished.out
    assert "`arena db check --rebuild` recomputes the ratings" in finished.out
    assert table("db", "check", "--rebuild").out == f"{table.db} is in order\n"
    assert table("leaderboard").out == right


@pytest.mark.host_fault("files-of-a-version-gone")
def test_a_version_whose_files_are_gone_is_found(table: Arena) -> None:
    directory = Path(table("bot", "show", "ada", "--json").json["versions"][0]["directory"])
    directory.rename(directory.with_name("elsewhere"))
    finished = table("db", "check")
    assert finished.code == 1
    assert "bot ada version 1: " in finished.out


def export(table: Arena) -> Finished:
    """Have a tournament in the database, and in a file."""
    return table.played(MONDAY, "tournament export monday monday.arena")[1]


def export_short(table: Arena) -> None:
    """Have one of two short matches, which are soon played again to verify them."""
    short = "tournament run round-robin --game foreign_king --seats 2 --bots ada,bob --option max_rounds=2 --seed 1"
    ended = table.played(f"{short} --name monday --workers 1", "tournament export monday monday.arena")
    assert [one.code for one in ended] == [0, 0]


def test_a_tournament_goes_out_and_comes_in(table: Arena, tmp_path: Path) -> None:
    written = export(table)
    assert written.code == 0
    digest = written.out.partition("digest ")[2][:64]
    read = table("tournament", "import", "monday.arena", "--db", "copy.db", "--digest", digest)
    assert "tournament monday imported: 6 matches, with the ratings of the file" in read.out
    there, here = (table("leaderboard", "--json", "--db", db).json for db in ("copy.db", str(table.db)))
    assert there == here
    assert "6 replays were played again and agree" in read.out
    checked = table("db", "check", "--db", "copy.db")
    assert checked.code == 0, checked.out  # the programs of the bots stay where they were, and that is no problem
    assert table("tournament", "show", "monday", "--db", "copy.db").code == 0


@pytest.mark.hostile("change-an-exported-file")
def test_a_changed_file_is_refused_and_nothing_is_written(table: Arena, tmp_path: Path) -> None:
    export_short(table)
    file = tmp_path / "monday.arena"
    file.write_text(file.read_text("ascii").replace('"ada"', '"bob"', 1), "ascii")
    message = table.refusal("tournament", "import", "monday.arena", "--db", "copy.db", code=1)
    assert "line " in message
    assert "was changed" in message
    assert table("tournament", "list", "--db", "copy.db", "--json").json == []


@pytest.mark.hostile("hand-over-another-file")
def test_another_digest_an_unknown_tournament_and_a_second_import_are_refused(table: Arena) -> None:
    export_short(table)
    other = ("tournament", "import", "monday.arena", "--db", "copy.db")
    assert "its digest is" in table.refusal(*other, "--digest", "00", code=1)
    assert "no name for a tournament" in table.refusal(*other, "--name", "")
    assert "there is no tournament" in table.refusal("tournament", "export", "tuesday", "tuesday.arena")
    assert table(*other).code == 0
    assert "in this database already" in table.refusal(*other, code=1)


Records = list[tuple[str, Any]]


def of(records: Records, kind: str) -> Iterator[dict[str, Any]]:
    return (row for name, row in records if name == kind)


def swap_ranks(records: Records) -> None:
    """Whoever lost the first match has won it."""
    match = next(of(records, "match"))["id"]
    seats = [row for row in of(records, "match_seat") if row["match_id"] == match]
    ranks = sorted(row["rank"] for row in seats)
    for row in seats:
        row["rank"] = ranks[-1] if row["rank"] == ranks[0] else ranks[0]


def swap_bots(records: Records) -> None:
    """Two bots have one another's versions, and so one another's results."""
    first, second = list(of(records, "version"))[:2]
    first["bot_id"], second["bot_id"] = second["bot_id"], first["bot_id"]


def swap_versions(records: Records) -> None:
    first, second = list(of(records, "match_seat"))[:2]
    first["version_id"], second["version_id"] = second["version_id"], first["version_id"]


def change(kind: str, key: str, value: Any) -> Callable[[Records], None]:
    def forge(records: Records) -> None:
        next(of(records, kind))[key] = value

    return forge


def shift_margin(records: Records) -> None:
    row = next(of(records, "tournament"))
    row["settings"] = {**row["settings"], "margin_us": 1}


FORGERIES: list[Callable[[Records], None]] = [
    swap_ranks,
    swap_versions,
    shift_margin,
    change("match", "plies", 1),
    change("match", "game_digest", "0" * 64),
    change("block", "opening", []),
]
MORE_FORGERIES = [
    swap_bots,
    change("match", "decisions", 1),
    change("match", "record_digest", "0" * 64),
    change("match", "by_rules", False),
    change("match", "details", {}),
    change("block", "chance_seed", 1),
    change("tournament", "secret", "00" * 32),
]


def forge(source: Path, target: Path, deed: Callable[[Records], None]) -> None:
    """Write a file that says something else, with its chain of hashes made right again."""
    with source.open(encoding="ascii") as file:
        records = [(kind, value) for _, kind, value in read_chain(file, "it")]
    deed(records)
    with target.open("w", encoding="ascii") as file:
        write_chain(file, records)


@pytest.mark.hostile("forge-ranks", "forge-versions", "forge-clocks", "forge-lengths", "forge-digests", "forge-seeds")
@pytest.mark.parametrize("deeds", [FORGERIES, pytest.param(MORE_FORGERIES, marks=pytest.mark.needs("minutes"))])
def test_what_contradicts_its_replays_is_refused_and_nothing_is_written(
    table: Arena, tmp_path: Path, deeds: Sequence[Callable[[Records], None]]
) -> None:
    export_short(table)
    for deed in deeds:
        forge(tmp_path / "monday.arena", tmp_path / "forged.arena", deed)
        told = table.refusal("tournament", "import", "forged.arena", "--db", "copy.db", code=1)
        assert "nothing was imported" in told, deed
    assert table("tournament", "list", "--db", "copy.db", "--json").json == []


WRONG: list[Any] = [None, True, -1, 300, 2**62, 10**400, math.nan, "x", "\ud800", [], [None], {}, {"a": 1}]


def put(value: Any, path: Sequence[Any], wrong: Any) -> Any:
    """The value with another one in a place of it."""
    if not path:
        return wrong
    changed = copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], wrong)
    return changed


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The value itself and the places of all that is in it; of a list the first and the last."""
    yield before
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*before, key))
    elif isinstance(value, list) and value:
        for number in {0, len(value) - 1}:
            yield from places(value[number], (*before, number))


def write_forged(target: Path, records: Records) -> None:
    """Write a file with a right chain, also of what no export holds."""
    link, lines = "kingmaker-arena", []
    for record in [*records, ("end", len(records))]:
        text = json.dumps(record, separators=(",", ":"))
        link = hashlib.sha256(f"{link} {text}".encode()).hexdigest()
        lines.append(f"{link} {text}\n")
    target.write_text("".join(lines), encoding="ascii")


def looks(name: str, match: str) -> Iterator[Sequence[str]]:
    yield from (["tournament", verb, name] for verb in ("show", "standings", "leaks", "watch"))
    yield from (["match", "show", match, "--times"], ["match", "list"], ["replay", "show", match])
    yield from (["leaderboard"], ["rating", "official"], ["stats", "crosstable"], ["db", "check"], ["bot", "list"])
    yield from (["tournament", "export", name, "again.arena"], ["tournament", "resume", name])


@pytest.mark.hostile("forge-any-record")
@pytest.mark.parametrize(
    "kinds", [["tournament"], pytest.param([], marks=pytest.mark.needs("minutes"))], ids=["settings", "all"]
)
def test_a_value_of_any_other_type_is_refused_or_can_be_read(table: Arena, tmp_path: Path, kinds: list[str]) -> None:
    export_short(table)
    with (tmp_path / "monday.arena").open(encoding="ascii") as file:
        records = [(kind, value) for _, kind, value in read_chain(file, "it")]
    match = next(of(records, "match"))["id"]
    firsts = {kind: number for number, (kind, _) in reversed(list(enumerate(records)))}
    draw, faults = random.Random(1), []
    for kind, number in firsts.items():
        if kinds and kind not in kinds:
            continue
        value = records[number][1]
        for path in [("settings", *path) for path in places(value["settings"])] if kinds else places(value):
            for wrong in draw.sample(WRONG, 3):
                forged = [*records[:number], (kind, put(value, path, wrong)), *records[number + 1 :]]
                write_forged(tmp_path / "forged.arena", forged)
                read = table("tournament", "import", "forged.arena", "--db", "copy.db", "--no-verify")
                said = [read]
                if read.code == 0:
                    name = wrong if path == ("name",) and kind == "tournament" else "monday"
                    said += [table(*words, "--db", "copy.db") for words in looks(name, match)]
                    (tmp_path / "copy.db").unlink()
                else:
                    assert re.search("forged.arena.* (nothing was imported|this arena has)", read.err), (
                        kind,
                        path,
                        wrong,
                    )
                faults += [(kind, path, wrong, one.err) for one in said if "fault of the arena" in one.err]
    assert faults == []


WRONG_TEXTS: list[Any] = [None, 3, ["x"]]
WRONG_LISTS: list[Any] = [None, "x", [None], {"a": 1}]
MANIFESTS = [
    *({key: wrong} for key in ("name", "version", "runtime", "protocol") for wrong in WRONG_TEXTS),
    *({key: wrong} for key in ("games", "command", "build", "memory_mb", "deterministic") for wrong in WRONG_LISTS),
    *({"rules": wrong} for wrong in WRONG_LISTS),
    {},
]


@pytest.mark.hostile("forge-any-record")
@pytest.mark.parametrize("remote", [False, True])
def test_a_manifest_of_any_other_kind_is_refused_or_can_be_read(table: Arena, tmp_path: Path, remote: bool) -> None:
    export_short(table)
    for manifest in MANIFESTS:

        def strip(records: Records, manifest: dict[str, Any] = manifest) -> None:
            for row in of(records, "version"):
                row["manifest"] = manifest
            for row in (*of(records, "bot"), pool := next(of(records, "pool"))):
                row["remote"] = remote
            known = pool_of(**{field.name: pool[field.name] for field in fields(Pool) if field.name != "pool_id"})
            pool["id"] = known.pool_id
            for _, row in records:
                row |= {"pool_id": known.pool_id} if "pool_id" in row else {}

        forge(tmp_path / "monday.arena", tmp_path / "forged.arena", strip)
        read = table("tournament", "import", "forged.arena", "--db", "copy.db", "--no-verify")
        if manifest:
            assert "manifest of version cannot be" in read.err, manifest
            continue
        assert read.code == 0, read.err
        looks = (("list",), ("show", "ada"), ("log", "ada"), ("admission", "ada"), ("rename", "ada", "eve"))
        asked = [(*("bot", *words), "--db", "copy.db") for words in looks]
        again = ("match", "run", "foreign_king", "ada", "bob", "--db", "copy.db", *("--option", "max_rounds=2"))
        said = [(words, table(*words)) for words in (*asked, again)]
        assert [(words, one.err) for words, one in said if re.search("fault of the arena|bot.toml", one.err)] == []
        assert [(one.code, one.err) for _, one in said[:3]] == [(0, "")] * 3


@pytest.mark.parametrize("wrong", ["x", 3, [], None], ids=str)
def test_settings_that_are_no_table_are_named_with_their_line(table: Arena, tmp_path: Path, wrong: Any) -> None:
    export_short(table)
    forge(tmp_path / "monday.arena", tmp_path / "forged.arena", change("tournament", "settings", wrong))
    said = table.refusal("tournament", "import", "forged.arena", "--db", "copy.db", code=1)
    assert re.fullmatch(
        rf"forged\.arena, line \d+: settings of tournament cannot be {re.escape(repr(wrong))}; .*", said
    )
    assert table("tournament", "list", "--db", "copy.db", "--json").json == []


@pytest.mark.hostile("forge-ranks")
def test_unverified_it_comes_in_and_that_is_told(table: Arena, tmp_path: Path) -> None:
    export_short(table)
    forge(tmp_path / "monday.arena", tmp_path / "forged.arena", swap_ranks)
    read = table("tournament", "import", "forged.arena", "--db", "copy.db", "--no-verify")
    assert read.code == 0
    assert "were not verified" in read.out
    assert table("replay", "verify", "--all", "--db", "copy.db").code == 1


@pytest.mark.host_fault("files-of-a-version-gone")
@pytest.mark.parametrize("lost", [True, False])
def test_files_that_were_here_and_are_gone_are_a_problem_those_that_never_came_are_none(
    table: Arena, tmp_path: Path, lost: bool
) -> None:
    export_short(table)
    assert table("tournament", "import", "monday.arena", "--db", "copy.db").code == 0
    if lost:
        directory = next(path for path in table.db.with_suffix(".bots").iterdir() if path.name[0] != ".")
        assert table("bot", "add", str(directory), "--db", "copy.db").code == 0
        (tmp_path / "copy.bots" / directory.name).rename(tmp_path / "away")
    checked = table("db", "check", "--db", "copy.db")
    assert ("are missing; add the bot again" in checked.out) is lost
    assert checked.code == int(lost)
