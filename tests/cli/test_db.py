import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.support import Arena, write_bot


def set_schema(db: Path, revision: str) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


def test_a_fresh_database_is_migrated_by_itself(arena: Arena) -> None:
    assert arena("leaderboard").code == 0
    assert arena.db.exists()


def test_a_fresh_database_is_in_order(arena: Arena) -> None:
    finished = arena("db", "check")
    assert (finished.code, finished.out) == (0, f"{arena.db} is in order\n")
    assert arena("db", "check", "--json").json == {"problems": []}


def test_upgrade_of_a_current_database_changes_nothing(arena: Arena) -> None:
    arena("bot", "list")
    assert "already" in arena("db", "upgrade").out


def test_upgrade_makes_a_fresh_database(arena: Arena) -> None:
    assert "from schema nothing to" in arena("db", "upgrade").out


def test_a_backup_holds_what_the_database_holds(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_bot(tmp_path / "a", "ada"))
    assert arena("db", "backup", tmp_path / "copy.db").code == 0
    assert arena("bot", "list", "--json", "--db", tmp_path / "copy.db").json[0]["name"] == "ada"


def test_a_backup_never_overwrites_a_file(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("precious", encoding="utf-8")
    assert "exists already" in arena.refusal("db", "backup", tmp_path / "copy.db", code=1)
    assert (tmp_path / "copy.db").read_text(encoding="utf-8") == "precious"


def test_a_database_of_a_newer_schema_is_refused_with_the_remedy(arena: Arena) -> None:
    arena("bot", "list")
    set_schema(arena.db, "9999")
    for command in (["bot", "list"], ["leaderboard"], ["db", "upgrade"], ["db", "check"]):
        refusal = arena.refusal(*command, code=1)
        assert "schema 9999" in refusal
        assert "upgrade kingmaker-arena" in refusal


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
