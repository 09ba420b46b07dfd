"""Checks a replay: its hash chain, and that the engine plays the same. Pure.

Nothing in the document is trusted, so whatever is missing or of the wrong shape becomes a problem, not an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.match.decisions import DecidedBy
from arena.match.match import rank_seats
from arena.match.replay import ReplayError, canonical_json, chain, game_digest, load, read_figures, timed_entries
from arena.match.time_control import TimingError
from engine import registry
from engine.chance import SeededChance
from engine.core import EngineError
from engine.record import Playing
from engine.translatable import Text


def verify(stored: bytes | Mapping[str, Any], *, is_whole: bool = True) -> list[str]:
    """Return a sentence for everything that is wrong with a replay, given as its stored form or as its document.

    Of one that is not whole, because the evidence of its faults is withheld, the record digest is not compared.
    """
    try:
        document = load(stored) if isinstance(stored, bytes) else stored
        return [*_check_chain(document, is_whole=is_whole), *_check_times(document), *_check_play(document)]
    except ReplayError as error:
        return [str(error)]
    except EngineError as error:
        return [Text("it cannot be played again: {why}", why=error)]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        return [Text("a part is missing or has the wrong shape: {error}", error=repr(error))]


def _check_chain(document: Mapping[str, Any], *, is_whole: bool) -> Iterator[str]:
    links, head = chain(document)
    stored = document["links"]
    for index, (stored_link, link) in enumerate(zip(stored, links, strict=False)):
        if stored_link != link:
            if index == 0:
                yield Text("the hash chain breaks at the header or entry {index}", index=index)
            else:
                yield Text("the hash chain breaks at entry {index}", index=index)
            break
    if len(stored) != len(links):
        yield Text("the hash chain has {count} links for {entries} entries", count=len(stored), entries=len(links))
    if is_whole and head != document["record_digest"]:
        yield Text("the record digest is {found}; computed {computed}", found=document["record_digest"], computed=head)
    played = game_digest(document)
    if played != document["game_digest"]:
        yield Text("the game digest is {found}; computed {computed}", found=document["game_digest"], computed=played)


def _check_times(document: Mapping[str, Any]) -> Iterator[str]:
    """Check that every charge is what its figures give."""
    try:
        decisions = read_figures(document)
    except TimingError as error:
        yield str(error)
        return
    for entry, figures in zip(timed_entries(document), decisions, strict=True):
        charge_us = figures.charge_us(document["cores"])
        if document["schema"] > 1 and charge_us != entry["charged_us"]:
            yield Text(
                "ply {ply} was charged {charged} us; its figures give {computed} us",
                ply=entry["ply"],
                charged=entry["charged_us"],
                computed=charge_us,
            )


def _check_play(document: Mapping[str, Any]) -> Iterator[str]:
    game = registry.get(document["game"])
    if game.rules_version != document["rules_version"]:
        installed, recorded = game.rules_version, document["rules_version"]
        yield Text(
            "recorded with rules version {version} of {game}; installed is {installed}",
            version=recorded,
            game=game.name,
            installed=installed,
        )
        return
    seats = len(document["seats"])
    playing = Playing(game, seats, game.parse_options(document["options"]), SeededChance(document["chance_seed"]))
    for index, entry in enumerate(document["entries"]):
        problem = _check_entry(playing, entry, document)
        if problem:
            yield Text("entry {index}: {why}", index=index, why=problem)
            return
        playing.apply(entry["action"])
    if [list(outcome) for outcome in playing.chance_outcomes] != document["chance"]:
        yield Text("the chance outcomes are not those of the seed")
    yield from _check_result(playing, document["result"], seats)


def _check_entry(playing: Playing, entry: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """Return what is wrong with the next entry, or an empty text."""
    state, ply, action = playing.state, playing.ply, entry["action"]
    by, opening = DecidedBy(entry["by"]), document["opening"]
    if entry["ply"] != ply or entry["seat"] != state.seat():
        return Text(
            "it is ply {ply} of seat {seat}; due is ply {due} of seat {other}",
            ply=entry["ply"],
            seat=entry["seat"],
            due=ply,
            other=state.seat(),
        )
    if not state.is_legal(action):
        return Text("action {action} is not legal", action=action)
    if (by is DecidedBy.OPENING) != (ply < len(opening)) or (by is DecidedBy.OPENING and action != opening[ply]):
        return Text("it is not the opening that was ordered")
    if by is not DecidedBy.OPENING and (by is DecidedBy.FORCED) != (len(state.legal_actions()) == 1):
        return Text("it is marked as forced and was not, or the other way round")
    if by is DecidedBy.CARETAKER and not _may_take_care(playing, entry, document["result"]):
        return Text("the caretaker played for a seat that had not forfeited, or something of its own")
    return ""


def _may_take_care(playing: Playing, entry: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    """Whether the seat of the entry had forfeited by then, and the action is the caretaker's."""
    instants = dict(result["forfeits"])
    has_forfeited = instants.get(entry["seat"], playing.ply + 1) <= playing.ply
    return has_forfeited and bool(entry["action"] == playing.state.caretaker_action())


def _check_result(playing: Playing, result: Mapping[str, Any], seats: int) -> Iterator[str]:
    outcome = playing.state.outcome()
    forfeits = dict(result["forfeits"])
    if result["by_rules"] and outcome is None:
        yield Text("it says that the game ended by its rules, and the game goes on")
        return
    if not result["by_rules"] and seats - len(forfeits) > 1:
        yield Text("it ended without the rules while {count} seats had not forfeited", count=seats - len(forfeits))
    by_rules = outcome if result["by_rules"] else None
    ranks = rank_seats(seats, by_rules.ranks if by_rules else None, forfeits)
    if list(ranks) != result["ranks"]:
        yield Text("the ranks are {found}; computed {computed}", found=result["ranks"], computed=list(ranks))
    if canonical_json(dict(by_rules.details) if by_rules else {}) != canonical_json(result["details"]):
        yield Text("the details of the outcome are not those of the game")
