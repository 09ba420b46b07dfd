"""Declared options: one declaration reads, writes and describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from engine.core import OptionsError
from engine.kit.options import DeclaredOptions, EachOnce, IntegerOption, OneOf, OptionGroup, option


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a game that nobody plays."""

    rounds: int = option(IntegerOption(1, 50), "rounds", 10)
    word: str = option(OneOf("Low", "High", is_exact=True), "exact words")
    draws_lots: bool = option(OneOf(False, True), "lots")
    order: tuple[Any, ...] = option(EachOnce({("att", "foot"): (0, 0), ("def", "foot"): (1, 0)}), "order")
    prices: tuple[int, int] = option(OptionGroup({"land": IntegerOption(0, 9), "house": IntegerOption(2, 9)}), "prices")


OPTIONS = DeclaredOptions("nothing", Options)


def test_options_that_are_written_read_back_and_the_defaults_are_the_declared() -> None:
    values: dict[str, Any] = {
        "rounds": 3,
        "word": "High",
        "draws_lots": True,
        "order": [["def", "foot"], ["att", "foot"]],
        "prices": {"land": 4, "house": 5},
    }
    read = OPTIONS.parse(values)
    assert (read.order, read.prices) == (((1, 0), (0, 0)), (4, 5))
    assert OPTIONS.to_json(read) == values
    assert list(OPTIONS.schema()["properties"]) == list(values)
    assert OPTIONS.parse({}) == Options() == OPTIONS.default


def test_only_what_differs_from_the_defaults_is_a_change() -> None:
    assert OPTIONS.changes(OPTIONS.parse({"rounds": 10})) == {}
    assert OPTIONS.changes(OPTIONS.parse({"prices": {"land": 1}})) == {"prices": {"land": 1, "house": 2}}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"speed": 1}, "nothing has no option 'speed'; it has: rounds, word"),
        ({"word": "high"}, "option word takes Low or High, not 'high'"),
        ({"order": [["att", "foot"]]}, "option order takes each of"),
        ({"order": [["att", "foot"], ["att", "foot"]]}, "option order takes each of"),
        ({"prices": {"house": 1}}, "option prices.house takes 2 to 9, not 1"),
        ({"prices": "{"}, "option prices takes JSON, for example"),
    ],
)
def test_what_an_option_does_not_take_is_refused_by_its_name(values: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        OPTIONS.parse(values)
