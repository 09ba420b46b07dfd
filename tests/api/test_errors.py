"""What is asked wrongly is refused in a line, with a remedy that a program has."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.api import Arena, RunStoppedError
from arena.hosting.manifest import BotDirectoryError
from arena.match.time_control import TimeControlError
from arena.model.errors import ClientError, RefusedError, UnknownError
from arena.scripting.wording import in_words_of_programs
from arena.tournament.errors import AlreadyRunningError, NotPlayableError, RequestError
from arena.tournament.formats.format import ScheduleError
from arena.tournament.playing import exclusive, lock_path
from engine.errors import OptionsError, SeatsError
from ratings.errors import NotADatabaseError, NotFoundError, SchemaVersionError
from tests.api.players import first
from tests.api.stalling import stalling

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
