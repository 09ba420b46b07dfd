"""The bot itself: follows a match of chess as UCI moves and asks the engine when it is its turn. No I/O of its own.

UCI writes a move as `e2e4` or `a7a8q`, OpenSpiel's chess as an id, `73 * square + plane`, seen by the side to move:
`square` is 8 * file + rank, and black's ranks count from its own side. A plane is a direction and a distance
(OpenSpiel, games/chess/chess.cc, `MoveToAction`); the two ids behind the last square castle. A queen's promotion has
no plane of its own: it is the step of the pawn. So a pawn must be known from a rook to write a move, and `Pawns` is
all that is remembered of a position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from arena.v1 import match_pb2
from bots.kit import Bot, Decision, Match
from bots.uci.engine import Engine

_USED = 0.9  # the share of a decision's limit that an engine is given: the rest is for the way there and back
_UNTIMED_MS = 1000  # for a match without a clock
USUAL_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
WHITE, BLACK = 0, 1
_PLANES_A_SQUARE = 73
_CASTLE_LEFT = 64 * _PLANES_A_SQUARE
_CASTLE_RIGHT = _CASTLE_LEFT + 1
_CASTLING = {
    "e1c1": (WHITE, _CASTLE_LEFT),
    "e1g1": (WHITE, _CASTLE_RIGHT),
    "e8c8": (BLACK, _CASTLE_LEFT),
    "e8g8": (BLACK, _CASTLE_RIGHT),
}
_KNIGHT = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2))
_LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Directions of lines in the order of their planes; each is gone through from the farthest square behind."""
_LAST_RANKS = ("1", "8")


class UciBot(Bot):
    """Plays what the engine chooses; `go` is what it is told each time, empty for the clock of the match."""

    games = ("openspiel_chess",)
    uses_engine = False

    def __init__(self, engine: Engine, go: str = "") -> None:
        self._engine = engine
        self._go = go
        self._is_new = True
        self._first = WHITE
        self._plies = 0
        self._position = ""
        self._pawns = Pawns()

    def prepare(self) -> None:
        self._engine.start()

    def match_started(self, match: Match) -> None:
        self._is_new = True
        start = match.options.get("fen") or USUAL_START
        self._first = (WHITE, BLACK)["wb".index(start.split()[1])]
        self._position = "position startpos" if start == USUAL_START else f"position fen {start}"
        self._plies, self._pawns = 0, Pawns(start)
        self._follow(match.events)

    def decide(self, decision: Decision) -> int:
        self._follow(decision.events)
        if self._is_new:  # what an engine does between matches it does asleep
            self._engine.new_game(decision.match.cores)
            self._is_new = False
        go = self._go or go_by_clock(decision)
        move = self._engine.best_move(self._position, go)
        action = self._pawns.action(move, self._colour, decision.legal_actions)
        if action is None:
            raise self._engine.illegal(move)
        return action

    @property
    def _colour(self) -> int:
        """Who moves next."""
        return (self._first + self._plies) % 2

    def _follow(self, events: Iterable[match_pb2.Event]) -> None:
        for event in events:
            move = self._pawns.written(event.action, self._colour)
            self._pawns.play(move)
            self._position += f" {move}" if self._plies else f" moves {move}"
            self._plies += 1


def go_by_clock(decision: Decision) -> str:
    """Return the `go` of a decision under the clock of its match.

    Only the own bank is known, so the other side is said to have as much.
    """
    clock = decision.match.clock
    if clock.bank_us or clock.increment_us:
        left, more = max(decision.bank_us // 1000, 1), clock.increment_us // 1000
        go = f"go wtime {left} btime {left} winc {more} binc {more}"
        return f"{go} movetime {_share_ms(decision.time_limit_us)}" if clock.decision_limit_us else go
    left_s = decision.seconds_left()
    return f"go movetime {_UNTIMED_MS if left_s is None else _share_ms(left_s * 1e6)}"


def _share_ms(limit_us: float) -> int:
    """Return the milliseconds of thinking within a limit, at least 1."""
    return max(int(limit_us * _USED) // 1000, 1)


def _planes() -> Iterator[tuple[int, int, str]]:
    """Yield files, ranks and what is written behind, in the order of the planes."""
    for piece in "rbn":
        yield from ((step, 1, piece) for step in (0, 1, -1))
    for files, ranks in _LINES:
        yield from ((files * far, ranks * far, "") for far in (*range(-7, 0), *range(1, 8)))
    yield from ((files, ranks, "") for files, ranks in _KNIGHT)


def _name(file: int, rank: int, colour: int) -> str:
    return f"{'abcdefgh'[file]}{8 - rank if colour == BLACK else rank + 1}"


def _texts(colour: int) -> dict[int, str]:
    """Return what every id is written as by a side, as if no pawn became a queen."""
    texts = {action: text for text, (side, action) in _CASTLING.items() if side == colour}
    for square in range(64):
        file, rank = divmod(square, 8)
        for plane, (files, ranks, piece) in enumerate(_planes()):
            to_file, to_rank = file + files, rank + ranks
            if 0 <= to_file < 8 and 0 <= to_rank < 8 and (not piece or rank == 6):
                text = _name(file, rank, colour) + _name(to_file, to_rank, colour) + piece
                texts[square * _PLANES_A_SQUARE + plane] = text
    return texts


_TEXT: Sequence[Mapping[int, str]] = (_texts(WHITE), _texts(BLACK))

_ID: Sequence[Mapping[str, int]] = tuple(
    {text: action for action, text in texts.items() if action < _CASTLE_LEFT} for texts in _TEXT
)


class Pawns:
    """Where pawns may stand, by the moves that were played from the start, a FEN.

    One that was taken in passing is remembered until something comes to its square, which does no harm: what leaves
    a square has come there before.
    """

    __slots__ = ("_squares",)

    def __init__(self, start: str = USUAL_START) -> None:
        self._squares = set[str]()
        for rank, row in zip("87654321", start.split()[0].split("/"), strict=True):
            signs = "".join("." * int(sign) if sign.isdigit() else sign for sign in row)
            self._squares |= {file + rank for file, sign in zip("abcdefgh", signs, strict=True) if sign in "pP"}

    def written(self, action: int, colour: int) -> str:
        """Return the move of a legal action in UCI notation. Raises KeyError if no move has that id."""
        text = _TEXT[colour][action]
        becomes_queen = text[3:] in _LAST_RANKS and text[:2] in self._squares
        return f"{text}q" if becomes_queen else text

    def play(self, text: str) -> None:
        """Follow a move in UCI notation."""
        squares, start = self._squares, text[:2]
        if start in squares:
            squares.remove(start)
            if len(text) == 4:
                squares.add(text[2:])
                return
        squares.discard(text[2:4])

    def action(self, text: str, colour: int, legal: Sequence[int]) -> int | None:
        """Return the legal action that a move in UCI notation stands for, or None if there is none."""
        action = _ID[colour].get(text[:4] if text[4:] == "q" else text)
        if action is not None and action in legal and self.written(action, colour) == text:
            return action
        side, castling = _CASTLING.get(text, (None, None))
        return castling if side == colour and castling in legal else None
