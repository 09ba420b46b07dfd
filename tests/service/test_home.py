"""The home of a service: made, locked, checked, and the commands that work on it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.service.errors import HomeError, HomeHeldError
from arena.service.home import held, holder_of, make_home
from tests.cli.support import Arena
from tests.service.homes import small_home

HOLDER = """
import sys
from pathlib import Path
from arena.service.home import held

with held(Path(sys.argv[1])) as lock:
    lock.publish(["127.0.0.1:7733", "unix:owners.sock"])
    print("held", flush=True)
    sys.stdin.read()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_home_is_open_to_its_user_alone(tmp_path: Path) -> None:
    home = make_home(tmp_path / "deep" / "home", "# settings\n")
    for place in (home.directory, home.store, home.builds, home.uploads, home.tls, home.run, home.logs):
        assert mode(place) == 0o700
    assert mode(home.settings_file) == 0o600
    assert home.settings_file.read_text(encoding="utf-8") == "# settings\n"


def test_the_settings_of_an_old_home_stay_and_what_others_could_read_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "settings.toml").write_text("mine", encoding="utf-8")
    home = make_home(tmp_path, "# settings\n")
    assert home.settings_file.read_text(encoding="utf-8") == "mine"
    assert mode(tmp_path) == 0o700


def test_a_home_that_is_a_file_or_has_too_long_a_path_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HomeError, match=r"file is a file, where a directory .* give another --home"):
        make_home(tmp_path / "file", "")
    with pytest.raises(HomeError, match=r"cannot be used: .* give another --home"):
        make_home(Path("/proc/nowhere"), "")
    with pytest.raises(HomeError, match="the home has no name"):
        make_home(Path(), "")
    with pytest.raises(HomeError, match=r"too long for a socket by .* shorter path"):
        make_home(tmp_path / ("x" * 120), "")


def test_a_home_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(HomeError, match="belongs to user 12345"):
        make_home(tmp_path, "")


def test_the_second_service_on_a_home_is_told_who_has_it(tmp_path: Path) -> None:
    lock = tmp_path / "home" / "run" / "lock"
    lock.parent.mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        message = rf"home is served already, by process {holder.pid} since .* UTC at 127.0.0.1:7733, unix:owners.sock"
        with pytest.raises(HomeHeldError, match=message), held(lock):
            pass
        assert (holder_of(lock) or {})["pid"] == holder.pid
        holder.kill()
    assert holder_of(lock) is None
    with held(lock):
        pass


def test_nobody_holds_a_home_that_was_never_served(tmp_path: Path) -> None:
    assert holder_of(tmp_path / "lock") is None


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Arena:
    """The command, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return Arena(tmp_path / "arena.db", capsys)


def test_a_home_is_backed_up_and_restored_with_counts(arena: Arena, tmp_path: Path) -> None:
    home = small_home(tmp_path / "h")
    done = arena("home", "backup", tmp_path / "x.tar.gz", "--home", home.directory)
    assert done.code == 0, done
    assert "3 bots, 3 versions, 1 tournaments, 3 matches, 3 replays" in done.out
    assert "contains secrets" in done.out
    assert "arena: copying the database\n" in done.err
    restored = arena("home", "restore", tmp_path / "x.tar.gz", "--home", tmp_path / "new")
    assert restored.code == 0, restored
    assert "3 matches, 3 replays" in restored.out
    assert f"`arena serve --home {tmp_path / 'new'}` continues from there" in restored.out
    assert arena("db", "check", "--db", tmp_path / "new" / "arena.db").code == 0


def test_a_restored_home_plays_what_was_restored(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_SERVE_DATABASE", raising=False)
    home = small_home(tmp_path / "h")
    line = 'database = "postgresql://ada:geheim@db.example/arena"\n'
    home.settings_file.write_text(f"[service]\n{line}workers = 2\n", encoding="ascii")
    monkeypatch.setattr("arena.cli.nouns.home.with_book", lambda home, _: home)  # there is no such server
    done = arena("home", "backup", tmp_path / "x.tar", "--home", home.directory)
    assert "contains secrets (the password of the database, the key of the certificate" in done.out
    new = tmp_path / "new"
    restored = arena("home", "restore", tmp_path / "x.tar", "--home", new)
    assert f"`arena db copy {new / 'arena.db'} postgresql://HOST/NAME`" in restored.out.splitlines()[-1]
    assert (new / "settings.toml").read_text() == f"[service]\n# {line}workers = 2\n"
    assert (new / "settings.toml").stat().st_mode & 0o777 == 0o600
    assert arena("serve", "--home", new, "--check", "--json").json["settings"]["service.database"]["value"] == ""
    monkeypatch.setenv("ARENA_SERVE_DATABASE", "postgresql://ada:geheim@db.example/arena")
    restored = arena("home", "restore", tmp_path / "x.tar", "--home", tmp_path / "third")
    assert "ARENA_SERVE_DATABASE names the database postgresql://ada@db.example/arena, so" in restored.out
    shown = arena("home", "restore", tmp_path / "x.tar", "--home", tmp_path / "fourth", "--json")
    assert shown.json["database"] == shown.json["database_was"] == "postgresql://ada@db.example/arena"
    assert "geheim" not in restored.out + shown.out


def test_what_cannot_be_done_is_one_line(arena: Arena, tmp_path: Path) -> None:
    home = small_home(tmp_path / "h")
    (tmp_path / "x.tar").write_text("a letter", encoding="ascii")
    assert "exists already" in arena.refusal("home", "backup", tmp_path / "x.tar", "--home", home.directory, code=1)
    assert "is no home" in arena.refusal("home", "backup", tmp_path / "y.tar", "--home", tmp_path, code=1)
    assert "is no home" in arena.refusal("home", "retention", "--home", tmp_path, code=1)
    refusal = arena("home", "restore", tmp_path / "x.tar", "--home", tmp_path / "new")
    assert refusal.code == 1
    assert "no archive of a home" in refusal.err.splitlines()[-1]
    refusal = arena("home", "restore", tmp_path / "x.tar", "--home", home.directory)
    assert refusal.code == 1
    assert "is not empty" in refusal.err.splitlines()[-1]


def test_retention_shows_what_would_go_before_anything_goes(arena: Arena, tmp_path: Path) -> None:
    home = small_home(tmp_path / "h")
    home.settings_file.write_text("[retention]\nreplays_days = 30\n", encoding="ascii")
    shown = arena("home", "retention", "--home", home.directory)
    assert shown.code == 0, shown
    # The matches of this home ended in 2023, as their records say, but were planned now.
    assert "nothing is to be removed" in shown.out
    assert arena("home", "retention", "--home", home.directory, "--json").json == {
        "removed": [],
        "announced": [],
        "wanted": [],
    }
