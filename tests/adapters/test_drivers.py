"""Playing beside bots of this process, and beside programs: those that crash, fall silent or lie stop no learner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.adapters.library import AdapterError, OpponentError, TableError
from arena.adapters.match_drivers import HostedDriver, InProcessDriver, LearnerTurn
from arena.adapters.opponents import FunctionBot, HostedProgram
from arena.cli.app import run
from arena.match.result import FaultCause
from arena.match.time_control import TimeControl
from bots.kit import RESIGN, Answer, Decision
from bots.session import Bot
from engine.core import State
from tests.adapters.beside import DrawingBot, first, go_on, play, raising, setting, start, write_bot
from tests.support.patience import PATIENT, any_start
from tests.support.processes import outliving_processes, wait_until
from tests.support.sources import ROOT

FIRST = "return decision.legal_actions[0]"
Seat = Callable[..., HostedDriver]
needs_minutes = pytest.mark.needs("minutes")


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_the_learner_is_asked_in_its_seat_where_it_has_a_choice() -> None:
    seating = InProcessDriver(setting(), (DrawingBot(), FunctionBot(first)), 60)
    for learner in range(3):
        turns, end = play(seating, start(learner))
        assert len(turns) > 3
        for turn in turns:
            assert len(turn.legal) > 1
            assert not turn.faults
        assert sorted(end.ranks)[0] == 1
        assert not end.faults


def test_equal_starts_give_equal_matches_and_others_do_not() -> None:
    seating = InProcessDriver(setting(), (DrawingBot(), DrawingBot()), 60)
    (turns, end), (again, same_end), (others, _) = (play(seating, start(1, seed)) for seed in (4, 4, 5))
    assert [(turn.ply, turn.legal) for turn in turns] == [(turn.ply, turn.legal) for turn in again]
    assert end == same_end
    assert [(turn.ply, turn.legal) for turn in turns] != [(turn.ply, turn.legal) for turn in others]


def test_bots_are_told_of_each_match_its_seats_seeds_and_opening() -> None:
    bots = DrawingBot(), DrawingBot()
    seating = InProcessDriver(setting(), bots, 60)
    moment = seating.begin(start(1, 5))
    assert isinstance(moment, LearnerTurn)
    seen = moment.seen
    assert isinstance(seen, State)
    opening = (seen.legal_actions()[0],) if seen.seat() == 0 else ()
    _, _ = play(seating, start(1, 5, opening=opening))
    assert [[match.seat for match in bot.started] for bot in bots] == [[0, 0], [2, 2]]
    assert [[match.seed for match in bot.started] for bot in bots] == [[5, 5], [7, 7]]
    assert [len(bots[0].started[-1].events)] == [len(opening)]
    assert [bot.finished for bot in bots] == [1, 1]  # the first match was left


def test_an_illegal_answer_is_a_fault_and_the_match_goes_on() -> None:
    def wrong(decision: Decision) -> int:
        return next(action for action in range(200) if action not in decision.legal_actions)

    turns, end = play(InProcessDriver(setting(), (FunctionBot(wrong), FunctionBot(first)), 60), start())
    assert {fault.seat for fault in end.faults} == {1}
    assert end.faults[0].cause == "ILLEGAL_ACTION"
    assert any(turn.faults for turn in turns), "it was told while the match went on"
    assert end.ranks[1] == 3


def test_who_gives_up_is_last_without_a_fault() -> None:
    def giving_up(decision: Decision) -> Answer:
        return RESIGN

    _, end = play(InProcessDriver(setting(), (FunctionBot(giving_up), FunctionBot(first)), 60), start())
    assert end.ranks[1] == 3
    assert not end.faults


def test_a_bot_that_raises_is_named_and_the_next_match_can_be_played() -> None:
    seating = InProcessDriver(setting(), (FunctionBot(first), FunctionBot(raising(at=2))), 60)
    with pytest.raises(OpponentError) as told:
        play(seating, start())
    assert str(told.value) == "stumbling in seat 2 raised RuntimeError: I do not know this position"
    assert isinstance(told.value.__cause__, RuntimeError)
    assert told.value.seat == 2
    assert play(seating, start())[1].ranks


@pytest.mark.parametrize("answer", ["first", None, [], 1.5])
def test_a_bot_that_answers_with_no_action_is_named(answer: object) -> None:
    seating = InProcessDriver(setting(), (FunctionBot(lambda _: answer), FunctionBot(first)), 60)  # type: ignore[arg-type, return-value]
    with pytest.raises(OpponentError, match="in seat 1 raised AnswerError: decide returned"):
        play(seating, start())


def test_a_bot_that_never_answers_does_not_hold_the_learner(released: threading.Event) -> None:
    asked: list[Decision] = []

    def musing(decision: Decision) -> int:
        asked.append(decision)
        if len(asked) == 2:
            released.wait()
        return decision.legal_actions[0]

    seating = InProcessDriver(setting(), (FunctionBot(musing), FunctionBot(first)), 1.0)
    with pytest.raises(OpponentError) as told:
        play(seating, start())
    assert str(told.value).startswith("musing in seat 1 has not answered for 1 s; it computes here, where nothing can")
    turns, _ = go_on(seating, seating.begin(start()))
    assert turns
    seating.close()


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_a_bot_that_exits_ends_the_playing_and_not_the_learner(kind: type[BaseException]) -> None:
    def leaving(_: Decision) -> Answer:
        raise kind("enough")

    seating = InProcessDriver(setting(), (FunctionBot(leaving), FunctionBot(leaving)), 60)
    with pytest.raises(OpponentError, match=f"leaving in seat . raised {kind.__name__}: enough"):
        go_on(seating, seating.begin(start(0)))
    seating.close()


@pytest.fixture
def seat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Seat]:
    """Seats bots, and ends all in the end; nothing may be left of what was started."""
    mark = f"KMA_TEST_MARK={tmp_path}"
    monkeypatch.setenv(*mark.split("=", 1))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    seatings = []

    def open_seating(*opponents: HostedProgram | Bot, clock: TimeControl = PATIENT) -> HostedDriver:
        seatings.append(HostedDriver(setting(len(opponents) + 1), opponents, clock, None, 300))
        return seatings[-1]

    yield open_seating
    for seating in seatings:
        seating.close()
    assert outliving_processes(mark) == {}


def test_what_a_program_does_wrong_is_its_fault_the_match_goes_on_and_equal_starts_give_equal_matches(
    seat: Seat, tmp_path: Path
) -> None:
    bot = write_bot(tmp_path / "rogue", f"if self.asked == 2: raise RuntimeError('oh')\n{FIRST}")
    seating = seat(HostedProgram(str(bot)), DrawingBot())
    found = []
    for learner, seed in ((0, 3), (2, 3), (0, 3)):
        turns, end = play(seating, start(learner, seed))  # with another process of the program each time
        (fault,) = end.faults
        assert (fault.seat, fault.cause) == (1 if learner == 0 else 0, FaultCause.DISCONNECTED)
        assert "ended" in fault.explanation
        assert end.ranks[fault.seat] == 3
        assert any(turn.faults for turn in turns), "it was told while the match went on"
        found.append(([(turn.ply, list(turn.legal)) for turn in turns], end.ranks))
    assert found[0] == found[2]
    assert found[0][0] != found[1][0]


@needs_minutes
def test_programs_that_crash_and_lie_are_at_fault_each_for_itself(seat: Seat, tmp_path: Path) -> None:
    crashing = write_bot(tmp_path / "crashing", f"if self.asked == 2: os._exit(7)\n{FIRST}")
    lying = write_bot(tmp_path / "lying", f"if self.asked == 2: return 9999\n{FIRST}")
    seating = seat(HostedProgram(str(crashing)), HostedProgram(str(lying)))
    _, end = play(seating, start())
    first_out, second_out = sorted(end.faults, key=lambda fault: fault.seat)
    assert (first_out.seat, first_out.cause) == (1, FaultCause.DISCONNECTED)
    assert "status 7" in first_out.explanation
    assert (second_out.seat, second_out.cause) == (2, FaultCause.ILLEGAL_ACTION)
    assert "9999" in second_out.explanation
    assert end.ranks[0] == 1


@needs_minutes
def test_a_program_that_falls_silent_is_out_of_time(seat: Seat, tmp_path: Path) -> None:
    mute = write_bot(tmp_path / "mute", "time.sleep(3600)")  # it answers nothing, and nobody else has a clock
    turns, end = play(seat(HostedProgram(str(mute)), FunctionBot(first), clock=any_start("200ms")), start())
    (fault,) = end.faults
    assert (fault.seat, fault.cause) == (1, FaultCause.TIMEOUT)
    assert "200" in fault.explanation
    assert end.ranks[1] == 3
    assert any(turn.faults for turn in turns), "it was told while the match went on"


LINES = """
import json, os, sys

for line in sys.stdin:
    message = json.loads(line)
    if "decide" in message:
        open({file!r}, "a").write(f"{{os.getpid()}} ")
        print(message["decide"]["legal_actions"][0], flush=True)
"""


@needs_minutes
@pytest.mark.parametrize("speaks_lines", [False, True])
def test_a_match_that_was_left_is_followed_by_another_with_the_same_processes(
    seat: Seat, tmp_path: Path, speaks_lines: bool
) -> None:
    file = str(tmp_path / "pids")
    bot = write_bot(tmp_path / "teller", f"open({file!r}, 'a').write(f'{{os.getpid()}} ')\n{FIRST}")
    if speaks_lines:
        (bot / "main.py").write_text(LINES.format(file=file), encoding="utf-8")
        with (bot / "bot.toml").open("a", encoding="utf-8") as manifest:
            manifest.write('protocol = "lines"\n')
    seating = seat(HostedProgram(str(bot)))
    for seed in range(3):
        moment = seating.begin(start(1, seed, seats=2))
        assert isinstance(moment, LearnerTurn)
        seen = moment.seen.state  # type: ignore[union-attr]
        assert seen.seat() == 1
        assert list(seen.legal_actions()) == list(moment.legal), "what is shown is the position"
    seating.stop()
    seating.stop()
    assert play(seating, start(1, 4, seats=2))[1].ranks
    pids = (tmp_path / "pids").read_text(encoding="utf-8").split()
    assert len(pids) > 3
    assert len(set(pids)) == 1


@needs_minutes
def test_a_program_that_does_not_start_is_told_with_its_last_words(seat: Seat, tmp_path: Path) -> None:
    lame = write_bot(tmp_path / "lame", FIRST, "print('no weights', file=sys.stderr); os._exit(3)")
    seating = seat(HostedProgram(str(lame)), HostedProgram("random"))
    for _ in range(2):
        with pytest.raises(OpponentError, match="the bot in seat 1 did not start: It ended before it joined") as told:
            seating.begin(start())
        assert "exit status 3" in str(told.value)
        assert "no weights" in str(told.value)
        assert told.value.seat == 1


@needs_minutes
def test_a_version_of_a_database_plays(seat: Seat, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = str(tmp_path / "arena.db")
    bot = write_bot(tmp_path / "mine", FIRST)
    assert run(["bot", "add", str(bot), "--db", db]) == 0
    capsys.readouterr()
    _, end = play(seat(HostedProgram("mine", db), FunctionBot(first)), start())
    assert not end.faults


@needs_minutes
def test_who_cannot_sit_down_is_told_in_one_line(seat: Seat) -> None:
    with pytest.raises(AdapterError) as told:
        seat(HostedProgram("greedi"))
    assert str(told.value).startswith("there is no sample bot and no directory 'greedi'; the samples are")
    assert "\n" not in str(told.value)


@needs_minutes
def test_whoever_raises_or_is_killed_the_learner_is_told_and_can_begin_anew(seat: Seat, tmp_path: Path) -> None:
    seating = seat(HostedProgram("random"), FunctionBot(raising(at=2)))
    with pytest.raises(OpponentError, match="stumbling in seat 2 raised RuntimeError: I do not know this position"):
        play(seating, start())
    moment = seating.begin(start())
    assert isinstance(moment, LearnerTurn)
    marked = outliving_processes(f"KMA_TEST_MARK={tmp_path}")
    (host,) = (pid for pid, line in marked.items() if "arena.adapters.bot_host" in line)
    os.kill(host, signal.SIGKILL)
    with pytest.raises(TableError, match="the process that hosts the bots has ended"):
        go_on(seating, moment)
    assert play(seating, start())[1].ranks


@needs_minutes
def test_nothing_is_left_when_the_learner_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = f"KMA_TEST_MARK={tmp_path}"
    monkeypatch.setenv(*mark.split("=", 1))
    bot = write_bot(tmp_path / "sleeper", f"if self.asked == 2: time.sleep(3600)\n{FIRST}")
    program = (
        "from tests.adapters.beside import *\n"
        "from arena.adapters.match_drivers import HostedDriver\nfrom arena.adapters.opponents import HostedProgram\n"
        "from arena.match.time_control import parse_time_control\n"
        f"seating = HostedDriver(setting(2), (HostedProgram({str(bot)!r}),), parse_time_control('none'), None, 60)\n"
        "moment = seating.begin(start(0, seats=2))\nprint('playing', flush=True)\ngo_on(seating, moment)\n"
    )
    learner = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert learner.stdout is not None
    assert learner.stdout.readline() == "playing\n"
    assert len(outliving_processes(mark)) >= 4  # the learner, the host, the launcher, the bot
    learner.kill()
    learner.wait()
    learner.stdout.close()
    wait_until(lambda: outliving_processes(mark) == {})
