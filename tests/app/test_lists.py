"""No answer of the interface grows without bound: a list has pages, or there is a reason why it stays short."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from arena.rpc.calls import SERVICES
from ratings.values.page import Page

PAGED = {
    "FairPlay.suspicions": "next",
    "Leaderboard.table": "next",
    "LeaderboardList.boards": "next",
    "OfficialTable.rows": "next",
    "SeasonTable.rows": "next",
    "TournamentDetail.leak_checks": "more_leak_checks",
    "TournamentDetail.standings": "more_standings",
}
"""Lists inside an answer, and its field with the cursor after which they go on."""
BOUNDED = {
    "get_logs": "one for each seat, of 64 KiB each",
    "list_confidence": "a few moments of a tournament",
    "list_lengths": "there are three measures",
    "list_runtimes": "what the organiser wrote into the settings of the service",
    "list_seats": "one for each seat of the game",
    "Admission.findings": "each check has its own few",
    "Annulled.pools": "those in which the version was rated",
    "BestKnown.contender_names": "the first 500",
    "BestKnown.contenders": "the first 500",
    "BestKnown.leader_names": "the first 500",
    "BestKnown.leaders": "the first 500",
    "BotSummary.games": "the manifest of a bot has a greatest size",
    "ChanceOutcome.values": "what one throw gave",
    "ComparisonResult.bounds": "a pair",
    "ConfidencePoint.leaders": "the first 500",
    "Circle.blocks": "three",
    "Circle.bots": "three",
    "Circle.shares": "three",
    "Circle.versions": "three",
    "Crosstable.meetings": "100 versions at most, each against each",
    "Crosstable.versions": "100 at most",
    "Ladder.absent": "the first 100",
    "FairPlay.asked": "there are two kinds of questions",
    "LiveEnd.faults": "a forfeited seat does nothing any more",
    "LiveEnd.forfeits": "one for each seat",
    "LiveEnd.ranks": "one for each seat",
    "LiveEnd.resigned": "one for each seat",
    "LiveMove.chance": "what one action threw",
    "LiveStart.bots": "one for each seat",
    "LiveStart.chance": "what the set-up of a game draws",
    "LiveStart.opening": "the random plies that a match begins with",
    "MatchDetail.attempts": "three that count, and a few for each run on a sick host",
    "MatchDetail.awaits": "the matches of two blocks at most",
    "MatchDetail.faults": "a forfeited seat does nothing any more",
    "MatchDetail.leak_checks": "one for each seat",
    "MatchDetail.seats": "as many as the game has",
    "MatchSummary.seats": "as many as the game has",
    "MatchTimes.decisions": "a match has at most so many plies as its game allows",
    "MatchTimes.totals": "one for each seat",
    "OfficialRow.stronger": "as many as the page has rows",
    "OfficialTable.circles": "the surest 20",
    "OfficialTable.seats": "one for each seat of the game",
    "OwnerUsage.own": "there are a few kinds of limits",
    "Pairing.entrants": "as many as meet in one tie",
    "Forecast.bots": "as many as a tournament may have",
    "Forecast.left_out": "the first 100, and how many more",
    "PlannedTournament.left_out": "the first 100, and how many more",
    "TournamentDetail.faults": "the first 100",
    "TournamentDetail.host_losses": "there are ten causes",
    "ReplayCheck.problems": "a match has at most so many plies as its game allows",
}
"""Lists that have no pages, and why they need none."""


@cache
def methods() -> dict[str, Any]:
    """Every method of every Protocol by its name."""
    return {
        name: method
        for nouns in SERVICES.values()
        for protocol in nouns.values()
        for name, method in vars(protocol).items()
        if not name.startswith("_") and inspect.isfunction(method)
    }


def lists_in(name: str, kind: Any) -> Iterator[str]:
    """The tuples of which a type consists, named by method or by class and field; the items of a page apart."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Page:
        yield from lists_in(name, parts[0])
    elif origin is tuple:
        yield name
        yield from lists_in(name, parts[0])
    elif origin in (Iterator, Union, types.UnionType):
        for part in parts:
            yield from lists_in(name, part)
    elif is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        for field in fields(kind):
            yield from lists_in(f"{kind.__name__}.{field.name}", hints[field.name])


def test_every_list_has_pages_or_a_reason_to_stay_short() -> None:
    found = {one for name, method in methods().items() for one in lists_in(name, get_type_hints(method)["return"])}
    assert found == {*PAGED, *BOUNDED}


def test_what_has_pages_takes_a_limit_and_a_cursor() -> None:
    for name, method in methods().items():
        result, parameters = get_type_hints(method)["return"], inspect.signature(method).parameters
        cursors = {cursor for one, cursor in PAGED.items() if one.startswith(f"{getattr(result, '__name__', '')}.")}
        if cursors:
            assert cursors <= get_type_hints(result).keys(), name
        if get_origin(result) is Page or "next" in cursors:
            told = [(one, parameters[one].default) for one in ("limit", "after")]
            assert told == [("limit", 50), ("after", None)], name


def test_a_table_inside_another_answer_goes_on_in_a_list_of_its_own() -> None:
    assert {"list_standings", "list_leak_checks"} <= methods().keys()
