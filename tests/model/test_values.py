"""What crosses the interface is plain: values, their methods and their columns agree."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import pkgutil
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import pytest

from arena import model
from arena.i18n.catalogue import words
from arena.model import bots, matches, port, tournaments
from arena.model import table_columns as columns
from arena.model.port import ArenaPort, ShownArena
from arena.model.table_columns import Column, ColumnKind
from ratings import values
from ratings.read import leaderboard
from ratings.values import leaderboards, statistics
from ratings.values import tournament_incidents as played
from ratings.values.page import Page

SCALARS = (str, int, float, bool, bytes, type(None))
MODULES = [
    importlib.import_module(f"{package.__name__}.{found.name}")
    for package in (model, values)
    for found in pkgutil.iter_modules(package.__path__)
]
VALUES = [
    one
    for module in MODULES
    for one in vars(module).values()
    if dataclasses.is_dataclass(one) and inspect.isclass(one) and one.__module__ == module.__name__
]
NOUNS = [
    one
    for one in vars(port).values()
    if one not in (ArenaPort, ShownArena) and getattr(one, "_is_protocol", False) and one.__module__ == port.__name__
]
OF_SERVICES = {port.Entrance, port.Submissions}
"""What only a service has."""
METHODS = [
    (noun, name) for noun in NOUNS for name in vars(noun) if not name.startswith("_") and callable(getattr(noun, name))
]
TABLES = (
    (columns.LEADERBOARD, leaderboards.LeaderboardRow),
    (columns.PLACES, leaderboards.Standing),
    (columns.OFFICIAL, statistics.OfficialRow),
    (columns.OVERALL, statistics.OverallRow),
    (columns.STANDINGS, tournaments.StandingRow),
    (columns.TOURNAMENTS, tournaments.TournamentSummary),
    (columns.BOT_FAULTS, played.BotFaults),
    (columns.LEAK_FINDINGS, tournaments.LeakFinding),
    (columns.MATCHES, matches.MatchSummary),
    (columns.MATCH_SEATS, matches.MatchSeat),
    (columns.BOTS, bots.BotSummary),
    (columns.OPPONENTS, statistics.Meeting),
    (columns.SEATS, statistics.SeatResult),
)


def is_value(kind: Any) -> bool:
    return (
        kind in SCALARS
        or (inspect.isclass(kind) and issubclass(kind, enum.StrEnum))
        or (dataclasses.is_dataclass(kind) and kind in VALUES)
    )


def is_plain(kind: Any) -> bool:
    """Whether a type has a message that follows from it."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        rest = [one for one in inner if one is not type(None)]
        return len(rest) == 1 and len(inner) == 2 and get_origin(rest[0]) is not tuple and is_plain(rest[0])
    if origin is tuple:
        return len(inner) == 2 and inner[1] is Ellipsis and is_value(inner[0]) and inner[0] not in (bytes, type(None))
    if origin is Mapping:
        return inner == (str, Any)
    return is_value(kind)


def test_values_are_frozen_slotted_and_of_plain_fields() -> None:
    assert [
        value for value in VALUES if not vars(value)["__dataclass_params__"].frozen or "__slots__" not in vars(value)
    ] == []
    assert [
        (value, name, kind)
        for value in VALUES
        if value not in (Page, Column)
        for name, kind in get_type_hints(value).items()
        if not is_plain(kind)
    ] == []


def test_methods_take_and_return_values() -> None:
    for noun, name in METHODS:
        hints = get_type_hints(getattr(noun, name))
        result = hints.pop("return")
        where = f"{noun.__name__}.{name}"
        assert not {key: kind for key, kind in hints.items() if not is_plain(kind)}, where
        is_list = get_origin(result) in (Page, Iterator) and is_value(get_args(result)[0])
        assert is_plain(result) or is_list, where


def test_every_noun_is_an_attribute_of_the_arena() -> None:
    attributes = {
        get_type_hints(member.fget)["return"] for member in vars(ArenaPort).values() if isinstance(member, property)
    }
    assert attributes == set(NOUNS) - OF_SERVICES


def test_what_is_not_plain_would_be_seen() -> None:
    item = TypeVar("item")
    for kind in (
        tuple[tuple[int, ...], ...],
        tuple[int, ...] | None,
        list[int],
        dict[str, int],
        object,
        int | str,
        item,
    ):
        assert not is_plain(kind)


@pytest.mark.parametrize(("table", "row"), TABLES, ids=lambda one: getattr(one, "__name__", ""))
def test_columns_show_fields_and_have_titles_of_their_own(table: Sequence[Column], row: type) -> None:
    fields = {field.name for field in dataclasses.fields(row)}
    assert [column.key for column in table if column.of is None and column.key not in fields] == []
    assert len({column.title for column in table}) == len(table)
    assert [column.title for column in table if column.on_page and not words("en").knows(column.on_page)] == []
    assert [column.title for column in table if (column.kind is ColumnKind.NAME) is not bool(column.names)] == []
    assert [column.title for column in table if column.write or column.is_name] == []


def test_no_table_is_left_out() -> None:
    declared = [one for one in vars(columns).values() if isinstance(one, tuple) and isinstance(one[0], Column)]
    assert len(declared) == len(TABLES)


def test_a_leaderboard_is_sorted_by_the_columns_by_which_the_database_can() -> None:
    assert {column.title for column in columns.LEADERBOARD if column.order} == set(leaderboard.COLUMNS)


def test_an_unknown_column_cannot_be_picked() -> None:
    with pytest.raises(KeyError):
        columns.pick(columns.SEATS, "bot")
