"""The limits of an owner hold, however many of his calls run at once."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.hosting.uploads.area import UploadArea
from arena.hosting.uploads.errors import UploadRefusedError
from arena.model.bots import Admission
from arena.service.server.errors import CallError
from arena.service.server.submissions import LocalSubmissions, OwnerQuotas, SubmissionServices, UploadCounter
from ratings.errors import LimitError
from ratings.ledger.service import ServiceLedger
from ratings.store.database import Database, open_database
from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope
from tests.cli.support import write_bot

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
