"""What an arena tells a program, as frames of pandas."""

from pathlib import Path
from typing import Any

import pytest

from arena.api import Arena, Entrant
from tests.api.players import PlaceBot, first
from tests.cli.table import TableExecutor


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.scripting.open_arena.LocalExecutor", TableExecutor)
        with Arena(tmp_path_factory.mktemp("frames") / "frames.db", workers=2) as made:
            bots = ["random", first, Entrant(PlaceBot(1), name="second")]
            made.tournament("foreign_king", bots, blocks=2, seed=7, name="study", progress=False)
            yield made


@pytest.mark.parametrize("ask", ["leaderboard", "official", "bots", "matches", "tournaments"])
def test_a_table_is_a_frame_with_a_column_for_each_field(ask: str, arena: Arena) -> None:
    table = getattr(arena, ask)()
    frame = table.to_pandas()
    assert len(frame) == len(table)
    assert list(frame.columns) == list(type(table[0]).__slots__)
    assert list(frame.iloc[0]) == [getattr(table[0], name) for name in frame.columns]


def test_an_empty_table_is_a_frame_without_rows(arena: Arena) -> None:
    frame = arena.matches(fault="any").to_pandas()
    assert (len(frame), "seats" in frame.columns) == (0, True)


def test_a_crosstable_is_a_square_by_names(arena: Arena) -> None:
    table = arena.crosstable("study")
    square = table.to_pandas()
    assert list(square.index) == list(square.columns) == list(table.bots)
    assert square.loc["first", "second"] + square.loc["second", "first"] == pytest.approx(1)
    pairs = table.pairs()
    assert len(pairs) == 6
    assert {"matches", "wins", "ties", "losses"} <= set(pairs.columns)


def test_official_ratings_tell_who_is_stronger(arena: Arena) -> None:
    chances = arena.official().stronger()
    assert chances.loc["first", "random"] + chances.loc["random", "first"] == pytest.approx(1, abs=1e-6)
    assert chances.isna().to_numpy().diagonal().all()


def test_a_match_and_its_replay_are_frames(arena: Arena, tmp_path: Path) -> None:
    match = arena.match("foreign_king", ["random", first], seed=1)
    assert list(match.to_pandas()["bot"]) == ["random", "first"]
    plies = arena.replay(match.id).to_pandas()
    assert list(plies["ply"]) == list(range(len(plies)))
    assert set(plies["bot"]) == {"random", "first"}
