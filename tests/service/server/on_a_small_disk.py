"""Hands bots in at a server on a disk that becomes full, and tells what was said.

python -m tests.service.server.on_a_small_disk DISK SOURCES

Run by a test on a disk of its own. The sources lie elsewhere.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from arena.hosting.content import content_hash
from arena.hosting.uploads.resumable_uploads import UploadLimits
from arena.model.errors import ClientError
from arena.rpc.remote_arena import RemoteArena
from arena.rpc.upload import submit
from ratings.values.states import Scope
from tests.cli.support import write_bot
from tests.service.server.test_submission_troubles import recorded, send
from tests.service.server.test_submissions import ignore, packed, parts_of
from tests.support.owners import RunningServer, running_server

SIZE = 600_000


def fill(disk: Path, left_bytes: int) -> Path:
    """Fill the disk until so much is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            file.truncate(max(0, ballast.stat().st_size - left_bytes))
    return ballast


def make_bot(sources: Path, name: str) -> Path:
    bot = write_bot(sources / name, name)
    (bot / "data").write_bytes(random.Random(name).randbytes(SIZE))
    return bot


def refusal(error: ClientError) -> dict[str, str]:
    return {"kind": type(error).__name__, "message": str(error)}


def upload_until_full(disk: Path, ada: RemoteArena, bot: Path, server: RunningServer) -> dict[str, object]:
    """Run out of space in the middle of an upload, and go on when there is some."""
    data, sha256 = packed(bot)
    ada.submissions.begin_upload(sha256, len(data))
    ballast = fill(disk, SIZE // 2)
    ticket = ada.submissions.begin_upload(sha256, len(data))
    try:
        ada.line.upload(parts_of(ticket.upload, ticket.turn, 0, data))
    except ClientError as error:
        said = refusal(error)
    (upload,) = server.uploads.uploads("ada")
    ballast.unlink()
    return {"while uploading": said, "arrived": upload.offset, "size": upload.size_bytes}


def store_until_full(disk: Path, ada: RemoteArena, bot: Path, server: RunningServer) -> dict[str, object]:
    """Run out of space when an archive that arrived is unpacked, and go on when there is some."""
    ticket = send(ada, bot)
    ballast = fill(disk, SIZE // 2)
    try:
        ada.submissions.submit_version(ticket.upload, content_hash(bot))
    except ClientError as error:
        said = refusal(error)
    half = [path.name for path in server.store.root.iterdir()]
    found = recorded(server)
    ballast.unlink()
    return {"while storing": said, "half stored": half, "recorded": found}


def main(disk: Path, sources: Path) -> None:
    """Print what was said, in one line of JSON."""
    first, second = make_bot(sources, "first"), make_bot(sources, "second")
    with (
        running_server(disk, upload_limits=UploadLimits(free_bytes=0)) as server,
        server.arena(server.token("ada", Scope.COMPETITOR)) as ada,
    ):
        said = upload_until_full(disk, ada, first, server) | store_until_full(disk, ada, second, server)
        new = [submit(ada, bot, "", ignore).new for bot in (first, second)]
        left = [upload.id for upload in server.uploads.uploads()]
    sys.stdout.write(json.dumps({**said, "new": new, "left": left}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
