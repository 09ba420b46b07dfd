"""Wins, shared firsts and draws in the tables of the command line: apart, and each only where there is one."""

from __future__ import annotations

from typing import Any

import pytest

from arena.cli.shared.output import print_table
from arena.model.columns import LEADERBOARD, STANDINGS, TOGETHER, pick, without, without_empty

LONG = "a-bot-with-a-long-name"


def row(shared: int | None, draws: int | None) -> dict[str, Any]:
    return {"wins": 3, "shared": shared, "draws": draws}


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ([], ["wins", "shared", "draws"]),
        ([row(0, 0), row(0, 0)], ["wins"]),
        ([row(0, 0), row(0, 2)], ["wins", "draws"]),
        ([row(1, 0), row(0, 2)], ["wins", "shared", "draws"]),
        ([row(None, None)], ["wins"]),
    ],
)
def test_a_column_of_firsts_in_which_nothing_is_counted_is_left_out(
    rows: list[dict[str, Any]], shown: list[str]
) -> None:
    assert [column.key for column in without_empty(pick(STANDINGS, "wins", *TOGETHER), rows)] == shown


@pytest.mark.parametrize("columns", [without(LEADERBOARD, "owner"), STANDINGS], ids=["leaderboard", "tournament"])
def test_with_all_kinds_of_firsts_a_table_fits_80_columns_and_names_are_whole(
    columns: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    line = {column.key: 1000 for column in columns} | {"bot": LONG, "status": "out in round 2"}
    print_table(columns, [line], as_json=False)
    head, _, told, *_ = capsys.readouterr().out.splitlines()
    assert {"WINS", "DRAWS"} <= set(head.split())
    assert LONG in told
    assert len(told) <= 80
