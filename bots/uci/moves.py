"""UCI moves (`e2e4`, `a7a8q`) and the ids that OpenSpiel's chess gives them. Tables and arithmetic, no I/O.

An id is `73 * square + plane`, seen by the side to move: `square` is 8 * file + rank, and black's ranks count from its
own side. A plane is a direction and a distance (OpenSpiel, games/chess/chess.cc, `MoveToAction`); the two ids behind
the last square castle. A queen's promotion has no plane of its own: it is the step of the pawn. So a pawn must be known
from a rook to write a move, and `Pawns` is all that is remembered of a position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
    """Where pawns may stand, by the moves that were played from the usual start.

    One that was taken in passing is remembered until something comes to its square, which does no harm: what leaves
    a square has come there before.
    """

    __slots__ = ("_squares",)

    def __init__(self) -> None:
        self._squares = {file + rank for file in "abcdefgh" for rank in "27"}

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
