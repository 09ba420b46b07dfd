"""Where replays and logs of a test are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.match.report import LOG_HEAD_BYTES, SeatLogText
from arena.trial.artifacts import ArtifactDirectory, KeepingError, held, usual_place, whole_log


def test_a_test_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    ArtifactDirectory(place)
    (place / "old.replay").touch()
    (place / "old.log").touch()
    ArtifactDirectory(place)
    assert list(place.iterdir()) == []


def test_two_tests_at_once_do_not_share_a_place(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    with (
        held(place),
        pytest.raises(
            KeepingError, match=r"another test keeps its replays in .*; wait until it is over, or name another"
        ),
        held(place),
    ):
        pass
    with held(place):
        assert place.is_dir()


def test_a_directory_that_holds_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.replay").touch()
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(KeepingError, match=r"thesis\.tex"):
        ArtifactDirectory(tmp_path)
    assert (tmp_path / "old.replay").exists()


def test_bots_of_one_name_in_two_places_are_kept_apart(tmp_path: Path) -> None:
    assert usual_place(tmp_path / "a" / "bot") != usual_place(tmp_path / "b" / "bot")


def test_a_log_says_where_something_was_left_out() -> None:
    log = SeatLogText(0, b"x" * LOG_HEAD_BYTES + b"the end", cut_bytes=1000)
    assert whole_log(log).endswith(b"x\n[1000 bytes left out]\nthe end")
    assert whole_log(SeatLogText(0, b"all")) == b"all"


def test_a_file_is_no_directory_to_keep_anything_in(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "file/below"):
        with pytest.raises(KeepingError, match=r"cannot be made \(.*\); name another directory with --keep"):
            ArtifactDirectory(tmp_path / place)
