"""Handing bots in: whole, in parts, cut off and resumed, identical, and other people's."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.hosting.archive.packing import compress_chunk, pack
from arena.hosting.content import content_hash
from arena.hosting.uploads.resumable_uploads import UploadArea
from arena.hosting.uploads.upload_records import UploadHistory, data_path
from arena.model.errors import ClientError, RefusedError, UnknownError
from arena.rpc.errors import BusyError, LoginError, ServiceError
from arena.rpc.remote_arena import RemoteArena
from arena.rpc.upload import submit
from arena.v1 import bot_pb2
from ratings.ledger.service_ledger import ServiceLedger
from ratings.values.owners import OwnerLimits
from ratings.values.states import AdmissionState, Scope
from tests.cli.support import write_bot
from tests.support.owners import RunningServer, running_server
from tests.support.patience import PATIENCE_S


def ignore(_sent: int, _total: int) -> None:
    """Nobody looks at the progress."""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot of some size that does not compress."""
    directory = write_bot(tmp_path / "fox", "fox")
    (directory / "weights.bin").write_bytes(Random(1).randbytes(200_000))
    return directory


def parts_of(ticket_upload: str, turn: int, offset: int, data: bytes) -> Iterator[bot_pb2.UploadRequest]:
    step = 20_000
    for start in range(0, len(data), step):
        chunk = compress_chunk(data[start : start + step])
        yield bot_pb2.UploadRequest(upload=ticket_upload, turn=turn, offset=offset + start, chunk=chunk)


def packed(directory: Path) -> tuple[bytes, str]:
    """The archive of a bot, and its hash."""
    with tempfile.TemporaryFile() as file:
        archive = pack(directory, file)
        return file.read(), archive.sha256


def test_a_bot_that_is_handed_in_is_stored_as_it_was_and_waits_to_be_admitted(server: RunningServer, bot: Path) -> None:
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        seen: list[tuple[int, int]] = []
        submitted = submit(ada, bot, "the first", lambda sent, total: seen.append((sent, total)))
        assert (submitted.bot, submitted.number, submitted.new) == ("ada/fox", 1, True)
        assert submitted.content_hash == content_hash(bot)
        assert content_hash(server.store.get(submitted.content_hash).directory) == submitted.content_hash
        assert submitted.admission is not None
        assert submitted.admission.state is AdmissionState.QUEUED
        assert [sent for sent, _ in seen] == sorted(sent for sent, _ in seen)
        assert seen[-1][0] == seen[-1][1]
    assert server.uploads.uploads() == ()


def test_the_same_files_again_are_the_same_version(server: RunningServer, bot: Path) -> None:
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        first = submit(ada, bot, "", ignore)
        again = submit(ada, bot, "", ignore)
    assert (again.new, again.version_id) == (False, first.version_id)
    assert again.admission == first.admission


def test_the_same_name_of_two_owners_is_two_bots(server: RunningServer, bot: Path) -> None:
    names = []
    for owner in ("ada", "eve"):
        with server.arena(server.token(owner, Scope.COMPETITOR)) as arena:
            names.append(submit(arena, bot, "", ignore).bot)
    assert names == ["ada/fox", "eve/fox"]


def test_a_bot_of_the_organiser_needs_no_admission(server: RunningServer, bot: Path) -> None:
    with server.arena() as organiser:
        submitted = submit(organiser, bot, "", ignore)
    assert (submitted.bot, submitted.admission) == ("fox", None)


def test_an_upload_that_broke_off_goes_on_where_it_was(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    token = server.token("ada", Scope.COMPETITOR)
    with server.arena(token) as ada:
        ticket = ada.submissions.begin_upload(sha256, len(data))
        assert ada.line.upload(parts_of(ticket.upload, ticket.turn, 0, data[:100_000])) == 100_000
    with server.arena(token) as ada:
        sent: list[int] = []
        submitted = submit(ada, bot, "", lambda done, _total: sent.append(done))
        assert sent[0] == 100_000
    assert submitted.content_hash == content_hash(bot)


def test_what_does_not_follow_what_is_there_is_refused(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        ticket = ada.submissions.begin_upload(sha256, len(data))
        with pytest.raises(RefusedError):
            ada.line.upload(parts_of(ticket.upload, ticket.turn, 10, data[10:]))
        with pytest.raises(ClientError):
            ada.submissions.submit_version(ticket.upload, content_hash(bot))


def test_who_begins_an_upload_anew_ends_the_stream_before(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        first = ada.submissions.begin_upload(sha256, len(data))
        second = ada.submissions.begin_upload(sha256, len(data))
        assert second.upload == first.upload
        assert second.turn != first.turn
        with pytest.raises(ServiceError):
            ada.line.upload(parts_of(first.upload, first.turn, 0, data))
        assert ada.line.upload(parts_of(second.upload, second.turn, 0, data)) == len(data)


@pytest.mark.hostile("go-on-with-anothers-upload")
def test_an_upload_of_somebody_else_might_as_well_not_exist(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with (
        server.arena(server.token("ada", Scope.COMPETITOR)) as ada,
        server.arena(server.token("eve", Scope.COMPETITOR)) as eve,
    ):
        ticket = ada.submissions.begin_upload(sha256, len(data))
        for attempt in (
            lambda: eve.line.upload(parts_of(ticket.upload, ticket.turn, 0, data)),
            lambda: eve.submissions.submit_version(ticket.upload, content_hash(bot)),
        ):
            with pytest.raises(UnknownError, match="upload"):
                attempt()
        assert ada.submissions.begin_upload(sha256, len(data)).offset == 0


@pytest.mark.hostile("send-bytes-that-are-no-part")
def test_bytes_that_are_no_part_are_refused_and_nothing_is_stored(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        for frame in (b"no zlib", compress_chunk(b"")[:-1], b""):
            ticket = ada.submissions.begin_upload(sha256, len(data))
            request = bot_pb2.UploadRequest(upload=ticket.upload, turn=ticket.turn, offset=0, chunk=frame)
            if frame:
                with pytest.raises(RefusedError):
                    ada.line.upload(iter([request]))
            else:
                assert ada.line.upload(iter([request])) == 0
            assert ada.submissions.begin_upload(sha256, len(data)).offset == 0


@pytest.mark.hostile("archive-of-other-files")
def test_an_archive_that_is_not_the_announced_version_is_refused(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        ticket = ada.submissions.begin_upload(sha256, len(data))
        ada.line.upload(parts_of(ticket.upload, ticket.turn, 0, data))
        with pytest.raises(RefusedError):
            ada.submissions.submit_version(ticket.upload, "0" * 64)
        assert ada.bots.list_bots().items == ()


def test_a_bot_that_cannot_run_here_is_refused_before_it_is_a_version(server: RunningServer, tmp_path: Path) -> None:
    greedy = write_bot(tmp_path / "greedy", "greedy", memory_mb="100000")
    lost = write_bot(tmp_path / "lost", "lost", runtime='"quantum"')
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        for directory, said in ((greedy, "^bot.toml: memory_mb is 100000"), (lost, "^bot.toml: .*quantum")):
            with pytest.raises(RefusedError, match=said):
                submit(ada, directory, "", ignore)
        assert ada.bots.list_bots().items == ()


def test_an_owner_who_is_disabled_in_the_middle_of_an_upload_hands_nothing_in(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    disabled, ended = threading.Event(), threading.Event()

    def slow_parts(arena: RemoteArena) -> Iterator[bot_pb2.UploadRequest]:
        ticket = arena.submissions.begin_upload(sha256, len(data))
        whole = list(parts_of(ticket.upload, ticket.turn, 0, data))
        yield whole[0]
        ServiceLedger(server.database).set_owner_disabled("ada", disabled=True)
        disabled.set()
        # The stream stays open: the server ends it by itself.
        ended.wait(PATIENCE_S)
        yield from whole[1:]

    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada, pytest.raises(LoginError, match="disabled"):
        ada.line.upload(slow_parts(ada))
    ended.set()
    assert disabled.is_set()
    with server.arena() as organiser:
        assert organiser.bots.list_bots().items == ()


def test_an_upload_is_an_operation_that_can_be_watched(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada, server.arena() as organiser:
        ticket = ada.submissions.begin_upload(sha256, len(data))
        name = f"uploads/{ticket.upload}"
        watched = ada.operations.watch_operation(name)
        first = next(watched)
        assert (first.kind, first.state, first.done, first.total) == ("upload", "running", 0, len(data))
        assert first.started_at_us is not None
        ada.line.upload(parts_of(ticket.upload, ticket.turn, 0, data[:100_000]))
        assert next(one for one in watched if one.done).done <= 100_000
        assert organiser.operations.get_operation(name).done == 100_000
        submit(ada, bot, "", ignore)
        last = list(watched)[-1]
        assert (last.state, last.done, last.sentence) == ("done", len(data), "ada/fox version 1")
        assert last == organiser.operations.get_operation(name)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(UploadArea, "get"), (UploadHistory, "find"), (UploadArea, "discard"), (UploadHistory, "note_end")],
)
@pytest.mark.parametrize("is_right", [True, False])
def test_an_upload_is_known_at_each_moment_of_its_end(
    server: RunningServer, bot: Path, monkeypatch: pytest.MonkeyPatch, kind: type, name: str, is_right: bool
) -> None:
    """It ends between two steps of who looks (get, find), or is looked at between two steps of its end."""
    data, sha256 = packed(bot)
    states = list[str]()
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada, server.arena() as organiser:
        ticket = ada.submissions.begin_upload(sha256, len(data))
        ada.line.upload(parts_of(ticket.upload, ticket.turn, 0, data))
        if not is_right:
            with data_path(server.uploads.root / ticket.upload).open("r+b") as file:
                file.write(b"no archive")

        def look() -> None:
            states.append(organiser.operations.get_operation(f"uploads/{ticket.upload}").state)

        def end() -> None:
            with suppress(ClientError):
                ada.submissions.submit_version(ticket.upload, content_hash(bot))

        original, between = getattr(kind, name), [end if name in ("get", "find") else look]

        def step(*arguments: Any, **others: Any) -> Any:
            try:
                return original(*arguments, **others)
            finally:
                if between:
                    between.pop()()

        monkeypatch.setattr(kind, name, step)
        (look if name in ("get", "find") else end)()
        look()
    assert states[-1] == ("done" if is_right else "failed")
    assert set(states[:-1]) <= {"running", states[-1]}


def test_why_an_upload_was_refused_can_be_read_afterwards(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        ticket = ada.submissions.begin_upload(sha256, len(data))
        ada.line.upload(parts_of(ticket.upload, ticket.turn, 0, data))
        with pytest.raises(RefusedError):
            ada.submissions.submit_version(ticket.upload, "0" * 64)
        found = ada.operations.get_operation(f"uploads/{ticket.upload}")
    assert found.state == "failed"
    assert "the archive holds version" in (found.error or "")


def test_the_progress_of_an_upload_is_for_its_owner_to_see(server: RunningServer, bot: Path) -> None:
    data, sha256 = packed(bot)
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        name = f"uploads/{ada.submissions.begin_upload(sha256, len(data)).upload}"
        others = (("eve", Scope.COMPETITOR), ("ada", Scope.VIEWER), (None, Scope.VIEWER))
        for after in (False, True):
            if after:
                submit(ada, bot, "", ignore)
            for owner, scope in others:
                with server.arena(server.token(owner, scope)) as other, pytest.raises(UnknownError, match="no upload"):
                    other.operations.get_operation(name)
        with pytest.raises(UnknownError, match="no upload"):
            ada.operations.get_operation("uploads/../../etc")


def test_limits_are_told_with_what_to_do(bot: Path, tmp_path: Path) -> None:
    limits = OwnerLimits(uploads_per_hour=2, versions=1)
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), limits=limits) as server,
        server.arena(server.token("ada", Scope.COMPETITOR)) as ada,
    ):
        submit(ada, bot, "", ignore)
        (bot / "main.py").write_text("pass", encoding="utf-8")
        with pytest.raises(BusyError):
            submit(ada, bot, "", ignore)
        other = write_bot(tmp_path / "owl", "owl")
        with pytest.raises(BusyError, match=r"2 uploads an hour.*try again in \d+ min"):
            submit(ada, other, "", ignore)


def test_many_submit_at_once_and_every_version_is_intact(server: RunningServer, tmp_path: Path) -> None:
    directories = {
        f"owner{number}": write_bot(tmp_path / str(number), "fox", f"# {number % 3}\n" * 1000) for number in range(5)
    }
    stored: dict[str, str] = {}

    def hand_in(owner: str, token: str) -> None:
        with server.arena(token) as arena:
            stored[owner] = submit(arena, directories[owner], "", ignore).content_hash

    tokens = {owner: server.token(owner, Scope.COMPETITOR) for owner in directories}
    threads = [threading.Thread(target=hand_in, args=pair) for pair in tokens.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stored == {owner: content_hash(directory) for owner, directory in directories.items()}
    for digest in stored.values():
        assert content_hash(server.store.get(digest).directory) == digest


def test_a_message_that_is_too_large_is_refused_by_the_transport(server: RunningServer) -> None:
    too_large = bot_pb2.UploadRequest(upload="x", chunk=b"0" * (2 << 20))
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada, pytest.raises(ServiceError):
        ada.line.upload(iter([too_large]))
