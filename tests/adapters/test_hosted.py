"""Playing beside programs: real processes, which crash, fall silent and lie, and stop nobody who learns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.adapters.errors import AdapterError, OpponentError, TableError
from arena.adapters.hosted import SeatingHosted
from arena.adapters.opponents import FunctionBot, Program
from arena.adapters.playing import Turn
from arena.cli.app import run
from arena.match.result import FaultCause
from arena.match.time_control import TimeControl
from bots.session import Bot
from tests.adapters.beside import DrawingBot, first, go_on, play, raising, setting, start, write_bot
from tests.support.patience import PATIENT, any_start
from tests.support.processes import outliving_processes, wait_until
from tests.support.sources import ROOT

FIRST = "return decision.legal_actions[0]"
Seat = Callable[..., SeatingHosted]
needs_minutes = pytest.mark.needs("minutes")


@pytest.fixture
def seat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Seat]:
    """Seats bots, and ends all in the end; nothing may be left of what was started."""
    mark = f"KMA_TEST_MARK={tmp_path}"
    monkeypatch.setenv(*mark.split("=", 1))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    seatings = []

    def open_seating(
        *opponents: Program | Bot, clock: TimeControl = PATIENT, sandbox: str | None = None
    ) -> SeatingHosted:
        seatings.append(SeatingHosted(setting(len(opponents) + 1), opponents, clock, sandbox, 300))
        return seatings[-1]

    yield open_seating
    for seating in seatings:
        seating.close()
    assert outliving_processes(mark) == {}


def test_equal_starts_give_equal_matches_beside_programs_and_bots_of_this_process(seat: Seat) -> None:
    seating = seat(Program("random"), DrawingBot())
    found = [play(seating, start(learner, seed)) for learner, seed in ((0, 3), (2, 3), (0, 3))]
    shown = [[(turn.ply, list(turn.legal)) for turn in turns] for turns, _ in found]
    assert shown[0] == shown[2] != shown[1]
    assert found[0][1].ranks == found[2][1].ranks
    assert not any(end.faults for _, end in found)


@needs_minutes
def test_what_is_shown_is_the_position(seat: Seat) -> None:
    seating = seat(Program("random"))
    moment = seating.begin(start(1, 8, seats=2))
    assert isinstance(moment, Turn)
    seen = moment.seen.state  # type: ignore[union-attr]
    assert seen.seat() == 1
    assert list(seen.legal_actions()) == list(moment.legal)


@needs_minutes
def test_a_match_that_was_left_is_followed_by_another_with_the_same_processes(seat: Seat, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "teller", f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} ')\n{FIRST}")
    seating = seat(Program(str(bot)))
    for seed in range(3):
        assert isinstance(seating.begin(start(1, seed, seats=2)), Turn)
    seating.stop()
    seating.stop()
    assert play(seating, start(1, 4, seats=2))[1].ranks
    pids = (tmp_path / "pids").read_text(encoding="utf-8").split()
    assert len(pids) > 3
    assert len(set(pids)) == 1


@pytest.mark.parametrize(
    ("decide", "clock", "cause", "words"),
    [
        pytest.param(
            *(f"if self.asked == 2: os._exit(7)\n{FIRST}", PATIENT, FaultCause.DISCONNECTED, "status 7"),
            id="crash",
            marks=needs_minutes,
        ),
        pytest.param(
            *(f"if self.asked == 2: raise RuntimeError('oh')\n{FIRST}", PATIENT, FaultCause.DISCONNECTED, "ended"),
            id="exception",
        ),
        pytest.param(
            *(f"if self.asked == 2: time.sleep(3600)\n{FIRST}", any_start("200ms"), FaultCause.TIMEOUT, "200"),
            id="silence",
            marks=needs_minutes,
        ),
        pytest.param(
            *(f"if self.asked == 2: return 9999\n{FIRST}", PATIENT, FaultCause.ILLEGAL_ACTION, "9999"),
            id="lie",
            marks=needs_minutes,
        ),
    ],
)
def test_what_a_program_does_wrong_is_its_fault_and_the_match_goes_on(
    seat: Seat, tmp_path: Path, decide: str, clock: TimeControl, cause: FaultCause, words: str
) -> None:
    bot = write_bot(tmp_path / "rogue", decide)
    seating = seat(Program(str(bot)), Program("random"), clock=clock)
    turns, end = play(seating, start())
    (fault,) = end.faults
    assert (fault.seat, fault.cause) == (1, cause)
    assert words in fault.explanation
    assert end.ranks[1] == 3
    assert any(turn.faults for turn in turns), "it was told while the match went on"
    assert play(seating, start(seed=2))[1].ranks, "another process plays the next match"


@needs_minutes
@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("print('no weights', file=sys.stderr); os._exit(3)", "no weights"),
        ("import nothing_like_it", "No module named"),
    ],
)
def test_a_program_that_does_not_start_is_told_with_its_last_words(
    seat: Seat, tmp_path: Path, before: str, words: str
) -> None:
    seating = seat(Program(str(write_bot(tmp_path / "lame", FIRST, before))), Program("random"))
    for _ in range(2):
        with pytest.raises(OpponentError, match="the bot in seat 1 did not start: It ended before it joined") as told:
            seating.begin(start())
        assert words in str(told.value)
        assert told.value.seat == 1


@needs_minutes
def test_a_bot_of_this_process_that_raises_leaves_the_programs_ready(seat: Seat) -> None:
    seating = seat(Program("random"), FunctionBot(raising(at=2)))
    with pytest.raises(OpponentError, match="stumbling in seat 2 raised RuntimeError: I do not know this position"):
        play(seating, start())
    assert play(seating, start())[1].ranks


@needs_minutes
def test_a_version_of_a_database_plays(seat: Seat, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = str(tmp_path / "arena.db")
    bot = write_bot(tmp_path / "mine", FIRST)
    assert run(["bot", "add", str(bot), "--db", db]) == 0
    _, end = play(seat(Program("mine", db), FunctionBot(first)), start())
    assert not end.faults
    capsys.readouterr()
    for name, words in (
        ("hers", "hers: no bot 'hers'; there are: mine"),
        ("mine@ffffffffff", "mine@ffffffffff: bot 'mine' has no version 'ffffffffff'"),
    ):
        with pytest.raises(AdapterError) as told:
            seat(Program(name, db))
        assert str(told.value).startswith(words)
    with pytest.raises(AdapterError, match=r"mine: .*nowhere\.db"):
        seat(Program("mine", str(tmp_path / "nowhere.db")))


@needs_minutes
def test_who_cannot_sit_down_is_told_in_one_line(seat: Seat, tmp_path: Path) -> None:
    other = write_bot(tmp_path / "other", FIRST, games='["chess"]')
    empty = tmp_path / "empty"
    empty.mkdir()
    for bot, words in (
        ("greedi", "there is no sample bot and no directory 'greedi'; the samples are"),
        (str(empty), "bot.toml"),
        (str(other), "other does not play foreign_king; its bot.toml names: chess"),
    ):
        with pytest.raises(AdapterError) as told:
            seat(Program(bot))
        assert words in str(told.value)
        assert "\n" not in str(told.value)
    with pytest.raises(AdapterError, match="sandbox level 'tight'; there are"):
        seat(Program("random"), sandbox="tight")


@needs_minutes
def test_the_learner_is_told_when_the_process_that_hosts_is_killed_and_can_begin_anew(
    seat: Seat, tmp_path: Path
) -> None:
    seating = seat(Program("random"))
    moment = seating.begin(start(0, seats=2))
    assert isinstance(moment, Turn)
    marked = outliving_processes(f"KMA_TEST_MARK={tmp_path}")
    (table,) = (pid for pid, line in marked.items() if "arena.adapters.table" in line)
    os.kill(table, signal.SIGKILL)
    with pytest.raises(TableError, match="the process that hosts the bots has ended"):
        go_on(seating, moment)
    assert play(seating, start(0, seats=2))[1].ranks


@needs_minutes
def test_nothing_is_left_when_the_learner_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = f"KMA_TEST_MARK={tmp_path}"
    monkeypatch.setenv(*mark.split("=", 1))
    bot = write_bot(tmp_path / "sleeper", f"if self.asked == 2: time.sleep(3600)\n{FIRST}")
    program = (
        "from tests.adapters.beside import *\n"
        "from arena.adapters.hosted import SeatingHosted\nfrom arena.adapters.opponents import Program\n"
        "from arena.match.time_control import parse_time_control\n"
        f"seating = SeatingHosted(setting(2), (Program({str(bot)!r}),), parse_time_control('none'), None, 60)\n"
        "moment = seating.begin(start(0, seats=2))\nprint('playing', flush=True)\ngo_on(seating, moment)\n"
    )
    learner = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert learner.stdout is not None
    assert learner.stdout.readline() == "playing\n"
    assert len(outliving_processes(mark)) >= 4  # the learner, the table, the launcher, the bot
    learner.kill()
    learner.wait()
    learner.stdout.close()
    wait_until(lambda: outliving_processes(mark) == {})
