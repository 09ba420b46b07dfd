import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.support import Arena, write_bot


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
