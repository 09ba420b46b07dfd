"""Uploads arrive piece by piece, in whatever order things happen, and become the version that was sent."""

from __future__ import annotations

import hashlib
import io
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from arena.hosting.archive.checking import add_archive
from arena.hosting.archive.format import BotArchiveError
from arena.hosting.archive.packing import Archive, compress_chunk, expand_chunk, pack
from arena.hosting.store import VersionStore
from arena.hosting.uploads.errors import (
    UploadDamagedError,
    UploadError,
    UploadMissingError,
    UploadOffsetError,
    UploadReason,
    UploadRefusedError,
    UploadSpaceError,
    UploadSupersededError,
)
from arena.hosting.uploads.resumable_uploads import UploadArea, UploadLimits, upload_id
from tests.hosting.archive.archives import LEAST, write_files

ARCHIVE = random.Random(7).randbytes(10_000)
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()
ROOMY = UploadLimits(free_bytes=0)
SHORT_ARCHIVE = random.Random(7).randbytes(701)
WHOLE, CUT_OFF, MALFORMED, OTHER_BYTES = "whole", "cut off", "malformed", "other bytes"


@pytest.fixture
def area(tmp_path: Path) -> UploadArea:
    return UploadArea(tmp_path / "uploads", ROOMY)


def whole(area: UploadArea, owner: str = "ann", archive: bytes = ARCHIVE) -> str:
    """The id of an upload of which everything has arrived."""
    upload = area.begin(owner, hashlib.sha256(archive).hexdigest(), len(archive))
    area.append(upload.id, upload.offset, archive[upload.offset :], upload.turn)
    return upload.id


def sha(number: int) -> str:
    return f"{number:064x}"


def files(area: UploadArea) -> list[str]:
    return sorted(str(path.relative_to(area.root)) for path in area.root.rglob("*"))


def test_an_archive_arrives_in_pieces(area: UploadArea) -> None:
    upload = area.begin("ann", SHA256, len(ARCHIVE))
    assert (upload.offset, upload.owner, upload.size_bytes) == (0, "ann", len(ARCHIVE))
    offset = 0
    for size_bytes in (1, 0, 4096, 5000, 903):
        offset = area.append(upload.id, offset, ARCHIVE[offset : offset + size_bytes], upload.turn)
        assert area.get(upload.id).offset == offset
    for _ in range(2):
        assert area.finish(upload.id).read_bytes() == ARCHIVE
    area.discard(upload.id)
    area.discard(upload.id)
    assert files(area) == []


def test_nobody_else_on_the_machine_reads_what_is_uploaded(area: UploadArea) -> None:
    path = area.finish(whole(area))
    modes = [place.stat().st_mode & 0o777 for place in (path, path.parent, area.root)]
    assert modes == [0o600, 0o700, 0o700]


def test_what_is_begun_again_goes_on_where_it_stopped(area: UploadArea) -> None:
    first = area.begin("ann", SHA256, len(ARCHIVE))
    area.append(first.id, 0, ARCHIVE[:1000], first.turn)
    again = UploadArea(area.root, ROOMY).begin("ann", SHA256, len(ARCHIVE))
    assert (again.id, again.offset) == (first.id, 1000) == (upload_id("ann", SHA256), 1000)
    area.append(again.id, 1000, ARCHIVE[1000:], again.turn)
    assert area.finish(again.id).read_bytes() == ARCHIVE


def test_a_second_stream_takes_over_and_the_first_is_told(area: UploadArea) -> None:
    first = area.begin("ann", SHA256, len(ARCHIVE))
    second = area.begin("ann", SHA256, len(ARCHIVE))
    with pytest.raises(UploadSupersededError, match="another submission of this bot goes on"):
        area.append(first.id, 0, ARCHIVE[:10], first.turn)
    assert area.append(second.id, 0, ARCHIVE[:10], second.turn) == 10


def test_a_stream_whose_upload_was_discarded_does_not_write_into_the_next(area: UploadArea) -> None:
    first = area.begin("ann", SHA256, len(ARCHIVE))
    area.discard(first.id)
    with pytest.raises(UploadMissingError):
        area.append(first.id, 0, b"x", first.turn)
    second = area.begin("ann", SHA256, len(ARCHIVE))
    with pytest.raises(UploadSupersededError):
        area.append(first.id, 0, b"x", first.turn)
    assert area.get(second.id).offset == 0


def test_two_owners_upload_the_same_archive_apart(area: UploadArea) -> None:
    ids = {whole(area, owner) for owner in ("ann", "bob")}
    assert len(ids) == 2
    assert {upload.owner for upload in area.uploads()} == {"ann", "bob"}
    assert [upload.id for upload in area.uploads("ann")] == [upload_id("ann", SHA256)]
    assert area.stored_bytes("ann") == len(ARCHIVE)
    assert area.stored_bytes() == 2 * len(ARCHIVE)


def test_owners_and_hashes_are_never_mixed_up() -> None:
    assert upload_id('a"', "b") != upload_id("a", '"b')


@pytest.mark.parametrize("offset", [-1, 0, 999, 1001, 1 << 62])
def test_a_piece_that_does_not_fit_is_refused_with_the_place_to_go_on(area: UploadArea, offset: int) -> None:
    upload = area.begin("ann", SHA256, len(ARCHIVE))
    area.append(upload.id, 0, ARCHIVE[:1000], upload.turn)
    with pytest.raises(UploadOffsetError, match="and 1000 are stored; go on there") as caught:
        area.append(upload.id, offset, b"x", upload.turn)
    assert caught.value.offset == area.get(upload.id).offset == 1000


@pytest.mark.hostile("send-more-than-announced")
def test_more_than_was_announced_is_refused(area: UploadArea) -> None:
    upload = area.begin("ann", SHA256, len(ARCHIVE))
    with pytest.raises(UploadRefusedError, match="more arrives than the 10000 bytes that were announced") as caught:
        area.append(upload.id, 0, ARCHIVE + b"x", upload.turn)
    assert caught.value.reason is UploadReason.OVERRUN
    assert area.get(upload.id).offset == 0


def test_an_unfinished_upload_cannot_be_finished_and_stays(area: UploadArea) -> None:
    upload = area.begin("ann", SHA256, len(ARCHIVE))
    area.append(upload.id, 0, ARCHIVE[:-1], upload.turn)
    with pytest.raises(UploadOffsetError, match="9999 of 10000 bytes have arrived; go on there") as caught:
        area.finish(upload.id)
    assert caught.value.offset == 9999
    area.append(upload.id, 9999, ARCHIVE[-1:], upload.turn)
    assert area.finish(upload.id)


@pytest.mark.hostile("send-other-bytes-than-announced")
def test_bytes_that_are_not_those_announced_are_refused(area: UploadArea) -> None:
    upload = area.begin("ann", SHA256, len(ARCHIVE))
    area.append(upload.id, 0, bytes(len(ARCHIVE)), upload.turn)
    with pytest.raises(UploadDamagedError, match="its SHA-256 differs; submit the bot again"):
        area.finish(upload.id)
    area.discard(upload.id)
    assert files(area) == []
    assert area.finish(whole(area)).read_bytes() == ARCHIVE


@pytest.mark.hostile("upload-id-that-is-a-path")
@pytest.mark.parametrize("id_", ["", "..", "../../etc", "0" * 31, "0" * 33, "F" * 32, "0" * 32, "meta.json"])
def test_an_id_that_is_none_leads_nowhere(area: UploadArea, id_: str) -> None:
    whole(area)
    for ask in (area.get, area.finish, lambda id_: area.append(id_, 0, b"", 1)):
        with pytest.raises(UploadMissingError, match="there is no such upload; submit the bot again"):
            ask(id_)
    area.discard(id_)
    assert area.stored_bytes() == len(ARCHIVE)


@pytest.mark.parametrize(("sha256", "size_bytes"), [("x", 1), (SHA256.upper(), 1), (SHA256, 0), (SHA256, -1)])
def test_an_announcement_without_sense_is_refused(area: UploadArea, sha256: str, size_bytes: int) -> None:
    with pytest.raises(UploadRefusedError) as caught:
        area.begin("ann", sha256, size_bytes)
    assert caught.value.reason is UploadReason.INVALID
    assert not area.root.exists()


def test_an_announcement_of_another_size_is_refused(area: UploadArea) -> None:
    area.begin("ann", SHA256, len(ARCHIVE))
    with pytest.raises(UploadRefusedError, match="was begun with 10000 bytes"):
        area.begin("ann", SHA256, 1)


@pytest.mark.parametrize(
    ("limits", "owner", "reason"),
    [
        (UploadLimits(free_bytes=0, archive_bytes=99), "ann", UploadReason.TOO_LARGE),
        (UploadLimits(free_bytes=0, unfinished_per_owner=2), "ann", UploadReason.TOO_MANY),
        (UploadLimits(free_bytes=0, owner_bytes=299), "ann", UploadReason.OWNER_FULL),
        (UploadLimits(free_bytes=0, total_bytes=299), "bob", UploadReason.AREA_FULL),
        (UploadLimits(free_bytes=1 << 60), "bob", UploadReason.DISK_FULL),
    ],
)
def test_a_limit_holds_for_what_was_announced(
    tmp_path: Path, limits: UploadLimits, owner: str, reason: UploadReason
) -> None:
    for number in range(2):
        UploadArea(tmp_path, ROOMY).begin("ann", sha(number), 100)
    with pytest.raises(UploadError, match="; ") as caught:
        UploadArea(tmp_path, limits).begin(owner, sha(2), 100)
    assert caught.value.reason is reason
    assert len(UploadArea(tmp_path, limits).uploads()) == 2


@pytest.mark.parametrize(
    "limits",
    [UploadLimits(free_bytes=0, unfinished_per_owner=2), UploadLimits(free_bytes=0, owner_bytes=200, total_bytes=200)],
)
def test_an_upload_at_the_limit_can_be_begun_again_and_another_after_it(tmp_path: Path, limits: UploadLimits) -> None:
    area = UploadArea(tmp_path, limits)
    ids = [area.begin("ann", sha(number), 100).id for number in (0, 1, 1, 0)]
    area.discard(ids[0])
    assert area.begin("ann", sha(2), 100)


@pytest.mark.hostile("begin-many-uploads-at-once")
def test_the_limit_of_uploads_holds_when_many_are_begun_at_once(tmp_path: Path) -> None:
    def begin(number: int) -> bool:
        try:
            UploadArea(tmp_path, ROOMY).begin("ann", sha(number), 100)
        except UploadRefusedError:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        begun = list(pool.map(begin, range(32)))
    assert sum(begun) == len(UploadArea(tmp_path, ROOMY).uploads()) == ROOMY.unfinished_per_owner


@pytest.mark.host_fault("disk-full-while-a-bot-is-uploaded")
def test_a_piece_for_which_the_disk_has_no_room_is_refused_and_what_is_there_stays(area: UploadArea) -> None:
    upload = area.begin("ann", SHA256, len(ARCHIVE))
    area.append(upload.id, 0, ARCHIVE[:10], upload.turn)
    with pytest.raises(UploadSpaceError, match="nearly full; what has arrived is kept, submit again later"):
        UploadArea(area.root, UploadLimits(free_bytes=1 << 60)).append(upload.id, 10, b"x", upload.turn)
    assert area.get(upload.id).offset == 10


def test_streams_that_take_over_from_one_another_at_once_end_with_the_archive(area: UploadArea) -> None:
    def stream(seed: int) -> Iterator[UploadReason]:
        sizes = random.Random(seed)
        upload = area.begin("ann", SHA256, len(ARCHIVE))
        offset = upload.offset
        while offset < len(ARCHIVE):
            piece = ARCHIVE[offset : offset + sizes.randint(1, 200)]
            try:
                offset = area.append(upload.id, offset, piece, upload.turn)
            except UploadError as error:
                yield error.reason
                return

    with ThreadPoolExecutor(8) as pool:
        reasons = list(pool.map(lambda seed: list(stream(seed)), range(8)))
    assert {reason for found in reasons for reason in found} <= {UploadReason.SUPERSEDED}
    assert [] in reasons
    assert area.finish(upload_id("ann", SHA256)).read_bytes() == ARCHIVE


def test_a_sweep_removes_what_nobody_touched_and_what_a_kill_left(area: UploadArea) -> None:
    old, new = whole(area, "ann"), whole(area, "bob")
    os.utime(area.root / old / "data", (0, 0))
    shutil.copytree(area.root / old, area.root / f".unmade-{old}")
    (area.root / "notes.txt").write_text("not an upload", encoding="utf-8")
    assert area.sweep(3600) == 1
    assert [upload.id for upload in area.uploads()] == [new]
    assert not list(area.root.glob(".*"))
    assert area.sweep(0) == 1
    assert files(area) == ["notes.txt"]


def test_whoever_goes_on_with_an_upload_touches_it(area: UploadArea) -> None:
    upload = area.begin("ann", SHA256, len(ARCHIVE))
    for touch in (
        lambda: area.begin("ann", SHA256, len(ARCHIVE)),
        lambda: area.append(upload.id, 0, ARCHIVE, area.get(upload.id).turn),
        lambda: area.finish(upload.id),
    ):
        os.utime(area.root / upload.id / "data", (0, 0))
        touch()
        assert area.sweep(3600) == 0


@pytest.mark.parametrize("content", ["", "{", "[]", '{"id": 1}'])
def test_an_upload_whose_facts_are_damaged_is_none_and_can_be_begun_anew(area: UploadArea, content: str) -> None:
    upload = whole(area)
    (area.root / upload / "meta.json").write_text(content, encoding="utf-8")
    with pytest.raises(UploadMissingError):
        area.get(upload)
    assert area.uploads() == ()
    assert area.finish(whole(area)).read_bytes() == ARCHIVE


def test_an_upload_whose_data_is_lost_can_be_begun_anew_and_swept(area: UploadArea) -> None:
    for lost in (lambda: whole(area), lambda: area.sweep(0)):
        upload = whole(area)
        (area.root / upload / "data").unlink()
        lost()
    assert files(area) == []


class Uploading(RuleBasedStateMachine):
    """Two owners upload two archives in any order of steps; what is stored is always a beginning of the archive."""

    archives = (SHORT_ARCHIVE[:700], SHORT_ARCHIVE)

    def __init__(self) -> None:
        super().__init__()
        self.turns: dict[tuple[str, int], int] = {}
        self.stored: dict[tuple[str, int], int] = {}
        self.place = tempfile.TemporaryDirectory()
        self.area = UploadArea(Path(self.place.name), UploadLimits(free_bytes=0))

    def teardown(self) -> None:
        self.place.cleanup()

    keys = st.tuples(st.sampled_from(["ann", "bob"]), st.integers(0, 1))

    def id_of(self, key: tuple[str, int]) -> str:
        return upload_id(key[0], hashlib.sha256(self.archives[key[1]]).hexdigest())

    @rule(key=keys)
    def begin(self, key: tuple[str, int]) -> None:
        archive = self.archives[key[1]]
        upload = self.area.begin(key[0], hashlib.sha256(archive).hexdigest(), len(archive))
        assert upload.offset == self.stored.setdefault(key, 0)
        self.turns[key] = upload.turn

    @rule(key=keys, size_bytes=st.integers(0, 800), shift=st.sampled_from([0, 0, 0, 0, 1, -1]))
    def append(self, key: tuple[str, int], size_bytes: int, shift: int) -> None:
        offset, archive = self.stored.get(key, 0) + shift, self.archives[key[1]]
        try:
            after = self.area.append(
                self.id_of(key), offset, archive[max(offset, 0) :][:size_bytes], self.turns.get(key, 0)
            )
        except UploadMissingError:
            assert key not in self.stored
        except UploadOffsetError as error:
            assert shift != 0
            assert error.offset == self.stored[key]  # noqa: PT017 - what else is right depends on the steps before
        else:
            assert shift == 0
            self.stored[key] = after

    @rule(key=keys)
    def finish(self, key: tuple[str, int]) -> None:
        try:
            path = self.area.finish(self.id_of(key))
        except (UploadMissingError, UploadOffsetError):
            assert self.stored.get(key) != len(self.archives[key[1]])
        else:
            assert path.read_bytes() == self.archives[key[1]]

    @rule(key=keys)
    def discard(self, key: tuple[str, int]) -> None:
        self.area.discard(self.id_of(key))
        self.stored.pop(key, None)

    @invariant()
    def what_is_stored_is_known(self) -> None:
        found = {upload.id: upload.offset for upload in self.area.uploads()}
        assert found == {self.id_of(key): offset for key, offset in self.stored.items()}


TestUploading = Uploading.TestCase
TestUploading.settings = settings(max_examples=12, stateful_step_count=20)


Packed = tuple[Archive, bytes]


def pack_bot(directory: Path, number: int) -> Packed:
    bot = write_files(directory / str(number), {**LEAST, "data": random.Random(number).randbytes(number * 997)})
    target = io.BytesIO()
    return pack(bot, target), target.getvalue()


def send(
    area: UploadArea, owner: str, archive: bytes, sha256: str, sizes: random.Random, *, breaks: bool
) -> str | None:
    """Upload an archive as a client does; the id if it did not break off."""
    upload = area.begin(owner, sha256, len(archive))
    offset = upload.offset
    while offset < len(archive):
        frame = compress_chunk(archive[offset : offset + sizes.randint(1, 20_000)])
        offset = area.append(upload.id, offset, expand_chunk(frame), upload.turn)
        if breaks and sizes.random() < 0.4:
            return None
    return upload.id


def submit(area: UploadArea, store: VersionStore, owner: str, packed: Packed, fate: str, seed: int) -> str | None:
    """The hash of the version that is stored in the end; None if there is none, and that is right."""
    (known, archive), sizes = packed, random.Random(seed)
    if fate == MALFORMED:
        archive = archive[:-512] + seed.to_bytes(512)
    sha256 = known.sha256 if fate == OTHER_BYTES else hashlib.sha256(archive).hexdigest()
    sent = bytes(len(archive)) if fate == OTHER_BYTES else archive
    id_ = None
    while id_ is None:
        id_ = send(area, owner, sent, sha256, sizes, breaks=fate == CUT_OFF)
    if fate == OTHER_BYTES:
        with pytest.raises(UploadDamagedError):
            area.finish(id_)
        area.discard(id_)
        return None
    try:
        with area.open_whole(id_) as file:
            return add_archive(store, file, known.content_hash).hash
    except BotArchiveError:
        assert fate == MALFORMED
        return None
    finally:
        area.discard(id_)


def test_of_many_submissions_at_once_all_whole_archives_are_stored_once(tmp_path: Path) -> None:
    area, store = UploadArea(tmp_path / "uploads", UploadLimits(free_bytes=0)), VersionStore(tmp_path / "store")
    bots = [pack_bot(tmp_path / "bots", number) for number in range(10)]
    fates = random.Random(5).choices([WHOLE, CUT_OFF, MALFORMED, OTHER_BYTES], [4, 3, 2, 1], k=60)

    def submit_number(number: int) -> str | None:
        return submit(area, store, f"owner{number}", bots[number % 10], fates[number], number)

    with ThreadPoolExecutor(20) as pool:
        stored = list(pool.map(submit_number, range(60)))
    right = [bots[number % 10][0].content_hash if fates[number] in (WHOLE, CUT_OFF) else None for number in range(60)]
    assert stored == right
    assert sorted(path.name for path in store.root.iterdir()) == sorted({hash_ for hash_ in right if hash_})
    assert all(store.get(hash_).hash == hash_ for hash_ in store.hashes())
    assert not list(area.root.iterdir())


def test_one_owner_who_submits_the_same_bot_from_many_places_gets_it_stored(tmp_path: Path) -> None:
    area, store = UploadArea(tmp_path / "uploads", UploadLimits(free_bytes=0)), VersionStore(tmp_path / "store")
    bot = pack_bot(tmp_path / "bots", 300)

    def submit_number(number: int) -> str:
        try:
            return submit(area, store, "ann", bot, WHOLE, number) or ""
        except UploadSupersededError:
            return "superseded"
        except UploadError as error:  # another stream was faster and discarded what it had finished
            return str(error.reason)

    with ThreadPoolExecutor(10) as pool:
        ends = set(pool.map(submit_number, range(20)))
    assert bot[0].content_hash in ends
    assert ends <= {bot[0].content_hash, "superseded", "UPLOAD_MISSING", "UPLOAD_OFFSET"}
    assert store.hashes() == [bot[0].content_hash]
