"""Engines that speak UCI: their moves are OpenSpiel's, whole matches, and what becomes of one that misbehaves."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import pytest_asyncio

from arena.hosting.sandbox.limits import STANDARD
from arena.match.replay import load
from arena.match.result import Fault, FaultCause
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from arena.worker.match_host import MatchHost
from bots.uci.bot import BLACK, USUAL_START, WHITE, Pawns
from engine import registry
from tests.support.patience import PATIENT, patient_autopsies, patient_endings
from tests.support.processes import marked_processes
from tests.support.uci_engine import LINE

GAMES = 30


BLACK_MOVES = "r3k2r/1P6/8/3pP3/6Pp/8/p7/R3K2R b KQkq g3 0 9"


def start(fen: str = USUAL_START) -> Any:
    import pyspiel  # which may be missing

    return pyspiel.load_game("chess").new_initial_state(fen)


def playings() -> Iterator[tuple[Pawns, int, Any]]:
    """The positions of random games, with what the translation remembers and who moves."""
    random = Random(1)
    for number in range(GAMES):
        fen = USUAL_START if number % 3 else BLACK_MOVES
        state, pawns, ply = start(fen), Pawns(fen), 0 if number % 3 else 1
        while not state.is_terminal():
            yield pawns, ply % 2, state
            action = random.choice(state.legal_actions())
            pawns.play(pawns.written(action, ply % 2))
            state.apply_action(action)
            ply += 1


def after(*moves: str) -> tuple[Pawns, Any]:
    """The position behind these moves from the start."""
    state, pawns = start(), Pawns()
    for move in moves:
        state.apply_action(state.parse_move_to_action(move))
        pawns.play(move)
    return pawns, state


def test_every_legal_move_of_random_games_is_written_as_openspiel_writes_it_and_read_back() -> None:
    from pyspiel import chess

    kinds = set()
    for pawns, colour, state in playings():
        board, legal = state.board(), state.legal_actions()
        for action in legal:
            move = chess.action_to_move(action, board)
            assert pawns.written(action, colour) == move.to_lan()
            assert pawns.action(move.to_lan(), colour, legal) == action
            kinds.add((colour, "castling" if move.is_castling() else move.to_lan()[4:]))
    assert kinds >= {(colour, kind) for colour in (WHITE, BLACK) for kind in ("castling", "q", "r", "b", "n", "")}


NEAR_PROMOTION = ("a2a4", "h7h5", "a4a5", "h5h4", "a5a6", "h4h3", "a6b7", "h3g2")


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ((), "e2e5"),
        ((), "e7e5"),
        ((), "e2e4q"),
        ((), "a2a3q"),
        ((), ""),
        ((), "(none)"),
        ((), "0000"),
        ((), "e1g1"),
        ((), "Nf3"),
        ((), "e2e4 "),
        ((), "E2E4"),
        ((), "e2e4\x00"),
        (NEAR_PROMOTION, "b7a8"),
        (NEAR_PROMOTION, "b7a8k"),
        (NEAR_PROMOTION, "b7a8Q"),
        (NEAR_PROMOTION, "b7b8q"),
    ],
)
def test_what_is_no_legal_move_stands_for_no_action(moves: tuple[str, ...], text: str) -> None:
    pawns, state = after(*moves)
    assert pawns.action(text, len(moves) % 2, state.legal_actions()) is None


@pytest.mark.parametrize("letter", ["q", "r", "b", "n"])
def test_a_pawn_becomes_what_its_letter_says(letter: str) -> None:
    pawns, state = after(*NEAR_PROMOTION)
    action = pawns.action(f"b7a8{letter}", WHITE, state.legal_actions())
    assert action == state.parse_move_to_action(f"b7a8{letter}")


def test_a_rook_that_goes_from_where_a_pawn_was_taken_in_passing_is_no_pawn() -> None:
    moves = ("e2e4", "a7a5", "e4e5", "d7d5", "e5d6", "a5a4", "d6c7", "a8a5", "h2h3", "a5d5", "h3h4")
    pawns, state = after(*moves)  # the rook stands where the pawn was
    (action,) = (action for action in state.legal_actions() if pawns.written(action, BLACK) == "d5d3")
    assert action == state.parse_move_to_action("d5d3")


def test_an_id_that_no_move_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        Pawns().written(4674, WHITE)


GAME = "openspiel_chess"
ENGINE = Path(__file__).resolve().parents[1] / "support" / "uci_engine.py"
LEGAL_ENGINE = ENGINE.with_name("legal_engine.py")
SHORT = TimeControl(decision_limit_us=300_000, start_limit_us=PATIENT.start_limit_us)


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Stands in the environment of every process of these tests, engines included; none outlives them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch, patient_endings():
        patch.setenv("HOME", str(home))
        yield f"HOME={home}"
        assert marked_processes(f"HOME={home}") == {}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(mark: str) -> AsyncIterator[MatchHost]:
    async with MatchHost() as host:
        yield host
    assert marked_processes(mark) == {}


def seat(
    behaviour: str = "", at: int = 0, limit: tuple[str, ...] = ("--nodes", "1"), engine: Path = ENGINE
) -> SeatSpec:
    """The bot with the scripted engine."""
    flags = ("--do", behaviour, "--at", str(at)) if behaviour else ()
    command = (sys.executable, "-m", "bots.uci", "--engine", sys.executable, *limit, "--", str(engine), *flags)
    return SeatSpec(f"{behaviour}-{at}-{limit}-{engine}", behaviour or "honest", str(ENGINE.parent), command, seed=1)


async def play(host: MatchHost, *seats: SeatSpec, clock: TimeControl = PATIENT, **changes: Any) -> MatchReport:
    version = registry.get(GAME).rules_version
    values: dict[str, Any] = {"match_id": "m1", "attempt": 1, "game": GAME, "rules_version": version, "options": {}}
    values |= {"clock": clock, "cores": 1, "chance_seed": 7, "opening": (), "seats": seats}
    report = await host.play(MatchSpec(**{**values, **changes}))
    assert verify(report.replay) == []
    return report


async def fault_of(host: MatchHost, behaviour: str, at: int = 0, clock: TimeControl = PATIENT) -> Fault:
    """What a bot with an engine that misbehaves is blamed for; its opponent wins without noticing."""
    black = 0  # of the two players of OpenSpiel the second one has white
    report = await play(host, seat(), seat(behaviour, at), clock=clock)
    (fault,) = report.result.faults
    assert fault.seat != black
    assert report.result.ranks[black] == 1
    return fault


def actions(report: MatchReport) -> list[int]:
    return [entry["action"] for entry in load(report.replay)["entries"]]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("clock", [PATIENT, TimeControl(), TimeControl(bank_us=300_000_000, increment_us=1_000_000)])
async def test_engines_play_to_the_end_by_the_rules(host: MatchHost, clock: TimeControl) -> None:
    report = await play(host, seat(limit=()), seat(limit=()), clock=clock)
    assert (report.plies, report.decisions, report.result.faults) == (8, 8, ())
    assert report.result.by_rules
    assert report.result.ranks == (1, 1)  # the same position for the third time


@pytest.mark.asyncio(loop_scope="module")
async def test_they_play_the_moves_that_their_engines_chose(host: MatchHost) -> None:
    import pyspiel

    state = pyspiel.load_game("chess").new_initial_state()
    for move in (*LINE, *LINE):
        state.apply_action(state.parse_move_to_action(move))
    assert actions(await play(host, seat(), seat())) == state.history()


@pytest.mark.asyncio(loop_scope="module")
async def test_an_opening_is_followed(host: MatchHost) -> None:
    whole = actions(await play(host, seat(), seat()))
    report = await play(host, seat(), seat(), opening=tuple(whole[:3]))
    assert (actions(report)[-5:], report.decisions) == (whole[3:], 5)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("opening", [0, 1])
async def test_a_position_is_followed_that_the_engine_begins_with(host: MatchHost, opening: int) -> None:
    engines = [seat(engine=LEGAL_ENGINE, limit=limit) for limit in (("--nodes", "1"), ("--nodes", "2"))]
    report = await play(host, *engines, options={"fen": BLACK_MOVES})
    assert (report.result.faults, report.result.by_rules) == ((), True)
    replay = load(report.replay)
    assert (replay["options"], replay["entries"][0]["seat"]) == ({"fen": BLACK_MOVES}, 0)
    played = tuple(actions(report)[:opening])
    again = await play(host, *engines, options={"fen": BLACK_MOVES}, opening=played)
    assert actions(again) == actions(report)


ENDS = [
    ("crash", "ended with exit status 3 when it was asked 'position startpos moves g1f3 g8f6\\ngo nodes 1'"),
    ("segfault", "was ended by SIGSEGV when it was asked"),
    ("illegal-move", r"answered 'e2e5' to 'position startpos moves g1f3 g8f6\ngo nodes 1': no legal move"),
    ("queen-without-a-letter", "answered 'a2a3q' to 'position startpos moves g1f3 g8f6"),
    (
        "no-move",
        r"answered '(none)' to 'position startpos moves g1f3 g8f6\ngo nodes 1': no legal move; its limit may be",
    ),
    ("half-an-answer", "answered 'bestmove' to 'position startpos moves g1f3 g8f6"),
    ("garbage", "to 'position startpos moves g1f3 g8f6"),
    ("endless-line", "bytes without an end of line when it was asked"),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.hostile(*(f"engine-{behaviour}" for behaviour, _ in ENDS))
@pytest.mark.parametrize(("behaviour", "words"), ENDS)
async def test_an_engine_that_gives_no_answer_costs_its_bot_the_match_and_the_bot_says_why(
    host: MatchHost, behaviour: str, words: str
) -> None:
    with patient_autopsies():
        fault = await fault_of(host, behaviour, at=1)
    assert (fault.cause, fault.ply) == (FaultCause.DISCONNECTED, 2)
    assert fault.evidence["exit_status"] == 1
    told = fault.evidence["stderr"].splitlines()[-1]
    assert told.startswith(f"the engine {shlex.join([sys.executable, str(ENGINE)])} --do {behaviour}")
    assert words in fault.evidence["stderr"]


SILENT = ("stall", "flood-of-lines", "deaf-to-the-end")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.hostile(*(f"engine-{behaviour}" for behaviour in SILENT))
@pytest.mark.parametrize("behaviour", SILENT)
async def test_an_engine_that_answers_never_is_out_of_time_and_does_not_stay(
    host: MatchHost, mark: str, behaviour: str
) -> None:
    fault = await fault_of(host, behaviour, clock=SHORT)
    assert fault.cause is FaultCause.TIMEOUT
    assert re.search(r"has not answered 'position startpos\\ngo nodes 1' for \d+ ms", fault.evidence["stderr"])
    assert not [words for words in marked_processes(mark).values() if behaviour in words]


@pytest.mark.hostile("engine-leave", "engine-mute")
@pytest.mark.parametrize(
    ("behaviour", "start_limit_us", "words"),
    [
        ("leave", PATIENT.start_limit_us, "ended with exit status 0 when it was asked 'uci'"),
        ("mute", 5_000_000, "has not answered 'uci' for "),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_an_engine_that_does_not_greet_fails_to_start(
    host: MatchHost, behaviour: str, start_limit_us: int, words: str
) -> None:
    clock = TimeControl(decision_limit_us=PATIENT.decision_limit_us, start_limit_us=start_limit_us)
    fault = await fault_of(host, behaviour, clock=clock)
    assert fault.cause is FaultCause.START_FAILED
    assert words in fault.evidence["stderr"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.needs("sandbox")
@pytest.mark.parametrize("behaviour", ["", "stall"])
async def test_in_the_sandbox_an_engine_of_the_bots_directory_plays_and_ends_with_it(
    host: MatchHost, mark: str, tmp_path: Path, behaviour: str
) -> None:
    shutil.copy(ENGINE, tmp_path / "engine.py")
    tmp_path.chmod(0o755)  # inside it is another user's
    own = Path("{bot_dir}/engine.py")
    inside = [replace(seat(behaviour, engine=own), directory=str(tmp_path), sandbox=STANDARD) for _ in range(2)]
    report = await play(host, *inside, clock=SHORT if behaviour else PATIENT)
    assert [fault.cause for fault in report.result.faults] == [FaultCause.TIMEOUT] * bool(behaviour)
    assert report.decisions == (0 if behaviour else 8)
    assert not [words for words in marked_processes(mark).values() if behaviour and behaviour in words]
