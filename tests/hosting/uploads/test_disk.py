import errno
from contextlib import suppress
from pathlib import Path

import pytest

from arena.hosting.uploads.area import UploadArea
from arena.hosting.uploads.disk import KEPT_S, PastUpload, UploadHistory
from engine.text import Text, parts_of


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
