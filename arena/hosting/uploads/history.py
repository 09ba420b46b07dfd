"""Remembers which uploads each owner began lately and how they ended, in one small file per owner.

Threads and processes may use one history together, and may be killed at any moment: a file is replaced as a whole.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from arena.hosting.building import locked
from engine.text import from_json, to_json

KEPT_S = 3600.0
"""How long an upload is remembered after it ended."""
_UNFINISHED_KEPT_S = 4 * 24 * 3600.0
"""One that never ended is remembered for longer than it waits for its author."""

_NEW = ".new"


@dataclass(frozen=True, slots=True)
class PastUpload:
    """An upload that was begun. Times are those of the clock on the wall, in seconds."""

    id: str
    size_bytes: int
    begun_s: float
    ended_s: float | None = None
    sentence: str = ""
    """What it became."""
    error: str | None = None
    """Why it was refused."""


class UploadHistory:
    """The files below one directory. Every method may block on the disk, and raises OSError."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def changing(self, owner: str, now_s: float | None = None) -> Iterator[list[PastUpload]]:
        """Give what is remembered of an owner, oldest first, and keep what the block makes of it unless it raises.

        Nobody else changes anything meanwhile.
        """
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        now_s = time.time() if now_s is None else now_s
        with locked(self._root, fcntl.LOCK_EX):
            known = self._read(self._file(owner))
            past = [one for one in known if _is_kept(one, now_s)]
            yield past
            if past != known:  # whoever only looks needs no room on the disk
                self._write(self._file(owner), past)

    def note_end(self, owner: str, upload_id: str, sentence: str = "", error: str | None = None) -> None:
        """Remember what became of an upload, if it is remembered that it was begun."""
        now_s = time.time()
        with self.changing(owner, now_s) as past:
            for place, one in enumerate(past):
                if one.id == upload_id and one.ended_s is None:
                    past[place] = replace(one, ended_s=now_s, sentence=sentence, error=error)

    def find(self, upload_id: str, owner: str | None = None) -> PastUpload | None:
        """Return the upload of that id that was begun last, of one owner or of anybody."""
        files = self._root.glob("*.json") if owner is None else [self._file(owner)]
        found = [one for file in files for one in self._read(file) if one.id == upload_id]
        return max(found, key=lambda one: one.begun_s, default=None)

    def sweep(self) -> None:
        """Remove what is remembered of nobody any more, and what killed processes left."""
        if self._root.is_dir():
            with locked(self._root, fcntl.LOCK_EX):
                for left in (*self._root.glob(f"*{_NEW}"), *filter(self._is_over, self._root.glob("*.json"))):
                    left.unlink()

    def _is_over(self, file: Path) -> bool:
        return not any(_is_kept(one, time.time()) for one in self._read(file))

    def _file(self, owner: str) -> Path:
        # Hashed, so that no name of an owner is a path.
        return self._root / f"{hashlib.sha256(owner.encode()).hexdigest()[:32]}.json"

    def _read(self, file: Path) -> list[PastUpload]:
        try:
            return [
                PastUpload(**{**one, "error": one.get("error") and from_json(one["error"])})
                for one in json.loads(file.read_text(encoding="utf-8"))
            ]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError):  # damaged by a power cut: what it told is not worth a refusal
            return []

    def _write(self, file: Path, past: list[PastUpload]) -> None:
        new = file.with_suffix(_NEW)
        try:
            data = [{**asdict(one), "error": one.error and to_json(one.error)} for one in past]
            new.write_text(json.dumps(data), encoding="utf-8")
            new.rename(file)
        finally:
            new.unlink(missing_ok=True)


def _is_kept(one: PastUpload, now_s: float) -> bool:
    if one.ended_s is None:
        return now_s - one.begun_s < _UNFINISHED_KEPT_S
    return now_s - one.ended_s < KEPT_S or now_s - one.begun_s < KEPT_S
