"""What is asked wrongly, or with arguments of another type, is refused in a line with a remedy that a program has."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.api import Arena, CallableError, Entrant, RunStoppedError
from arena.hosting.manifest import BotDirectoryError
from arena.match.time_control import TimeControlError
from arena.model.errors import ClientError, RefusedError, UnknownError
from arena.scripting.errors import in_words_of_programs
from arena.tournament.errors import AlreadyRunningError, NotPlayableError, RequestError
from arena.tournament.formats.format import ScheduleError
from arena.tournament.locks import exclusive, lock_path
from engine.errors import OptionsError, SeatsError
from ratings.errors import NotADatabaseError, NotFoundError, SchemaVersionError
from ratings.statistics.errors import ResultsError
from tests.api.players import first
from tests.cli.table import stalling

PAIR = ("random", first)


def play(**terms: object) -> Callable[[Arena], object]:
    order = {"game": "foreign_king", "bots": PAIR, **terms}
    return lambda arena: arena.tournament(**order)  # type: ignore[arg-type]


WRONG: dict[str, tuple[Callable[[Arena], object], type[Exception], str]] = {
    "a game": (play(game="foreign_kind"), UnknownError, "did you mean 'foreign_king'"),
    "a bot": (play(bots=["first", "randon"]), UnknownError, "did you mean 'random'.* Arena.bots\\(\\) shows all; a d"),
    "a number as a bot": (play(bots=[3, first]), BotDirectoryError, "int is no bot; give a name, a directory"),
    "no list of bots": (play(bots=None), RefusedError, "bots are a list"),
    "a number for a list of bots": (play(bots=5), RefusedError, "bots are a list"),
    "a name that is too long": (play(bots=["a" * 300, first]), UnknownError, "there is no bot 'aaa"),
    "a home that is not there": (play(bots=["~nobody-here/bot", first]), UnknownError, "there is no bot"),
    "one bot alone": (play(bots="random"), RefusedError, "bots are a list, one for each entrant or seat"),
    "a function alone": (play(bots=first), RefusedError, "bots are a list"),
    "a bot twice": (play(bots=["random", "random"]), RequestError, "entered more than once"),
    "a directory": (play(bots=[Path("/nowhere"), first]), BotDirectoryError, "there is no such directory"),
    "two lines": (lambda arena: arena.add("a\nb"), UnknownError, "there is no bot 'a.+b'"),
    "too few bots": (play(seats=3), ScheduleError, "3"),
    "seats": (play(seats=9), SeatsError, "played by 2 to 4 seats, not 9"),
    "a clock": (play(clock="soon"), TimeControlError, "soon"),
    "a start limit": (
        play(start_limit="10+1"),
        RefusedError,
        "^start_limit '10\\+1' is no duration.*start_limit='30s'",
    ),
    "an option": (play(options={"virtual_disks": 3}), OptionsError, "virtual_disks"),
    "a seed": (play(seed=-1), RequestError, "seed -1 is out of range"),
    "a format": (play(format="round_robin"), ScheduleError, "there is no format 'round_robin'; use .*round-robin"),
    "a setting": (play(rounds=3), ScheduleError, "round-robin has the settings blocks; not rounds"),
    "the value of a setting": (play(blocks="3"), ScheduleError, "blocks of round-robin is '3', which is no int"),
    "lives at tables": (
        play(format="knockout", bots=[*PAIR, "greedy"], seats=3, lives=2),
        ScheduleError,
        "use seats=2 or leave out lives",
    ),
    "a tournament": (lambda arena: arena.resume("mondey"), UnknownError, "Arena.tournaments\\(\\) shows all"),
    "a match": (lambda arena: arena.replay("ffff"), NotFoundError, "Arena.matches\\(\\) lists them"),
    "a cause": (lambda arena: arena.matches(fault="LATE"), UnknownError, "TIMEOUT"),
    "nothing rated": (lambda arena: arena.leaderboard(), ClientError, "nothing was rated yet; Arena.tournament"),
    "nothing counted": (lambda arena: arena.crosstable(), ClientError, "nothing was rated yet; Arena.tournament"),
    "nothing to fit": (lambda arena: arena.official(), ClientError, "nothing was rated yet; Arena.tournament"),
    "a pool by two ways": (
        lambda arena: arena.leaderboard("foreign_king", pool="1a"),
        RefusedError,
        "exclude each other; give one",
    ),
    "too many cores": (play(cores=200), RefusedError, "grant fewer cores"),
}


@pytest.fixture(scope="module")
def unplayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena in which nothing is ever played, as all that is asked of it is refused."""
    with Arena(tmp_path_factory.mktemp("unplayed") / "unplayed.db") as arena:
        arena.add(first)
        yield arena
        assert not arena.tournaments()


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_refused_in_a_line_that_names_no_command(what: str, unplayed: Arena) -> None:
    ask, kind, message = WRONG[what]
    with pytest.raises(kind, match=message) as refusal:
        ask(unplayed)
    text = str(refusal.value)
    assert "\n" not in text
    assert "`arena" not in text
    assert " --" not in text


def test_a_name_that_is_taken_is_gone_on_with_or_changed(table: Arena) -> None:
    table.tournament("foreign_king", PAIR, name="monday", progress=False)
    with pytest.raises(RefusedError, match=r"Arena.resume\('monday'\) goes on, another name starts a new one"):
        table.tournament("foreign_king", PAIR, name="monday", progress=False)
    with pytest.raises(NotPlayableError, match=r"'monday' is finished; Arena.result\(...\) shows it"):
        table.resume("monday")
    table.cancel("monday")


def _stop(_state: object) -> None:
    raise KeyboardInterrupt


def test_a_tournament_that_another_program_plays_is_left_to_it(table: Arena, tmp_path: Path) -> None:
    stopped = pytest.raises(RunStoppedError, match=r"of 8 are recorded; Arena.resume\('busy'\) plays the rest")
    with stalling(), stopped:
        table.tournament("foreign_king", PAIR, name="busy", blocks=4, progress=_stop)
    id_ = table.result("busy").detail.summary.id
    refused = pytest.raises(AlreadyRunningError, match=r"playing this tournament now; .* call Arena.resume\(...\)")
    with exclusive(lock_path(tmp_path / "table.db", id_)), refused:
        table.resume("busy")
    assert table.resume("busy", progress=False).is_over


def test_several_pools_are_told_apart(table: Arena) -> None:
    for game, clock in (("foreign_king", "100ms"), ("foreign_king", "1s"), ("rex_romanorum", "100ms")):
        table.tournament(game, PAIR, clock=clock, progress=False)
    with pytest.raises(RefusedError, match=r"there are 3 pools: .* \(foreign_king, 2 seats, 100ms\); .* say which by"):
        table.leaderboard()
    with pytest.raises(RefusedError, match="there are 2 pools"):
        table.official("foreign_king")
    with pytest.raises(RefusedError, match="no pool fits foreign_king, 3; there are: "):
        table.crosstable(game="foreign_king", seats=3)
    assert table.leaderboard("foreign_king", clock="1000ms").pool.time_control == "1s"
    assert table.leaderboard("rex_romanorum").pool.game == "rex_romanorum"
    assert table.leaderboard(tournament="round-robin-2").pool.time_control == "1s"


def test_a_database_that_cannot_serve_says_why(tmp_path: Path) -> None:
    with Arena(tmp_path / "old.db") as arena:
        arena.add(first)
    with closing(sqlite3.connect(tmp_path / "old.db")) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaVersionError, match=r"has schema 9999, which this arena .* is older than the database"):
        Arena(tmp_path / "old.db")
    (tmp_path / "text.db").write_text("no database\n" * 100, encoding="utf-8")
    with pytest.raises(NotADatabaseError, match=r"text\.db"):
        Arena(tmp_path / "text.db")
    with pytest.raises(RefusedError, match=r"there is no database at .*missing\.db; name another, or leave out makes"):
        Arena(tmp_path / "missing.db", makes=False)
    with pytest.raises(RefusedError, match="'arena://lab' is a service, and a program plays on a database"):
        Arena("arena://lab")
    with pytest.raises(RefusedError, match="sandbox 'iron' is no level; use auto, strict"):
        Arena(tmp_path / "iron.db", sandbox="iron")


def test_what_only_a_command_mends_names_the_command() -> None:
    line = "old.db has schema 0001, this arena needs 0042; run: arena db upgrade --db old.db"
    assert in_words_of_programs(line) == line


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
