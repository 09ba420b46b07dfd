"""Uploads where the disk is full, and where the process is killed."""

from __future__ import annotations

import errno
import hashlib
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.hosting.uploads.resumable_uploads import UploadArea, UploadLimits, upload_id
from arena.hosting.uploads.upload_records import KEPT_S, PastUpload, UploadHistory
from engine.translatable import Text, parts_of
from tests.support.machines import run_on_small_disk
from tests.support.patience import PATIENCE_S


@pytest.fixture
def history(tmp_path: Path) -> UploadHistory:
    return UploadHistory(tmp_path / "history")


def begin(history: UploadHistory, owner: str, name: str, at_s: float) -> None:
    with history.changing(owner, at_s) as past:
        past.append(PastUpload(name, 10, at_s))


def remembered(history: UploadHistory, owner: str, at_s: float) -> list[str]:
    with history.changing(owner, at_s) as past:
        return [one.id for one in past]


def test_what_was_begun_is_remembered_by_owner_for_whoever_looks_next(history: UploadHistory, tmp_path: Path) -> None:
    begin(history, "ann", "a", 1000)
    begin(history, "ann", "b", 1001)
    begin(history, "bob", "c", 1002)
    again = UploadHistory(tmp_path / "history")
    assert remembered(again, "ann", 1003) == ["a", "b"]
    assert remembered(again, "bob", 1003) == ["c"]
    assert remembered(again, "../ann", 1003) == []


def test_nothing_is_remembered_of_a_block_that_raises(history: UploadHistory) -> None:
    begin(history, "ann", "a", 1000)
    with suppress(KeyError), history.changing("ann", 1001) as past:
        past.append(PastUpload("b", 10, 1001))
        raise KeyError
    assert remembered(history, "ann", 1001) == ["a"]


def test_what_became_of_an_upload_is_found_by_its_id(history: UploadHistory) -> None:
    for name in ("a", "b"):
        with history.changing("ann") as past:
            past.append(PastUpload(name, 10, 1e12))
    history.note_end("ann", "a", "ann/fox version 1")
    history.note_end("ann", "b", error=Text("it is no {what}", what="archive"))
    history.note_end("ann", "never begun")
    done, refused = history.find("a"), history.find("b", "ann")
    assert done is not None
    assert (done.sentence, done.error) == ("ann/fox version 1", None)
    assert done.ended_s is not None
    assert refused is not None
    assert refused.error == "it is no archive"
    assert parts_of(refused.error) == {"template": "it is no {what}", "parts": {"what": "archive"}}
    assert history.find("a", "bob") is None
    assert history.find("never begun") is None


def test_old_uploads_are_forgotten_and_a_damaged_file_is_an_empty_one(history: UploadHistory, tmp_path: Path) -> None:
    with history.changing("ann", 1000) as past:
        past.append(PastUpload("a", 10, 1000, ended_s=1010))
        past.append(PastUpload("unfinished", 10, 1000))
    assert remembered(history, "ann", 1000 + KEPT_S + 20) == ["unfinished"]
    for file in (tmp_path / "history").iterdir():
        file.write_bytes(b"[{")
    assert remembered(history, "ann", 1000) == []


def test_a_sweep_of_the_area_removes_what_nobody_needs(tmp_path: Path) -> None:
    area = UploadArea(tmp_path)
    area.sweep(1e9)
    begin(area.history, "ann", "long ago", 1000)
    (tmp_path / ".history" / "half.new").touch()
    area.sweep(1e9)
    assert list((tmp_path / ".history").iterdir()) == []
    assert area.uploads() == ()


def test_whoever_only_looks_needs_no_room_on_the_disk(history: UploadHistory, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(history, "ann", "a", 1000)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert remembered(history, "ann", 1001) == ["a"]


ARCHIVE = random.Random(7).randbytes(400_000)
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()
PIECE_BYTES = 1000
ROOMY = UploadLimits(free_bytes=0)

# Goes on with the upload and says how far it came, after what would be a new one each time.
UPLOAD = """
import hashlib, resource, sys
from pathlib import Path
from arena.hosting.uploads.resumable_uploads import UploadArea, UploadLimits
from arena.hosting.uploads.errors import UploadError
area, archive = UploadArea(Path(sys.argv[1]), UploadLimits(free_bytes=0)), Path(sys.argv[2]).read_bytes()
piece_bytes, most_bytes, others_bytes = map(int, sys.argv[3:])
if most_bytes:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
try:
    other = area.begin("bob", "0" * 64, 10)
    area.discard(other.id)
    upload = area.begin("ann", hashlib.sha256(archive).hexdigest(), len(archive))
    (area.root / "others").write_bytes(bytes(others_bytes))
    offset = upload.offset
    print(offset, flush=True)
    while offset < len(archive):
        offset = area.append(upload.id, offset, archive[offset : offset + piece_bytes], upload.turn)
        print(offset, flush=True)
    print(area.finish(upload.id), flush=True)
except UploadError as error:
    print(error.reason, error)
"""


def command(area: UploadArea, archive: Path, most_bytes: int = 0, others_bytes: int = 0) -> list[str]:
    """The command that uploads, perhaps with a limit for files, or beside others who fill the disk meanwhile."""
    archive.write_bytes(ARCHIVE)
    numbers = (PIECE_BYTES, most_bytes, others_bytes)
    return [sys.executable, "-c", UPLOAD, str(area.root), str(archive), *map(str, numbers)]


def said_by(words: list[str]) -> list[str]:
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout.splitlines()


def stored(area: UploadArea) -> bytes:
    """What has arrived; nothing if the upload is not even begun."""
    path = area.root / upload_id("ann", SHA256) / "data"
    return path.read_bytes() if path.exists() else b""


@pytest.mark.host_fault("killed-while-a-bot-is-uploaded")
@pytest.mark.parametrize("most", [4, pytest.param(20, marks=pytest.mark.needs("minutes"))])
def test_an_upload_killed_at_any_moment_goes_on_until_it_is_whole(tmp_path: Path, most: int) -> None:
    area, moments, kills = UploadArea(tmp_path / "uploads", ROOMY), random.Random(11), 0
    words = command(area, tmp_path / "archive")
    while kills < most:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        # Now and then while it begins, most times between two pieces or within one.
        said = [process.stdout.readline() for _ in range(moments.choice([0, 1, 5, 10]))]
        process.kill()
        said += process.communicate(timeout=PATIENCE_S)[0].splitlines()
        if process.returncode == 0:  # it came to the end before it was killed
            area.discard(upload_id("ann", SHA256))
            continue
        kills += 1
        whole = [line for line in said if line.strip()]
        arrived = stored(area)
        assert arrived == ARCHIVE[: len(arrived)]
        # The last line may have been cut off by the kill.
        assert len(arrived) >= max((int(line) for line in whole[:-1]), default=0)
    before = len(stored(area))
    said = said_by(words)
    assert int(said[0]) == before
    assert said[-1] == str(area.finish(upload_id("ann", SHA256)))
    assert stored(area) == ARCHIVE
    area.sweep(3600)
    assert sorted(path.name for path in area.root.iterdir()) == [upload_id("ann", SHA256), "others"]


@pytest.mark.host_fault("file-size-limit-while-a-bot-is-uploaded")
def test_a_file_that_may_not_grow_keeps_what_arrived_and_goes_on_later(tmp_path: Path) -> None:
    area = UploadArea(tmp_path / "uploads", ROOMY)
    said = said_by(command(area, tmp_path / "archive", most_bytes=100_500))
    assert said[-1].startswith(
        "UPLOAD_DISK_FULL the service cannot store the upload (File too large); what has arrived"
    )
    assert stored(area) == ARCHIVE[:100_500]
    assert said_by(command(area, tmp_path / "archive"))[0] == "100500"
    assert stored(area) == ARCHIVE


@pytest.mark.host_fault("disk-full-while-a-bot-is-uploaded")
@pytest.mark.needs("minutes")
def test_a_full_disk_keeps_what_arrived(tmp_path: Path) -> None:
    area = UploadArea(tmp_path / "uploads", ROOMY)
    words = command(area, tmp_path / "archive", others_bytes=300_000)
    said = run_on_small_disk(area.root, 500, words, f"cat {area.root}/*/data > {tmp_path}/arrived")
    assert said[-1].startswith("UPLOAD_DISK_FULL ")
    arrived = (tmp_path / "arrived").read_bytes()
    assert len(arrived) >= int(said[-2]) > 0
    assert arrived == ARCHIVE[: len(arrived)]
