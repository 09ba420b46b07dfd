"""Pools named by what they are: `--game`, `--seats` and `--time` of `arena stats` and `arena rating`."""

import pytest

from tests.cli.support import Arena

RUN = ("tournament run sample --game foreign_king --bots ada,bob,eve --option max_rounds=2 --blocks 1",)
COMMANDS = [
    ["stats", "crosstable"],
    ["stats", "history", "ada"],
    ["stats", "opponents", "ada"],
    ["stats", "seats"],
    ["stats", "lengths"],
    ["rating", "official"],
    ["rating", "fairplay"],
]


@pytest.fixture
def pools(table: Arena) -> dict[tuple[int, str], str]:
    """The id of each of three pools, by seats and time control."""
    *played, board = table.played(
        *(
            " ".join([*RUN, "--seats", str(seats), "--time", time])
            for seats, time in ((3, "1s"), (2, "1s"), (2, "60+1"))
        ),
        "leaderboard --json",
    )
    assert [one.code for one in played] == [0] * 3
    boards = board.json
    return {(board["seats"], board["time_control"]): board["pool_id"] for board in boards}


WORDS = [
    (["--seats", "3"], (3, "1s")),
    (["--time", "1000ms", "--seats", "2"], (2, "1s")),
    (["--game", "foreign_king", "--time", "60+1"], (2, "60+1")),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_pool_is_named_by_what_it_is(table: Arena, pools: dict[tuple[int, str], str], command: list[str]) -> None:
    for words, key in WORDS if command == COMMANDS[0] else WORDS[1:2]:
        by_id = table(*command, "--pool", pools[key], "--json")
        found = table(*command, *words, "--json")
        assert (found.code, found.out) == (by_id.code, by_id.out) == (0, found.out), words


def test_the_ratings_of_a_pool_that_is_named_so_are_computed_anew(
    table: Arena, pools: dict[tuple[int, str], str]
) -> None:
    assert len(pools) == 3
    for words in (("--check",), ()):
        assert table("rating", "rebuild", "--time", "60+1", *words).code == 0
    assert "no pool fits --seats 4" in table.refusal("rating", "rebuild", "--seats", "4")


def test_several_or_none_are_told_with_what_there_is(table: Arena, pools: dict[tuple[int, str], str]) -> None:
    refusal = table.refusal("stats", "seats", "--seats", "2")
    assert "2 pools fit --seats 2: " in refusal
    for key, id_ in pools.items():
        assert (f"{id_[:12]} (The Foreign King, {key[0]} seats, time {key[1]}, max_rounds=2)" in refusal) == (
            key[0] == 2
        )
    refusal = table.refusal("stats", "seats", "--seats", "4")
    assert "no pool fits --seats 4; the pools are: " in refusal
    assert all(id_[:12] in refusal for id_ in pools.values())


def test_an_id_and_a_description_exclude_each_other(table: Arena, pools: dict[tuple[int, str], str]) -> None:
    id_ = pools[3, "1s"]
    assert "exclude each other" in table.refusal("stats", "seats", "--seats", "3", "--pool", id_)
    assert "exclude each other" in table.refusal("stats", "seats", "--seats", "3", "--tournament", "x")
    assert "is no time control" in table.refusal("stats", "seats", "--time", "soon")
