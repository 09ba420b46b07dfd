"""The example of a game as a package of its own: its rules against others written apart, and its files."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from game_connect_four import GAME
from game_connect_four import checks as game_checks
from game_connect_four import golden as game_golden

from engine.conformance import Case, cases
from engine.core import PositionError
from engine.kit import cloning
from tests.support.needs import GENERATOR

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "examples/game_connect_four"
PACKAGE = PROJECT / "game_connect_four"
PAGE = ROOT / "docs/add-a-game.md"
PIECE = re.compile(r"^```\w+ title=\"(?P<file>[\w./]+)\"\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

# Seven columns of seven bits, the topmost always empty, so that no line runs over an edge: the way that programs which
# solve the game keep a board (J. Tromp), and quite another one than the package's.
STEPS = (1, 7, 6, 8)


def has_line(discs: int, length: int) -> bool:
    for step in STEPS:
        found = discs
        for times in range(1, length):
            found &= discs >> step * times
        if found:
            return True
    return False


class Bitboards:
    def __init__(self, line: int) -> None:
        self.line = line
        self.discs = [0, 0]
        self.heights = [0] * 7
        self.count = 0

    def legal(self) -> list[int]:
        is_over = any(has_line(discs, self.line) for discs in self.discs)
        return [] if is_over else [column for column in range(7) if self.heights[column] < 6]

    def drop(self, column: int) -> None:
        self.discs[self.count % 2] |= 1 << column * 7 + self.heights[column]
        self.heights[column] += 1
        self.count += 1

    def ranks(self) -> tuple[int, int]:
        winners = [has_line(discs, self.line) for discs in self.discs]
        return (1, 1) if winners[0] == winners[1] else ((1, 2) if winners[0] else (2, 1))

    def count_sequences(self, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for column in self.legal():
            seat = self.count % 2
            self.drop(column)
            total += self.count_sequences(depth - 1)
            self.count -= 1
            self.heights[column] -= 1
            self.discs[seat] ^= 1 << column * 7 + self.heights[column]
        return total


@pytest.mark.parametrize("case", cases(GAME), ids=str)
def test_the_game_keeps_the_contract(case: Case) -> None:
    case()


@pytest.mark.parametrize("line", [3, 4, 5])
def test_random_games_go_as_on_bitboards(line: int) -> None:
    for seed in range(100):
        random, other = Random(seed), Bitboards(line)
        state = GAME.new_state(2, GAME.parse_options({"line": line}))
        while legal := other.legal():
            assert (list(state.legal_actions()), state.seat()) == (legal, other.count % 2)
            action = random.choice(legal)
            state.apply(action)
            other.drop(action)
            game_checks.check_invariants(state)
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.ranks == other.ranks()


def test_the_counts_kept_are_those_of_bitboards() -> None:
    kept = game_golden.perft_counts(2)
    assert kept == [Bitboards(4).count_sequences(depth) for depth in range(1, len(kept) + 1)]


@pytest.mark.parametrize("dropped", [[0] * 7, [0, 1, 0, 1, 0, 1, 0, 1], [7], [True], "0"])
def test_columns_that_nobody_could_have_chosen_are_refused(dropped: object) -> None:
    data = GAME.new_state(2).to_json()
    with pytest.raises(PositionError, match="dropped"):
        GAME.state_from_json({**data, "dropped": dropped})


@pytest.mark.parametrize("message", [b"\xff", b"\x08\x01\x10\x09", b"\x08\x01\x10\x04\x1a\x01\x07"])
def test_bytes_that_are_no_position_are_refused(message: bytes) -> None:
    with pytest.raises(PositionError):
        GAME.observed(message)


def test_the_copies_are_made_from_the_declared_fields() -> None:
    assert (PACKAGE / "clones.py").read_text(encoding="utf-8") == cloning.source("game_connect_four")


@pytest.mark.needs("generator")
def test_the_message_is_made_from_its_declaration(tmp_path: Path) -> None:
    outputs = [f"--python_out={tmp_path}", f"--pyi_out={tmp_path}"]
    command = [str(GENERATOR), "-m", "grpc_tools.protoc", "-I", str(PROJECT), *outputs]
    subprocess.run([*command, "game_connect_four/state.proto"], check=True)
    for name in ("state_pb2.py", "state_pb2.pyi"):
        assert (tmp_path / PACKAGE.name / name).read_text("utf-8") == (PACKAGE / name).read_text("utf-8")


def pieces() -> Iterator[tuple[str, str]]:
    """The pieces of files that the page shows: the file's name, and the text."""
    blocks = re.finditer(
        r"^```\w+ title=\"(?P<file>[\w./]+)\"\n(?P<text>.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S
    )
    return ((block["file"], block["text"]) for block in blocks)


def test_the_page_that_builds_it_shows_every_file_as_it_is() -> None:
    shown: dict[str, list[str]] = {}
    for file, text in pieces():
        shown.setdefault(file, []).append(text.strip("\n"))
    made = {"clones.py", "state_pb2.py", "__init__.py"}
    needed = {path.name for path in PACKAGE.glob("*.py")} - made
    assert needed <= {Path(file).name for file in shown}
    for file, texts in shown.items():
        written = (PROJECT / file).read_text(encoding="utf-8").strip("\n")
        assert re.sub(r"\n+", "\n", "\n".join(texts)) == re.sub(r"\n+", "\n", written), file


def test_it_is_small() -> None:
    made = {"clones.py", "state_pb2.py"}
    by_hand = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".proto") and path.name not in made]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in by_hand) < 500
