"""A restored home plays what was restored, whatever database its settings named, and the rest of them stays."""

from __future__ import annotations

import io
import json
import random
import sys
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.hosting.content import content_hash
from arena.hosting.store import VersionStore
from arena.service.home import Home
from arena.service.maintenance.backup import (
    HEADER,
    MANIFEST,
    DamagedArchiveError,
    HomeArchiveError,
    back_up_home,
    holds_password,
    play_own_database,
)
from arena.service.maintenance.restore import restore_home
from arena.service.settings import settings_template
from ratings.store.database import open_database
from tests.ratings import book
from tests.service.homes import small_home
from tests.support.machines import run_on_small_disk

Change = Callable[[tarfile.TarInfo, bytes], tuple[tarfile.TarInfo, bytes]]
URL = "postgresql://ada@db.example/arena"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return small_home(tmp_path_factory.mktemp("home") / "h")


@pytest.fixture(scope="module")
def archive(home: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("archive") / "monday.tar"
    back_up_home(home, target)
    return target


def tables(home: Home) -> dict[str, list[str]]:
    database = open_database(home.database)
    try:
        return book.rows(database, "match", "match_seat", "replay", "version", "bot", "tournament", "rating")
    finally:
        database.close()


def files(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a home that must come back, with its content and permissions."""
    return {
        str(path.relative_to(directory)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for name in ("settings.toml", "tls", "arena.key", "arena.bots")
        for path in ([directory / name] if (directory / name).is_file() else sorted((directory / name).rglob("*")))
        if path.is_file()
    }


def left_beside(path: Path) -> list[str]:
    return sorted(found.name for found in path.parent.iterdir() if found != path)


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tgz"])
def test_a_restored_home_is_the_home(home: Home, tmp_path: Path, name: str) -> None:
    done = back_up_home(home, tmp_path / name)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert left_beside(tmp_path / name) == []
    assert (done.counts.versions, done.counts.matches, done.counts.replays) == (3, 3, 3)
    restored = restore_home(tmp_path / name, tmp_path / "new")
    assert restored.problems == ()
    assert tables(restored.home) == tables(home)
    assert files(tmp_path / "new") == files(home.directory)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert not (tmp_path / "new" / "logs").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "new"])


def test_a_restored_database_keeps_its_journal_so_that_readers_do_not_wait(archive: Path, tmp_path: Path) -> None:
    restored = restore_home(archive, tmp_path / "new")
    assert restored.home.database.read_bytes()[18:20] == b"\x02\x02"  # SQLite's mark of a write-ahead log


def test_an_empty_directory_is_filled_and_any_other_refused(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    restore_home(archive, tmp_path / "empty")
    for place in (tmp_path / "empty", archive):
        with pytest.raises(HomeArchiveError, match=r"is not empty|is no directory"):
            restore_home(archive, place)
    with pytest.raises(HomeArchiveError, match="there is no directory"):
        restore_home(archive, tmp_path / "no" / "where")


def test_a_backup_never_overwrites_and_never_begins_where_it_cannot_end(home: Home, tmp_path: Path) -> None:
    precious = tmp_path / "x.tar"
    precious.write_text("precious", encoding="ascii")
    for target, words in (
        (precious, "exists already"),
        (tmp_path / "x.zip", "ends neither in .tar nor"),
        (tmp_path / "no" / "x.tar", "there is no directory"),
    ):
        with pytest.raises(HomeArchiveError, match=words):
            back_up_home(home, target)
    with pytest.raises(HomeArchiveError, match="is no home"):
        back_up_home(Home(tmp_path / "nothing"), tmp_path / "y.tar")
    assert precious.read_text(encoding="ascii") == "precious"
    assert left_beside(precious) == []


@pytest.mark.host_fault("byte-of-a-backup-flipped")
def test_no_changed_byte_comes_through(archive: Path, tmp_path: Path, home: Home) -> None:
    whole = archive.read_bytes()
    rng = random.Random(11)
    right, refused = files(home.directory), 0
    for number in range(30):
        place = rng.randrange(len(whole))
        bad = tmp_path / f"{number}.tar"
        bad.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << rng.randrange(8))]) + whole[place + 1 :])
        target = tmp_path / f"new-{number}"
        try:
            restored = restore_home(bad, target)
        except HomeArchiveError:
            refused += 1
            assert not target.exists()
        else:  # the byte was between the files, where tar fills up its blocks
            assert restored.problems == ()
            assert files(target) == right
    assert refused > 15


def test_an_archive_that_was_cut_off_is_refused_wherever(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    with tarfile.open(archive) as tar:
        ends = [member.offset_data for member in tar.getmembers()]
    for number, end in enumerate([0, 1, 511, *ends]):
        cut = tmp_path / f"{number}.tar"
        cut.write_bytes(whole[:end])
        with pytest.raises(DamagedArchiveError):
            restore_home(cut, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert [path for path in tmp_path.iterdir() if path.suffix != ".tar"] == []


def changed(archive: Path, target: Path, change: Change) -> Path:
    """A copy of an archive, each member changed."""
    with tarfile.open(archive) as old, tarfile.open(target, "w") as new:
        for member in old.getmembers():
            file = old.extractfile(member)
            assert file is not None
            entry, data = change(member, file.read())
            entry.size = len(data)
            new.addfile(entry, io.BytesIO(data))
    return target


def renamed(name: str) -> Change:
    def change(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        if member.name == "tls/key.pem":
            member.name = name
        return member, data

    return change


@pytest.mark.hostile("backup-with-names-that-lead-out")
@pytest.mark.parametrize(
    "name",
    ["../out.pem", "/tmp/out.pem", "tls/../../out.pem", "run/owners.sock", "arena.bots/x/main.py", "arena.db-wal"],
)
def test_nothing_is_written_outside_of_the_places_of_a_home(archive: Path, tmp_path: Path, name: str) -> None:
    bad = changed(archive, tmp_path / "bad.tar", renamed(name))
    with pytest.raises(DamagedArchiveError, match="which no archive of a home holds"):
        restore_home(bad, tmp_path / "new")
    assert left_beside(bad) == []


@pytest.mark.hostile("backup-with-links-and-devices")
@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_links_and_devices_are_refused(archive: Path, tmp_path: Path, kind: bytes) -> None:
    def change(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        if member.name == "tls/key.pem":
            member.type, member.linkname = kind, "/etc/passwd"
            return member, b""
        return member, data

    with pytest.raises(DamagedArchiveError):
        restore_home(changed(archive, tmp_path / "bad.tar", change), tmp_path / "new")


def test_an_archive_of_a_newer_arena_and_what_is_no_archive_are_told_apart(archive: Path, tmp_path: Path) -> None:
    def change(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        return member, json.dumps({**json.loads(data), "schema": "9999"}).encode() if member.name == HEADER else data

    with pytest.raises(HomeArchiveError, match=r"schema 9999.*older than the archive; update it"):
        restore_home(changed(archive, tmp_path / "newer.tar", change), tmp_path / "new")
    (tmp_path / "letter.tar").write_text("a letter " * 1000, encoding="ascii")
    with tarfile.open(tmp_path / "other.tar", "w") as tar:
        tar.add(archive, "something.bin")
    for name in ("letter.tar", "other.tar"):
        with pytest.raises(DamagedArchiveError, match="no archive of a home"):
            restore_home(tmp_path / name, tmp_path / "new")
    with pytest.raises(HomeArchiveError, match="there is no file"):
        restore_home(tmp_path / "nothing.tar", tmp_path / "new")


def test_a_manifest_that_tells_of_other_files_is_refused(archive: Path, tmp_path: Path) -> None:
    def change(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        return member, data.replace(b'"tls/key.pem"', b'"tls/kex.pem"') if member.name == MANIFEST else data

    with pytest.raises(DamagedArchiveError, match=r"manifest\.json was changed"):
        restore_home(changed(archive, tmp_path / "bad.tar", change), tmp_path / "new")


def test_versions_are_kept_while_they_are_copied(home: Home, tmp_path: Path) -> None:
    store = VersionStore(home.store)
    before = store.hashes()
    collector = threading.Thread(target=lambda: store.collect(lambda _: False, 0))
    begun = threading.Event()

    def report(_sentence: str) -> None:
        if not begun.is_set():
            begun.set()
            collector.start()

    done = back_up_home(home, tmp_path / "x.tar", report)
    collector.join()
    assert done.missing == ()
    assert store.hashes() == []  # it was waited for, and then collected
    restored = restore_home(tmp_path / "x.tar", tmp_path / "new")
    assert restored.problems == ()
    assert [content_hash(tmp_path / "new" / "arena.bots" / name) for name in before] == before
    # Put back what the other tests of this module look at.
    for name in before:
        (tmp_path / "new" / "arena.bots" / name).rename(home.store / name)


def test_what_the_store_lost_is_told_and_the_rest_saved(tmp_path: Path) -> None:
    home = small_home(tmp_path / "h")
    lost, *_ = VersionStore(home.store).hashes()
    VersionStore(home.store).remove(lost)
    said: list[str] = []
    assert back_up_home(home, tmp_path / "x.tar", said.append).missing == (lost,)
    assert any(lost in sentence for sentence in said)
    restored = restore_home(tmp_path / "x.tar", tmp_path / "new")
    assert [lost in problem for problem in restored.problems] == [True]


@pytest.mark.needs("minutes")  # and the right to mount a small disk
@pytest.mark.host_fault("disk-full-while-a-backup-is-written")
def test_a_full_disk_leaves_nothing(home: Home, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    program = (
        "import sys; from pathlib import Path\n"
        "from arena.service.home import Home; from arena.service.maintenance.backup import back_up_home\n"
        "from arena.service.startup_errors import DaemonError\n"
        "try: back_up_home(Home(Path(sys.argv[1])), Path(sys.argv[2], 'x.tar'))\n"
        "except DaemonError as error: print(error)\n"
    )
    for size_kb in (100, 600):
        words = [sys.executable, "-c", program, str(home.directory), str(disk)]
        lines = run_on_small_disk(disk, size_kb, words, after=f'ls -A "{disk}"')
        assert len(lines) == 1, lines
        assert "no room is left on its disk" in lines[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'[service]\ndatabase = "{URL}"\nworkers = 2\n', f'[service]\n# database = "{URL}"\nworkers = 2\n'),
        (f"[service]\r\n  database='{URL}' # ours\r\n", f"[service]\r\n#   database='{URL}' # ours\r\n"),
        (f'service.database = "{URL}"', f'# service.database = "{URL}"'),
        (f'["service"]\n"database" = "{URL}"', f'["service"]\n# "database" = "{URL}"'),
        (f'[service]\ndatabase = """\n{URL}"""\nworkers = 2', f'[service]\n# database = """\n# {URL}"""\nworkers = 2'),
        (f'[service]\ndatabase = """\n{URL}"""', f'[service]\n# database = """\n# {URL}"""'),
        (
            f'[runtimes.a]\ndatabase = "b"\n[service]\n# database = ""\ndatabase = "{URL}"\n',
            f'[runtimes.a]\ndatabase = "b"\n[service]\n# database = ""\n# database = "{URL}"\n',
        ),
        (f'\ufeff[service]\ndatabase = "{URL}"\n', f'[service]\n# database = "{URL}"\n'),
    ],
    ids=["line", "windows", "dotted", "quoted", "lines", "only lines", "others", "byte-order mark"],
)
def test_the_line_that_names_a_database_is_commented_out_and_no_other(tmp_path: Path, before: str, after: str) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_bytes(before.encode())
    assert play_own_database(settings) == URL
    assert settings.read_bytes() == after.encode()
    assert play_own_database(settings) == ""
    assert settings.read_bytes() == after.encode()


@pytest.mark.parametrize("text", [settings_template(), '[service]\ndatabase = ""\n', "", "service = 1", "no TOML"])
def test_settings_that_name_none_stay_as_they_are(tmp_path: Path, text: str) -> None:
    settings = tmp_path / "settings.toml"
    assert play_own_database(settings) == ""
    settings.write_bytes(text.encode())
    assert play_own_database(settings) == ""
    assert settings.read_bytes() == text.encode()
    assert not holds_password(settings)


def test_one_that_stands_among_other_things_is_left_alone_and_named(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(f'service = {{ database = "{URL}", workers = 2 }}')
    assert play_own_database(settings) == URL
    assert settings.read_text() == f'service = {{ database = "{URL}", workers = 2 }}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'[service]\ndatabase = "{URL}"', False),
        ('[service]\ndatabase = "postgresql://ada:geheim@db.example/arena"', True),
        ('[service]\ndatabase = "postgresql://db.example/arena?password=geheim"', True),
        ('[service]\ndatabase = "postgresql://ada:ge heim@db.example/arena"', True),
        ("[service]\n# database = 'postgresql://ada:geheim@db.example/arena'", True),
    ],
)
def test_a_password_is_found_also_in_a_comment(tmp_path: Path, text: str, expected: bool) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(text)
    assert holds_password(settings) is expected
