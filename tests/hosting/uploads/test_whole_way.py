import hashlib
import io
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.hosting.archive.errors import BotArchiveError
from arena.hosting.archive.packing import Archive, pack
from arena.hosting.archive.storing import add_archive
from arena.hosting.archive.transport import compress_chunk, expand_chunk
from arena.hosting.store import VersionStore
from arena.hosting.uploads.area import UploadArea, UploadLimits
from arena.hosting.uploads.errors import UploadDamagedError, UploadError, UploadSupersededError
from tests.hosting.archive.archives import LEAST, write_files

WHOLE, CUT_OFF, MALFORMED, OTHER_BYTES = "whole", "cut off", "malformed", "other bytes"
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
