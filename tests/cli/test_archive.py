from pathlib import Path

from tests.cli.support import Arena
from tests.cli.test_tournament import play_monday


def test_a_tournament_goes_out_and_comes_in(table: Arena, tmp_path: Path) -> None:
    play_monday(table)
    written = table("tournament", "export", "monday", "monday.arena")
    assert written.code == 0
    digest = written.out.partition("digest ")[2][:64]
    read = table("tournament", "import", "monday.arena", "--db", "copy.db", "--digest", digest)
    assert "tournament monday imported: 6 matches, with the ratings of the file" in read.out
    there, here = (table("leaderboard", "--json", "--db", db).json for db in ("copy.db", str(table.db)))
    assert there == here
    assert table("db", "check", "--db", "copy.db").code in (0, 1)  # the programs of the bots stay where they were
    assert table("tournament", "show", "monday", "--db", "copy.db").code == 0


def test_a_changed_file_is_refused_and_nothing_is_written(table: Arena, tmp_path: Path) -> None:
    play_monday(table)
    table("tournament", "export", "monday", "monday.arena")
    file = tmp_path / "monday.arena"
    file.write_text(file.read_text("ascii").replace('"eve"', '"bob"', 1), "ascii")
    message = table.refusal("tournament", "import", "monday.arena", "--db", "copy.db", code=1)
    assert "line " in message
    assert "was changed" in message
    assert table("tournament", "list", "--db", "copy.db", "--json").json == []


def test_another_digest_an_unknown_tournament_and_a_second_import_are_refused(table: Arena) -> None:
    play_monday(table)
    table("tournament", "export", "monday", "monday.arena")
    other = ("tournament", "import", "monday.arena", "--db", "copy.db")
    assert "its digest is" in table.refusal(*other, "--digest", "00", code=1)
    assert "no name for a tournament" in table.refusal(*other, "--name", "")
    assert "there is no tournament" in table.refusal("tournament", "export", "tuesday", "tuesday.arena")
    assert table(*other).code == 0
    assert "in this database already" in table.refusal(*other, code=1)
