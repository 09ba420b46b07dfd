"""Where a lost match turned, by the value that the search sample gives its positions."""

from __future__ import annotations

from pathlib import Path

from arena.trial.review import ValueDrop, find_drop, largest_drop


def test_the_largest_fall_is_found_and_of_equal_ones_the_first() -> None:
    assert largest_drop([(3, 0.5), (7, 0.75), (9, 0.25), (12, 0.5), (20, 0.0)]) == ValueDrop(7, 0.75, 0.25)


def test_a_value_that_never_falls_has_no_fall() -> None:
    assert largest_drop([(3, 0.25), (9, 0.5), (12, 0.5)]) is None
    assert largest_drop([]) is None


async def test_a_replay_that_cannot_be_read_has_no_fall(tmp_path: Path) -> None:
    (tmp_path / "broken.replay").write_bytes(b"no replay")
    assert await find_drop(tmp_path / "broken.replay", 0) is None
