"""Handing bots in while something goes wrong, and limits of an owner that hold however many calls run at once."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.app.accounts import StoredUsage
from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.archive.packing import pack
from arena.hosting.content import content_hash
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.hosting.uploads.errors import UploadRefusedError
from arena.hosting.uploads.resumable_uploads import UploadArea
from arena.model.bots import Admission, UploadTicket
from arena.model.errors import ClientError, RefusedError
from arena.rpc.errors import BusyError, LoginError, UnavailableError
from arena.rpc.remote_arena import RemoteArena
from arena.rpc.upload import submit
from arena.service.server.errors import CallError
from arena.service.server.submissions import LocalSubmissions, OwnerQuotas, SubmissionServices, UploadCounter
from arena.v1 import bot_pb2
from ratings.errors import LimitError
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import Database, open_database
from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope
from tests.cli.support import write_bot
from tests.service.server.test_submissions import ignore, packed, parts_of
from tests.support.machines import run_on_small_disk
from tests.support.owners import RunningServer, running_server
from tests.support.patience import PATIENCE_S


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_bot(tmp_path / "fox", "fox")


def send(arena: RemoteArena, directory: Path) -> UploadTicket:
    """Send the whole archive of a bot, without submitting it."""
    data, sha256 = packed(directory)
    ticket = arena.submissions.begin_upload(sha256, len(data))
    arena.line.upload(parts_of(ticket.upload, ticket.turn, ticket.offset, data[ticket.offset :]))
    return ticket


def recorded(server: RunningServer) -> tuple[int, int]:
    """How many versions and admissions the database has."""
    with closing(sqlite3.connect(server.database.url.database or "")) as connection:
        (versions,), (admissions,) = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("version", "admission")
        )
    return versions, admissions


@contextlib.contextmanager
def locked(server: RunningServer) -> Iterator[sqlite3.Connection]:
    """Another process writes to the database."""
    with closing(sqlite3.connect(server.database.url.database or "", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Databases that are opened from now on wait hardly at all for others, and clients hardly pause."""
    monkeypatch.setattr("ratings.store.sqlite.BUSY_TIMEOUT_MS", 20)
    monkeypatch.setattr("arena.rpc.upload._PAUSES_S", (0.01, 0.01))


def test_what_is_refused_for_good_is_not_kept_and_blocks_nobody(server: RunningServer, tmp_path: Path) -> None:
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        for number in range(6):  # more than may be unfinished
            ticket = send(ada, write_bot(tmp_path / str(number), "fox", f"# {number}"))
            with pytest.raises(RefusedError):
                ada.submissions.submit_version(ticket.upload, "0" * 64)
        lost = write_bot(tmp_path / "lost", "lost", runtime='"quantum"')
        with pytest.raises(RefusedError):
            submit(ada, lost, "", ignore)
    assert server.uploads.uploads() == ()
    assert recorded(server) == (0, 0)


def test_more_than_was_announced_is_the_senders_mistake(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        ticket = ada.submissions.begin_upload(sha256, len(data) - 1)
        with pytest.raises(RefusedError, match="more arrives than"):
            ada.line.upload(parts_of(ticket.upload, ticket.turn, 0, data))


@pytest.mark.host_fault("database-locked-for-a-while")
def test_a_locked_database_refuses_for_the_moment_and_records_nothing(
    impatient: None, server: RunningServer, bot: Path
) -> None:
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        ticket = send(ada, bot)
        with (
            locked(server),
            pytest.raises(UnavailableError, match=r"^the database of the service is busy.*nothing was recorded"),
        ):
            ada.submissions.submit_version(ticket.upload, content_hash(bot))
        assert recorded(server) == (0, 0)
        assert ada.submissions.submit_version(ticket.upload, content_hash(bot)).new


def test_a_client_goes_on_by_itself_when_the_database_is_free_again(
    impatient: None, server: RunningServer, bot: Path
) -> None:
    told: list[str] = []
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada, locked(server) as other:

        def wait(error: ClientError, _pause_s: float) -> None:
            told.append(str(error))
            other.rollback()

        assert submit(ada, bot, "", ignore, on_retry=wait).new
    assert len(told) == 1
    assert recorded(server) == (1, 1)


def test_a_client_gives_up_in_words_when_the_database_stays_locked(
    impatient: None, server: RunningServer, bot: Path
) -> None:
    with (
        server.arena(server.token("ada", Scope.COMPETITOR)) as ada,
        locked(server),
        pytest.raises(UnavailableError, match="try again"),
    ):
        submit(ada, bot, "", ignore)
    assert recorded(server) == (0, 0)
    assert len(server.uploads.uploads("ada")) == 1


def test_the_part_after_a_token_was_revoked_is_not_stored(server: RunningServer, bot: Path) -> None:
    (bot / "data").write_bytes(bytes(range(256)) * 1000)
    data, sha256 = packed(bot)
    secret = server.token("ada", Scope.COMPETITOR)
    with server.arena(secret) as ada:
        ticket = ada.submissions.begin_upload(sha256, len(data))

        def parts() -> Iterator[bot_pb2.UploadRequest]:
            first, *others = parts_of(ticket.upload, ticket.turn, 0, data)
            yield first
            deadline = time.monotonic() + PATIENCE_S
            while not server.uploads.get(ticket.upload).offset and time.monotonic() < deadline:
                time.sleep(0.005)
            ServiceLedger(server.database).revoke_token(ada.account.get_identity().token or "", owner="ada")
            yield from others

        with pytest.raises(LoginError, match="was revoked"):
            ada.line.upload(parts())
        with pytest.raises(LoginError, match="was revoked"):
            ada.submissions.submit_version(ticket.upload, content_hash(bot))
    assert 0 < server.uploads.get(ticket.upload).offset < len(data)
    assert recorded(server) == (0, 0)


def test_an_expired_token_opens_nothing(server: RunningServer, bot: Path) -> None:
    soon_us = (time.time_ns() // 1000) + 3_600_000_000
    with server.arena(server.token("ada", Scope.COMPETITOR, soon_us)) as ada:
        ticket = send(ada, bot)
        with closing(sqlite3.connect(server.database.url.database or "")) as connection, connection:
            connection.execute("UPDATE token SET expires_at_us = 1")
        for attempt in (
            lambda: ada.account.get_identity(),
            lambda: ada.submissions.submit_version(ticket.upload, content_hash(bot)),
            lambda: ada.line.upload(iter([bot_pb2.UploadRequest(upload=ticket.upload, turn=ticket.turn)])),
        ):
            with pytest.raises(LoginError, match=r"has expired; ask for a new one"):
                attempt()
    assert recorded(server) == (0, 0)


def test_uploads_of_the_last_hour_still_count_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = time.time()
    monkeypatch.setattr(UploadCounter.__init__, "__defaults__", (lambda: now_s,))  # no minute passes on a busy machine
    limits = OwnerLimits(uploads_per_hour=2)
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        with running_server(Path(directory), limits=limits) as server:
            secret = server.token("ada", Scope.COMPETITOR)
            with server.arena(secret) as ada:
                submit(ada, write_bot(tmp_path / "one", "one"), "", ignore)
                begun = write_bot(tmp_path / "two", "two")
                ada.submissions.begin_upload(packed(begun)[1], len(packed(begun)[0]))
        with running_server(Path(directory), limits=limits) as server, server.arena(secret) as ada:
            with pytest.raises(BusyError, match=r"2 uploads an hour.*try again in 60 min"):
                submit(ada, write_bot(tmp_path / "three", "three"), "", ignore)
            assert submit(ada, begun, "", ignore).new  # one that is begun goes on
            with server.arena(server.token("eve", Scope.COMPETITOR)) as eve:
                assert submit(eve, begun, "", ignore).new


def test_an_upload_that_could_not_begin_does_not_count(bot: Path) -> None:
    limits = OwnerLimits(uploads_per_hour=1)
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), limits=limits) as server,
        server.arena(server.token("ada", Scope.COMPETITOR)) as ada,
    ):
        for _ in range(2):
            with pytest.raises(BusyError, match="make the bot smaller"):
                ada.submissions.begin_upload("0" * 64, 1 << 40)
        assert submit(ada, bot, "", ignore).new


@pytest.mark.needs("minutes")  # and the right to mount a small disk
@pytest.mark.host_fault("disk-full-while-a-bot-is-uploaded")
def test_a_full_disk_is_told_with_the_remedy_and_what_has_arrived_is_kept(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.service.server.on_a_small_disk", str(tmp_path / "small"), str(tmp_path)]
    *_log, line = run_on_small_disk(tmp_path / "small", 4000, words)
    said = json.loads(line)
    assert said["while uploading"]["kind"] == said["while storing"]["kind"] == "DiskFullError"
    assert "what has arrived is kept" in said["while uploading"]["message"]
    assert "what has arrived is kept" in said["while storing"]["message"]
    assert str(tmp_path) not in json.dumps(said)
    assert 0 < said["arrived"] < said["size"]
    assert said["half stored"] == []
    assert said["recorded"] == [0, 0]
    assert said["new"] == [True, True]
    assert said["left"] == []


MB = 1 << 20


@dataclass(frozen=True)
class Setup:
    """Where ada hands bots in."""

    directory: Path
    database: Database
    uploads: UploadArea
    quotas: OwnerQuotas
    submissions: LocalSubmissions

    def limit(self, **limits: int) -> None:
        ServiceLedger(self.database).set_owner_limits("ada", limits)

    def archive(self, name: str, size_bytes: int) -> tuple[bytes, str, str]:
        """An archive of a bot with so many bytes of its own, its SHA-256, and the hash of its content."""
        bot = write_bot(self.directory / name, name)
        (bot / "weights.bin").write_bytes(b"w" * size_bytes)
        with tempfile.TemporaryFile() as file:
            packed = pack(bot, file)
            file.seek(0)
            return file.read(), packed.sha256, content_hash(bot)

    def hand_in(self, data: bytes, sha256: str, content: str) -> None:
        ticket = self.submissions.begin_upload(sha256, len(data))
        self.uploads.append(ticket.upload, 0, data, ticket.turn)
        self.submissions.submit_version(ticket.upload, content)


@contextmanager
def set_up(common: OwnerLimits) -> Iterator[Setup]:
    with tempfile.TemporaryDirectory(prefix="kma") as name:
        directory = Path(name)
        database = open_database(str(directory / "arena.db"))
        owner = ServiceLedger(database).add_owner("ada")
        store, uploads = VersionStore.of_database(directory / "arena.db"), UploadArea(directory / "up")
        counter = UploadCounter(uploads.history)
        quotas = OwnerQuotas(StoredUsage(database, store, common), uploads, counter.within_the_hour)
        programs = StoredPrograms(store)

        def read(viewer: Viewer, admission: str) -> Admission:
            return LocalArena(database, programs, viewer).admissions.get_admission(admission)

        services = SubmissionServices(database, programs, uploads, quotas, counter, read)
        submissions = LocalSubmissions(services, Viewer(Scope.COMPETITOR, owner.id, "ada"))
        yield Setup(directory, database, uploads, quotas, submissions)
        database.close()


@pytest.fixture
def ada() -> Iterator[Setup]:
    with set_up(OwnerLimits(versions=3, stored_mb=2)) as opened:
        yield opened


def at_once(deeds: Sequence[Callable[[], object]]) -> list[BaseException]:
    """What went wrong when all of this was done at the same time."""
    together = threading.Barrier(len(deeds))
    errors: list[BaseException] = []

    def do(deed: Callable[[], object]) -> None:
        together.wait()
        try:
            deed()
        except (CallError, LimitError, UploadRefusedError) as error:
            errors.append(error)

    threads = [threading.Thread(target=do, args=(deed,)) for deed in deeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_what_is_stored_and_what_is_on_its_way_count_together(ada: Setup) -> None:
    ada.submissions.begin_upload("a" * 64, MB)
    data, sha256, content = ada.archive("fox", MB // 2)
    ada.hand_in(data, sha256, content)
    with pytest.raises(
        CallError, match=r"^'ada' has 1\.5 of 2 MB stored, and this bot takes 1\.0 MB; make .*--stored-mb"
    ):
        ada.submissions.begin_upload("b" * 64, MB)
    ada.submissions.begin_upload("a" * 64, MB)  # it was counted before
    ada.submissions.begin_upload("c" * 64, MB // 4)
    usage = ada.quotas.usage("ada")
    assert usage.versions == 1
    assert usage.uploads_last_hour == 3
    assert 1.75 * MB < usage.stored_bytes <= 2 * MB


def test_the_limits_of_an_owner_replace_those_of_all_owners_at_once(ada: Setup) -> None:
    ada.limit(stored_mb=0, archive_mb=1, uploads_per_hour=2)
    with pytest.raises(UploadRefusedError, match=f"has {MB + 1} bytes, and {MB} are allowed"):
        ada.submissions.begin_upload("a" * 64, MB + 1)
    for digit in "ab":
        ada.submissions.begin_upload(digit * 64, MB)
    with pytest.raises(CallError, match="2 uploads an hour"):
        ada.submissions.begin_upload("c" * 64, MB)
    ada.limit(uploads_per_hour=0)
    ada.submissions.begin_upload("c" * 64, MB)  # 3 MB in all: nothing limits what is stored


def test_a_limit_that_was_lowered_meanwhile_counts_for_what_arrives(ada: Setup) -> None:
    data, sha256, content = ada.archive("fox", MB + MB // 2)
    ticket = ada.submissions.begin_upload(sha256, len(data))
    ada.uploads.append(ticket.upload, 0, data, ticket.turn)
    ada.limit(stored_mb=1)
    with pytest.raises(CallError, match=r"0\.0 of 1 MB stored, and this bot takes 1\.5 MB"):
        ada.submissions.submit_version(ticket.upload, content)
    assert ada.quotas.usage("ada").versions == 0
    ada.limit(stored_mb=2)
    assert ada.submissions.begin_upload(sha256, len(data)).offset == 0  # it was refused for good


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 2 * MB), min_size=2, max_size=4), st.integers(1, 4))
def test_uploads_that_begin_at_once_never_exceed_what_may_be_stored_together(
    ada: Setup, sizes: list[int], stored_mb: int
) -> None:
    ada.limit(stored_mb=stored_mb, uploads_per_hour=0)
    for upload in ada.uploads.uploads():
        ada.uploads.discard(upload.id)
    begun = [partial(ada.submissions.begin_upload, f"{number:064x}", size) for number, size in enumerate(sizes)]
    errors = at_once(begun)
    stored = ada.quotas.usage("ada").stored_bytes
    assert stored <= stored_mb * MB
    assert len(sizes) - len(ada.uploads.uploads("ada")) == len(errors)
    assert not errors or stored + max(sizes) > stored_mb * MB


def test_versions_that_are_submitted_at_once_never_exceed_any_limit(ada: Setup) -> None:
    monday = [ada.archive(f"bot{number}", 400_000) for number in range(4)]
    tickets = [ada.submissions.begin_upload(sha256, len(data)) for data, sha256, _ in monday]
    for ticket, (data, _, _) in zip(tickets, monday, strict=True):
        ada.uploads.append(ticket.upload, 0, data, ticket.turn)
    submits = [
        partial(ada.submissions.submit_version, ticket.upload, content)
        for ticket, (_, _, content) in zip(tickets, monday, strict=True)
    ]
    errors = at_once([*submits, partial(ada.submissions.begin_upload, "f" * 64, MB)])
    usage = ada.quotas.usage("ada")
    assert usage.versions == 3
    assert usage.stored_bytes <= 2 * MB
    assert len(errors) == 2


def test_one_archive_that_is_begun_twice_at_once_counts_once(ada: Setup) -> None:
    assert at_once([partial(ada.submissions.begin_upload, "a" * 64, MB)] * 4) == []
    assert ada.quotas.usage("ada").uploads_last_hour == 1
