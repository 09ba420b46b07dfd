"""What owners hand in: archives that lie about themselves, and the page of an admission with its stream."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import re
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from arena.hosting.archive.format import ArchiveLimits
from arena.web.owners.archives import MOST_LIST_BYTES, InvalidUploadError, unpack_bot
from arena.web.shared.streams import event
from ratings.ledger.service_ledger import ServiceLedger
from ratings.values.states import Scope
from tests.support.owners import RunningServer
from tests.support.places import write_quick_bot
from tests.support.web_pages import sign_in, zipped

LIMITS = ArchiveLimits(total_bytes=1 << 20, files=50)
MUCH_BYTES = 32 << 20
"""More than the unpacking of a small bot may ever take."""


def unpack(content: bytes, directory: Path) -> Path:
    return unpack_bot(io.BytesIO(content), directory, LIMITS)


def packed(*blocks: bytes, times: int = 1) -> bytes:
    """A compressed tar file of those blocks, again and again."""
    kept = io.BytesIO()
    with gzip.GzipFile(fileobj=kept, mode="wb", compresslevel=1) as file:
        for _ in range(times):
            file.writelines(blocks)
    return kept.getvalue()


def header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def much_of(name: str, kind: bytes) -> bytes:
    """A tar file with one member of that kind, and much in it."""
    return packed(header(name, kind, MUCH_BYTES), *[b"a" * (1 << 20)] * (MUCH_BYTES >> 20))


def zip_with(data: bytes, **changes: Any) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", **changes) as archive:
        archive.writestr("bot.toml", data)
    return kept.getvalue()


def damaged(archive: bytes) -> bytes:
    """A zip file whose first member has the first bytes of what is in it wrong."""
    begin = 30 + len("bot.toml")
    return archive[:begin] + b"\xff" * 4 + archive[begin + 4 :]


def zip_of_many() -> bytes:
    """A zip file whose list is longer than that of any bot."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for number in range(MOST_LIST_BYTES // 46 // 200 + 1):
            archive.writestr(f"{number:06}" + "x" * 194, b"")
    return kept.getvalue()


LIES: dict[str, Callable[[], bytes]] = {
    "a long name": partial(much_of, "x", tarfile.GNUTYPE_LONGNAME),
    "a long link": partial(much_of, "x", tarfile.GNUTYPE_LONGLINK),
    "a long header": partial(much_of, "x", tarfile.XHDTYPE),
    "a long header for all": partial(much_of, "x", tarfile.XGLTYPE),
    "a large hidden file": partial(much_of, ".x", tarfile.REGTYPE),
    "directories without end": partial(packed, header("d", tarfile.DIRTYPE), times=20_000),
    "hidden files without end": partial(packed, header(".x"), times=20_000),
    "a sparse file": partial(packed, header("x", tarfile.GNUTYPE_SPARSE, 10)),
    "a size below nothing": partial(packed, header("x", size=-1024)),
    "a list without end": zip_of_many,
}
ALIVE = b'schema = 1\nname = "owl"\n'
BROKEN = {
    "damaged": damaged(zip_with(b"a" * 1000, compression=zipfile.ZIP_DEFLATED)),
    "damaged gzip": packed(header("x", size=5000) + bytes(5000))[:-40] + bytes(40),
    "cut xz": lzma.compress(header("bot.toml", size=2000) + bytes(4096))[:-30],
    "zip by lzma": zip_with(ALIVE, compression=zipfile.ZIP_LZMA),
}


@pytest.mark.hostile(
    "web-archive-of-long-names",
    "web-archive-of-hidden-files",
    "web-archive-of-directories-without-end",
    "web-archive-with-a-sparse-file",
    "web-archive-with-a-size-below-nothing",
    "web-archive-with-a-list-without-end",
)
@pytest.mark.parametrize("lie", LIES)
def test_what_an_archive_says_of_itself_takes_no_memory(lie: str, tmp_path: Path) -> None:
    content = LIES[lie]()
    tracemalloc.start()
    try:
        with pytest.raises(InvalidUploadError):
            unpack(content, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < MUCH_BYTES // 2
    finally:
        tracemalloc.stop()


@pytest.mark.hostile("web-damaged-archive")
@pytest.mark.parametrize("what", BROKEN)
def test_what_is_damaged_is_no_fault_of_the_arena(what: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidUploadError):
        unpack(BROKEN[what], tmp_path)


@pytest.mark.parametrize("kind", ["w", "w:gz", "w:bz2", "w:xz"])
def test_honest_archives_are_unpacked_with_long_names_and_what_is_left_out(kind: str, tmp_path: Path) -> None:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode=kind) as archive:  # type: ignore[call-overload]
        for name in ("./bot.toml", "./.git/objects/x", "./deep/" + "n" * 200 + "/" + "m" * 120):
            info = tarfile.TarInfo(name)
            info.size = len(ALIVE)
            archive.addfile(info, io.BytesIO(ALIVE))
    assert unpack(kept.getvalue(), tmp_path) == tmp_path
    assert {path.name for path in tmp_path.iterdir()} == {"bot.toml", "deep"}


@pytest.mark.host_fault("disk-full-under-the-pages")
def test_a_full_disk_is_not_taken_for_a_bad_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OSError, match="No space left"):
        unpack(zip_with(ALIVE), tmp_path)


def hand_in(client: TestClient, proof: str, directory: Path, name: str) -> str:
    """Hand a bot in; its version."""
    bot = write_quick_bot(directory / name, "first", name=name)
    page = client.post("/account/upload", data={"proof": proof}, files={"archive": (f"{name}.zip", zipped(bot))})
    assert page.status_code == 200, page.text
    return str(page.url.params["version"])


def refuse(server: RunningServer) -> None:
    """Have the admission that waits longest refused, for something that a bot wrote."""
    ledger = ServiceLedger(server.database)
    taken = ledger.take_admission()
    assert taken is not None
    evidence = {"stderr": "<script>alert(1)</script>\nTraceback", "stdout": "<script>alert(2)</script>"}
    finding = {"check": "start", "state": "failed", "sentence": "it <b>ended</b>", "evidence": evidence}
    assert ledger.add_finding(taken.admission.id, finding)
    assert ledger.finish_admission(taken.admission.id, is_admitted=False, summary="Refused.", findings=[finding])


def test_the_stream_sends_what_is_new_to_its_end_and_nothing_twice(
    server: RunningServer, client: TestClient, tmp_path: Path
) -> None:
    version = hand_in(client, sign_in(client, server.token("ada", Scope.COMPETITOR)), tmp_path, "fox")
    page = client.get("/account/admission", params={"version": version}).text
    (live,) = re.findall(r'sse-connect="([^"]+)"', page)
    refuse(server)
    answer = client.get(live.replace("&amp;", "&"))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    kinds = re.findall(r"^event: (\w+)$", answer.text, re.MULTILINE)
    assert kinds == ["findings", "log", "over"]
    assert "&lt;script&gt;alert(1)" in answer.text
    assert "What the bot wrote to stdout" in answer.text
    assert "&lt;script&gt;alert(2)" in answer.text
    assert "<script>" not in answer.text
    place = re.findall(r"^id: (\S+)$", answer.text, re.MULTILINE)[-1]
    again = client.get(live.replace("&amp;", "&"), headers={"last-event-id": place}).text
    assert re.findall(r"^event: (\w+)$", again, re.MULTILINE) == ["over"]
    assert client.get(live.replace("&amp;", "&"), headers={"last-event-id": "x.y.z"}).text.count("event:") == 3
    page = client.get("/account/admission", params={"version": version}).text
    assert "sse-connect" not in page
    assert "it &lt;b&gt;ended" in page


def test_a_revoked_token_ends_the_stream(server: RunningServer, client: TestClient, tmp_path: Path) -> None:
    token = server.token("ada", Scope.COMPETITOR)
    version = hand_in(client, sign_in(client, token), tmp_path, "elk")
    with server.arena(token) as ada:
        ada.account.revoke_own_token(ada.account.get_identity().token or "")
    text = client.get("/account/admission/live", params={"version": version}).text
    assert "was revoked or has expired" in text
    assert "ada/elk" not in text
    assert text.rstrip().endswith("event: over\ndata: over")


def test_strangers_and_others_are_sent_nothing(server: RunningServer, client: TestClient, tmp_path: Path) -> None:
    version = hand_in(client, sign_in(client, server.token("ada", Scope.COMPETITOR)), tmp_path, "hen")
    sign_in(client, server.token("bob", Scope.COMPETITOR))
    assert client.get("/account/admission", params={"version": version}).status_code == 403
    text = client.get("/account/admission/live", params={"version": version}).text
    assert "is for its owner to see" in text
    client.cookies.clear()
    assert client.get("/account/admission/live?version=x", follow_redirects=False).headers["location"] == "/login"


def test_no_more_follow_than_can_be_served(server: RunningServer, client: TestClient) -> None:
    sign_in(client, server.token("ada", Scope.COMPETITOR))
    followers = client.app.state.followers  # type: ignore[attr-defined] # it is the application of the pages
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(followers, "_most", 0)
        assert client.get("/account/admission/live?version=ada/fox").status_code == 503


def test_an_event_holds_any_text() -> None:
    text = event("log", "a\r\nb\rc\n", "1.2").decode()
    assert text == "event: log\nid: 1.2\ndata: a\ndata: b\ndata: c\ndata: \n\n"
