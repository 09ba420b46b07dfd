"""Which changes of a bot's directory count."""

from __future__ import annotations

import os
from pathlib import Path

from arena.trial.watching import changed_files, take_snapshot


def test_a_file_that_is_new_gone_or_different_has_changed(tmp_path: Path) -> None:
    for name in ("main.py", "old.py", "same.py"):
        (tmp_path / name).write_text("1")
    before = take_snapshot(tmp_path)
    (tmp_path / "main.py").write_text("12")
    (tmp_path / "old.py").unlink()
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "new.py").touch()
    assert changed_files(before, take_snapshot(tmp_path)) == ["kit/new.py", "main.py", "old.py"]


def test_a_file_of_equal_size_that_was_written_again_has_changed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("1")
    before = take_snapshot(tmp_path)
    os.utime(tmp_path / "main.py", ns=(1, 1))
    assert changed_files(before, take_snapshot(tmp_path)) == ["main.py"]


LEFT = [
    "__pycache__/main.cpython-311.pyc", ".git/index", ".main.py.swp", "main.py~", "#main.py#", "4913",
    "build/bot", "node_modules/x/index.js", "target/debug/bot", "main.o", ".#main.py",
]  # fmt: skip


def test_what_builds_and_editors_leave_does_not_count(tmp_path: Path) -> None:
    before = take_snapshot(tmp_path)
    for name in LEFT:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        assert take_snapshot(tmp_path) == before, name


def test_a_directory_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert take_snapshot(tmp_path / "gone") == {}
