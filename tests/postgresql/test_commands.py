"""The command line on a database server, as people type it: from any directory, with a password that nobody sees."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from arena.app.bot_store import store_of
from arena.cli.app import run
from arena.cli.shared.process_signals import _without
from arena.hosting.store import StoreError
from ratings.store.urls import keep_password, without_password
from tests.support.patience import ANY_TIME
from tests.support.postgres import connect, run_sql, url_of
from tests.support.processes import marked_processes

ROOT = Path(__file__).parents[2]
SECRET = "ge%40heim"


@pytest.fixture
def url(url: str) -> Iterator[str]:
    """A database of a role that has a password."""
    role, name = f"kma_{uuid.uuid4().hex[:12]}", url.rpartition("/")[2]
    run_sql(f"CREATE ROLE {role} LOGIN PASSWORD 'ge@heim'", f"ALTER DATABASE {name} OWNER TO {role}")
    yield url_of(name).replace("postgres@", f"{role}:{SECRET}@")
    run_sql(f"DROP DATABASE {name} WITH (FORCE)", f"DROP ROLE {role}")


@pytest.fixture(autouse=True)
def brief_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    """`arena doctor` looks at the database alone, which starts no process."""
    monkeypatch.setattr("arena.cli.nouns.doctor.CHECKS", ())
    monkeypatch.setattr("arena.cli.nouns.doctor.check_sandboxes", lambda: iter(()))


def arena(place: Path, *words: str, fails: bool = False, db: str = "") -> str:
    """What a command says, on both outputs, when it is run in this process."""
    home = place.with_name("home")
    environment = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "PYTHONPATH": str(ROOT)}
    environment |= {"ARENA_DB": db} if db else {}
    written = io.StringIO()
    with (
        chdir(place),
        mock.patch.dict(os.environ, environment),
        redirect_stdout(written),
        redirect_stderr(written),
    ):
        code = run([_without(word) for word in words])
    said = written.getvalue()
    assert (code != 0) == fails, said
    assert "heim" not in said
    assert "Traceback" not in said
    return said


def test_an_arena_on_a_server_is_the_same_from_every_directory(url: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for place in (here, there):
        place.mkdir()
    for bot in ("greedy", "random"):
        arena(here, "bot", "add", str(ROOT / "bots" / bot), "--db", url)
    order = ("round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "greedy,random", "--blocks", "1")
    said = arena(there, "tournament", "run", *order, "--name", "cup", *ANY_TIME, "--db", url)
    assert "2/2 matches" in said
    assert "is in order" in arena(here, "db", "check", "--db", url)
    assert "2 verified" in arena(there, "replay", "verify", "--all", db=url)
    assert "is in order, with 2 bots" in arena(here, "doctor", "--db", url)
    said = arena(here, "db", "copy", url, str(here / "copy.db"))
    assert "copy.bots has the files of 2 versions of bots" in said
    assert arena(here, "leaderboard", "--db", "copy.db").count("greedy") == 1
    (here / "other.key").write_bytes(bytes(32))
    assert "is the key of another arena" in arena(here, "db", "copy", url, str(here / "other.db"), fails=True)
    (here / "other.key").unlink()
    assert not list(there.iterdir()), "nothing was left where a command was typed"
    service, restored = tmp_path / "service", tmp_path / "restored"
    service.mkdir()
    (service / "settings.toml").write_text(f'[service]\ndatabase = "{url}"\n')
    assert "(the password of the database, " in arena(here, "home", "backup", "x.tar", "--home", str(service))
    said = arena(here, "home", "restore", "x.tar", "--home", str(restored))
    assert "2 matches" in said
    assert f"run `arena db copy {restored / 'arena.db'} postgresql://HOST/NAME`" in said
    assert (restored / "settings.toml").read_text() == f'[service]\n# database = "{url}"\n'
    assert arena(here, "leaderboard", "--db", str(restored / "arena.db")).count("greedy") == 1


def test_a_password_is_on_no_command_line_and_in_no_answer(url: str, tmp_path: Path) -> None:
    home, secrets = tmp_path / "house", (SECRET, "ge@heim")
    said = arena(tmp_path, "serve", "--check", "--home", str(home), "--set", f"service.database={url}")
    assert "service.database" in said
    assert not any(secret in said for secret in secrets)
    words = [
        "serve",
        "--home",
        str(home),
        "--workers",
        "1",
        "--address",
        "",
        "--admin-address",
        "",
        "--web-address",
        "127.0.0.1:0",
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "arena.cli.main", *words, "--database", url],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as service:
        assert service.stdout is not None
        while "ready home=" not in service.stdout.readline():
            assert service.poll() is None
        shown = marked_processes(f"HOME={tmp_path}").values()
        service.terminate()
    assert any("arena.web" in line for line in shown), shown
    assert not any(secret in line for line in shown for secret in secrets)


@pytest.mark.parametrize("written", ["postgresql:/ada:geheim@host/x", "host=h user=ada password=geheim"])
def test_a_mistyped_url_is_no_path_and_is_not_shown(written: str, tmp_path: Path) -> None:
    said = arena(tmp_path, "bot", "list", "--db", written, fails=True)
    assert "is written as postgresql://NAME@HOST/DATABASE" in said
    assert "geheim" not in said


def test_the_files_of_bots_lie_where_a_variable_names_a_directory_whatever_the_server_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_STORE", str(tmp_path))
    for url in ("postgresql://ada@db.example:57/club", "postgresql:///x?host=/run&dbname=club", "postgresql://h/club"):
        assert store_of(url).root == tmp_path / "club.bots"
    for named in (str(tmp_path / "away"), "relative", "~"):
        monkeypatch.setenv("ARENA_STORE", named)
        with pytest.raises(StoreError, match="which is no directory"):
            store_of("postgresql://h/club")
    monkeypatch.delenv("ARENA_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert store_of("postgresql://?host=h&port=57&dbname=club").root.name == "h-57-club.bots"


def test_commands_that_only_look_make_nothing_of_an_empty_database(url: str, tmp_path: Path) -> None:
    name = url.rpartition("/")[2]
    said = f"{name} is empty; name a database that something was played in"
    looks = ("leaderboard", "bot list", "bot show ada", "tournament resume cup", "db check", "db backup x.dump", "web")
    for words in looks:
        assert said in arena(tmp_path, *words.split(), "--db", url, fails=True)
    assert said in arena(tmp_path, "db", "copy", url, "copy.db", fails=True)
    assert "is empty; its tables are created on first use" in arena(tmp_path, "doctor", "--db", url)
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text(f'[service]\ndatabase = "{url}"\n')
    assert said in arena(tmp_path, "home", "backup", "x.tar", "--home", str(home), fails=True)
    assert said in arena(tmp_path, "home", "retention", "--home", str(home), fails=True)
    assert "is empty" not in arena(tmp_path, "serve", "--check", "--home", str(home))
    with connect(name) as connection:
        assert connection.execute(b"SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall() == []


def test_what_cannot_be_copied_is_told(url: str, tmp_path: Path) -> None:
    assert "there is no database at no.db" in arena(tmp_path, "db", "copy", "no.db", url, fails=True)
    assert "name two" in arena(tmp_path, "db", "copy", url, url, fails=True)
    assert "works on this machine" in arena(tmp_path, "--server", "x", "db", "copy", url, "y.db", fails=True)


@pytest.mark.parametrize(
    ("url", "shown", "password"),
    [
        ("postgresql://ada:s%3Acret@host/x", "postgresql://ada@host/x", "s:cret"),
        ("postgresql+psycopg://ada:p@host:1/x?a=b", "postgresql+psycopg://ada@host:1/x?a=b", "p"),
        ("postgres://ada:a@b@host/x", "postgres://ada@host/x", "a@b"),
        ("postgresql://ada:a/b?c+d=@host/x", "postgresql://ada@host/x", "a/b?c+d="),
        ("postgresql://host/x?user=ada&password=s%20t&a=b", "postgresql://host/x?user=ada&a=b", "s t"),
        ("postgresql://host/x?password=s", "postgresql://host/x", "s"),
        ("postgresql://ada@host/x", "postgresql://ada@host/x", None),
        ("postgresql://host:5432/x", "postgresql://host:5432/x", None),
        ("sqlite:///a:b@c.db", "sqlite:///a:b@c.db", None),
        ("arena.db", "arena.db", None),
    ],
)
def test_a_password_is_kept_apart(url: str, shown: str, password: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("KMA_TEST", "1")
    assert without_password(url) == shown
    assert keep_password(url) == shown
    assert os.environ.get("PGPASSWORD") == password
    monkeypatch.setenv("PGPASSWORD", "")
