"""The tournaments that are really played for the database on which pages are measured: one of every form."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.support.places import Place, write_quick_bot

_TIME: Final = ("--time", "10s", "--start-limit", "60s")
_FEW: Final = ("random", "greedy", "first")
_QUICK: Final = ("random", "first", "last", "drawn", "first2", "last2", "drawn2", "drawn3")
_PLAYED: Final = (
    ("tournament", "run", "round-robin", "--seats", "3", "--name", "three", "--blocks", "4"),
    ("tournament", "run", "gauntlet", "--seats", "2", "--name", "gauntlet"),
    ("tournament", "run", "swiss", "--seats", "2", "--name", "swiss"),
    ("tournament", "run", "knockout", "--seats", "2", "--name", "cup"),
    ("tournament", "run", "knockout", "--seats", "2", "--name", "double-cup", "--double"),
    ("tournament", "run", "sample", "--seats", "3", "--name", "sample"),
    ("tournament", "run", "adaptive", "--seats", "2", "--name", "adaptive", "--max-blocks", "150"),
)


def play(path: Path) -> None:
    """Have real bots play small tournaments of every form, and a few matches of Rex Romanorum."""
    place = Place(path.parent)
    place.environment["ARENA_DB"] = str(path)
    sources = path.with_suffix(".sources")
    quick = [write_quick_bot(sources / name, name.rstrip("23"), name=name) for name in _QUICK if name != "random"]
    _run(place, "bot", "add", "random", "greedy", *map(str, quick))
    for words in _PLAYED:
        bots = {"round-robin": _FEW, "sample": _QUICK[:5], "gauntlet": _QUICK[1:]}.get(words[2], _QUICK)
        more = ("--challenger", "random") if words[2] == "gauntlet" else ()
        _run(place, *words, *more, "--game", "foreign_king", "--bots", ",".join(bots), *_TIME)
    few = ("--game", "rex_romanorum", "--bots", ",".join(_FEW), "--seats", "3")
    _run(place, "tournament", "run", "round-robin", "--name", "rome", "--blocks", "3", *few, *_TIME)
    _run(place, "compare", "greedy", "random", "--game", "foreign_king", "--name", "short-question", *_TIME)


def _run(place: Place, *words: str) -> None:
    done = place.arena(*words)
    if done.code not in (0, 1):
        raise SystemExit(f"arena {' '.join(words)} failed: {done.err}")
