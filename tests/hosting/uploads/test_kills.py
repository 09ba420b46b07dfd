import hashlib
import random
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.uploads.area import UploadArea, UploadLimits, upload_id
from tests.support.machines import run_on_small_disk
from tests.support.patience import PATIENCE_S

ARCHIVE = random.Random(7).randbytes(400_000)
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()
PIECE_BYTES = 1000
ROOMY = UploadLimits(free_bytes=0)

# Goes on with the upload and says how far it came, after what would be a new one each time.
UPLOAD = """
import hashlib, resource, sys
from pathlib import Path
from arena.hosting.uploads.area import UploadArea, UploadLimits
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
