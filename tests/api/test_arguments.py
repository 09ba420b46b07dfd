"""Arguments of another type, or out of all reason, are refused in a line before anything is made or played."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.api import Arena, CallableError, Entrant
from arena.model.errors import RefusedError
from ratings.statistics.errors import ResultsError
from tests.api.players import first


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("this has no name")


MADE: dict[str, tuple[dict[str, Any], str]] = {
    "workers as a text": ({"workers": "2"}, "workers is a whole number, not '2'; write int(...) around it"),
    "workers as a truth value": ({"workers": True}, "workers is a whole number, not True; write int(...) around it"),
    "fewer workers than none": ({"workers": -3}, "workers is -3; give at least 1, or 0 for one per core"),
    "checks as a text": ({"leak_checks": "x"}, "leak_checks is a number, not 'x'; write for example 0.5"),
    "checks that are no number": ({"leak_checks": math.nan}, "leak_checks is a number, not nan; write for example 0.5"),
    "more checks than matches": ({"leak_checks": 2}, "leak_checks is 2; give a part of the matches from 0 to 1"),
    "memory as a text": ({"warm_mb": "x"}, "warm_mb is a whole number, not 'x'; write int(...) around it"),
    "less memory than none": ({"warm_mb": -1}, "warm_mb is -1; give at least 0, or None for a share of the memory"),
    "logs": ({"logs": "yes"}, "logs is True or False, not 'yes'; write one of them"),
    "makes": ({"makes": 0}, "makes is True or False, not 0; write one of them"),
    "runtimes": ({"runtimes": 5}, "runtimes is a path, not 5; write it in quotes"),
    "no place": ({"db": None}, "db is a path, not None; write it in quotes"),
    "a place in bytes": ({"db": b"a.db"}, "db is a path, not b'a.db'; write it in quotes"),
    "a place with a null": ({"db": "a\0.db"}, "db is a path, and no file can be called 'a\\x00.db'; name another"),
}


@pytest.mark.parametrize("what", MADE)
def test_an_arena_is_not_opened_with_what_cannot_be(what: str, tmp_path: Path) -> None:
    given, told = MADE[what]
    with pytest.raises(RefusedError) as refusal:
        Arena(**{"db": tmp_path / "own.db", **given})
    assert str(refusal.value) == told
    assert not list(tmp_path.iterdir())


PLAYED: dict[str, tuple[dict[str, Any], str]] = {
    "seed": ({"seed": 1.5}, "seed is a whole number, not 1.5; write int(...) around it"),
    "seed without a name": ({"seed": Unspeakable()}, "seed is a whole number, not <Unspeakable instance"),
    "opening": ({"opening_plies": 2.0}, "opening_plies is a whole number, not 2.0; write int(...) around it"),
    "cores": ({"cores": True}, "cores is a whole number, not True; write int(...) around it"),
    "cores without end": ({"cores": 10**30}, f"{10**30} cores for a bot are more than the "),
    "game": ({"game": None}, "game is a text such as 'foreign_king', not None; write it in quotes"),
    "clock": ({"clock": 5}, "clock is a text such as '100ms', not 5; write it in quotes"),
    "start limit": ({"start_limit": 10}, "start_limit is a text such as '10s', not 10; write it in quotes"),
    "secret": ({"secret": 7}, "secret is a text, not 7; write it in quotes"),
    "name": ({"name": 7}, "name is a text, not 7; write it in quotes"),
    "name of two lines": ({"name": "a\nb"}, "name has a character that cannot be printed: 'a\\nb'; leave it out"),
    "rated": ({"rated": None}, "rated is True or False, not None; write one of them"),
    "same owner": ({"same_owner": "no"}, "same_owner is True or False, not 'no'; write one of them"),
    "options": ({"options": "x"}, "options is a dict, not 'x'; write {'name': value}"),
    "names of options": ({"options": {1: 2}}, "options has names as its keys, not 1; write {'name': value}"),
    "progress": ({"progress": 5}, "progress is a function of a RunProgress, not 5; give one, None or False"),
}


@pytest.mark.parametrize("what", PLAYED)
@pytest.mark.parametrize("is_match", [True, False], ids=["match", "tournament"])
def test_nothing_is_played_on_terms_that_cannot_be(what: str, is_match: bool, played: Arena) -> None:
    given, told = PLAYED[what]
    before = len(played.tournaments()), len(played.bots())
    play = played.match if is_match else played.tournament
    with pytest.raises(RefusedError) as refusal:
        play(**{"game": "foreign_king", "bots": ["greedy", first], **given})
    assert str(refusal.value).startswith(told)
    assert (len(played.tournaments()), len(played.bots())) == before


ASKED: dict[str, tuple[Callable[[Arena], object], str]] = {
    "a tournament": (lambda arena: arena.result(7), "tournament is a text, not 7; write it in quotes"),  # type: ignore[arg-type]
    "to go on": (lambda arena: arena.resume(None), "tournament is a text, not None; write it in quotes"),  # type: ignore[arg-type]
    "to give up": (lambda arena: arena.cancel(None), "tournament is a text, not None; write it in quotes"),  # type: ignore[arg-type]
    "a replay": (lambda arena: arena.replay(7), "match is a text, not 7; write it in quotes"),  # type: ignore[arg-type]
    "what was printed": (lambda arena: arena.logs(7), "match is a text, not 7; write it in quotes"),  # type: ignore[arg-type]
    "seats": (lambda arena: arena.leaderboard(seats="2"), "seats is a whole number, not '2'; write int(...) around it"),  # type: ignore[arg-type]
    "a pool": (lambda arena: arena.crosstable(pool=1), "pool is a text, not 1; write it in quotes"),  # type: ignore[arg-type]
    "matches": (lambda arena: arena.matches(limit=1.5), "limit is a whole number, not 1.5; write int(...) around it"),  # type: ignore[arg-type]
    "anchors": (lambda arena: arena.official(anchors=["a"]), "anchors is a dict, not ['a']; write {'name': value}"),  # type: ignore[arg-type]
    "an anchor": (lambda arena: arena.official(anchors={"a": "b"}), "a is a number, not 'b'; write for example 0.5"),  # type: ignore[dict-item]
    "confidence": (lambda arena: arena.official(confidence="high"), "confidence is a number, not 'high'; write"),  # type: ignore[arg-type]
    "an owner": (lambda arena: arena.add(first, owner=7), "owner is a text, not 7; write it in quotes"),  # type: ignore[arg-type]
    "seats of a tournament": (
        lambda arena: arena.tournament("foreign_king", ["random", first], seats="3"),  # type: ignore[arg-type]
        "seats is a whole number, not '3'; write int(...) around it",
    ),
    "a format": (
        lambda arena: arena.tournament("foreign_king", ["random", first], format=["swiss"]),  # type: ignore[arg-type]
        "format is a text such as 'round-robin', not ['swiss']; write it in quotes",
    ),
    "games of an entrant": (
        lambda arena: arena.add(Entrant(first, games="foreign_king")),  # type: ignore[arg-type]
        "games is a list of names, not 'foreign_king'; write it in brackets",
    ),
    "memory of an entrant": (
        lambda arena: arena.add(Entrant(first, memory_mb=None)),  # type: ignore[arg-type]
        "memory_mb is a whole number, not None; write int(...) around it",
    ),
}


@pytest.mark.parametrize("what", ASKED)
def test_what_is_asked_with_another_type_is_refused(what: str, played: Arena) -> None:
    ask, told = ASKED[what]
    with pytest.raises(RefusedError) as refusal:
        ask(played)
    assert str(refusal.value).startswith(told)


def test_what_an_entrant_cannot_be_granted_is_told_by_its_name(played: Arena) -> None:
    with pytest.raises(CallableError) as refusal:
        played.add(Entrant(first, name="small", memory_mb=1))
    assert str(refusal.value) == "small: memory_mb is 1; use a whole number 16 to 65536"


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"upper": math.nan}, {"lower": 0.1, "upper": 0.1}])
def test_a_comparison_that_can_be_none_is_refused(wrong: dict[str, Any], played: Arena) -> None:
    with pytest.raises(ResultsError, match=r"are not between 0 and 0\.5|are no two gains between"):
        played.tournament("foreign_king", [first, "random"], format="compare", **wrong)
