"""What commands do to a terminal: guard what is written to it, fit tables into its width, and show a page in place.

Names, words and files of bots and owners reach standard output and standard error by many ways, so they are made plain
where all ways end: nothing of them steers the terminal. What the program itself does to a terminal, such as writing
over a line, passes the guard (`raw_stream`). A character that the encoding of a stream lacks is replaced there as well.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any, TextIO, cast

from arena.i18n.sanitize import REPLACING, plain, text_width

_KEPT = "\n\t"
_USUAL_WIDTH = 80
BETWEEN = 2
"""The characters between two columns."""
NAMES = frozenset({"against", "bot", "name", "named", "opponent", "seats_rank", "stronger_than"})
"""The headings of columns that never go: who it is about. A table without any of them keeps its first column."""
LAST_TO_GO = (
    "match", "rank", "ranks", "place", "status", "state", "verdict", "fault", "faults", "cost",
    "share", "to_do",
    "elo", "rating", "score", "interval", "played", "matches", "one_of_them", "forfeits", "won", "wins", "draws",
    "shared", "version", "points", "above_next", "reason", "note", "finding", "notice", "problem", "found", "value",
    "tournament", "seat",
)  # fmt: skip
"""The headings of the other columns from the most important on. Those that are not named go before them all."""
_FOLDED = frozenset({
    "check", "command", "fault", "faults", "finding", "found", "games", "limits_of_their_own", "message", "note",
    "notice", "problem", "reason", "runtime", "seats_rank", "suspicion", "title", "to_do", "value",
})  # fmt: skip
"""The headings of columns with texts, which can be read on several lines."""
_NOTHING = {"", "-"}
_NARROWEST_TEXT = 16
_NARROWEST = 4
_BOLD = ("\x1b[1m", "\x1b[0m")
_USUAL = os.terminal_size((80, 24))


class EscapedStream:
    """A text stream that escapes control characters; everything else is done by the stream behind it."""

    def __init__(self, stream: TextIO) -> None:
        self.behind = stream

    def write(self, text: str) -> int:
        """Write a text, made plain. Raises TypeError for anything else."""
        if not isinstance(text, str):
            raise TypeError("a text stream takes text")
        self.behind.write(plain(text, keep=_KEPT))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, made plain."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # Typer would write there, past the guard, if the encoding is ASCII
            raise AttributeError(name)
        return getattr(self.behind, name)


def raw_stream(stream: TextIO) -> TextIO:
    """Return the stream itself, for what the program does to a terminal; what others wrote is made plain before."""
    return raw_stream(stream.behind) if isinstance(stream, EscapedStream) else stream


def width_of(stream: TextIO) -> int | None:
    """Return the width of a terminal, at least 1, or `None` for what is none."""
    if not stream.isatty():
        return None
    if os.environ.get("COLUMNS", "").isdecimal():
        return max(1, shutil.get_terminal_size().columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):  # a terminal that tells no size
        return _USUAL_WIDTH


@contextmanager
def escaped_streams() -> Iterator[None]:
    """Have all that is written to standard output and standard error made plain during the block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, EscapedStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def fit_encodings(*, is_for_programs: bool) -> None:
    """Have the standard streams replace what is not in their encoding.

    What is written for programs is UTF-8 wherever it goes but to a terminal.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        with suppress(io.UnsupportedOperation):  # somebody has read from it
            sys.stdin.reconfigure(errors="replace")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_data = is_for_programs and stream is sys.stdout and not stream.isatty()
            stream.reconfigure(encoding="utf-8" if is_data else None, errors=REPLACING)


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Which columns of a table are shown, by number, and how wide each of them is."""

    shown: tuple[int, ...]
    widths: tuple[int, ...]


def lay_out(
    titles: Sequence[str], headings: Sequence[str], cells: Sequence[Sequence[str]], width: int | None
) -> TableLayout:
    """Return how a table is written in `width` characters, or in as many as it takes if that is `None`.

    `titles` are the headings by their ids, `headings` as they are written. All names are whole as long as the longest
    of them is no wider than the terminal.
    """
    natural = [max(map(text_width, texts)) for texts in zip(headings, *cells, strict=True)]
    shown = list(range(len(titles)))
    if width is None:
        return TableLayout(tuple(shown), tuple(natural))
    staying = {at for at, title in enumerate(titles) if title in NAMES} or {0}
    ranks = _ranks(titles, cells)
    narrowest = [
        _narrowest([heading, *texts], natural[at], is_name=at in staying) if titles[at] in _FOLDED else natural[at]
        for at, (heading, *texts) in enumerate(zip(headings, *cells, strict=True))
    ]
    # Several names in a row stand on one line as long as something is left that is not worth a second one.
    on_one_line = [natural[at] if at in staying else narrowest[at] for at in shown]
    for least, last_rank in ((on_one_line, len(LAST_TO_GO)), (narrowest, 0)):
        while _total([least[at] for at in shown]) > width:
            others = [at for at in shown if at not in staying and ranks[at] >= last_rank]
            if not others:
                break
            shown.remove(max(others, key=lambda at: (ranks[at], at)))
    if _total([narrowest[at] for at in shown]) > width:
        return TableLayout(tuple(shown), _shrink([narrowest[at] for at in shown], [_NARROWEST] * len(shown), width))
    return TableLayout(tuple(shown), _shrink([natural[at] for at in shown], [narrowest[at] for at in shown], width))


def _ranks(titles: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the rank of each column: the highest is dropped first, and that of an empty column is highest."""
    ranks = [LAST_TO_GO.index(title) if title in LAST_TO_GO else len(LAST_TO_GO) for title in titles]
    return [len(LAST_TO_GO) + 1 if is_empty(cells, at) else rank for at, rank in enumerate(ranks)]


def is_empty(cells: Sequence[Sequence[str]], at: int) -> bool:
    """Return whether nothing stands in a column of a table."""
    return all(line[at] in _NOTHING for line in cells)


def _narrowest(texts: Sequence[str], natural: int, *, is_name: bool) -> int:
    """Return the least width of a column of texts: no word of a name is folded, and of others only a long one."""
    longest = max((text_width(word) for text in texts for word in text.split(" ")), default=0)
    return min(natural, longest if is_name else max(_NARROWEST_TEXT, text_width(texts[0])))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + BETWEEN * (len(widths) - 1)


def _shrink(widths: Sequence[int], least: Sequence[int], width: int) -> tuple[int, ...]:
    """Return the widths with the widest made narrower, none below its least, until they fit or nothing can be done."""
    fitting = list(widths)
    while _total(fitting) > width:
        able = [at for at, one in enumerate(fitting) if one > least[at]]
        if not able:
            break
        fitting[max(able, key=lambda at: fitting[at])] -= 1
    return tuple(fitting)


def fold(text: str, width: int) -> list[str]:
    """Return a text in lines of at most that width: at its spaces, and within a word only if it is wider alone."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(joined) <= width:
            lines[-1] = joined
            continue
        pieces = [""]
        for character in word:
            if pieces[-1] and text_width(pieces[-1] + character) > width:
                pieces.append("")
            pieces[-1] += character
        first, *rest = pieces
        lines[-1:] = [*([lines[-1]] if lines[-1] else []), first, *rest]
    return lines


def pad(text: str, width: int, *, right: bool) -> str:
    """Return a text with spaces up to a width, before it if it is aligned on the right."""
    spaces = " " * (width - text_width(text))
    return spaces + text if right else text + spaces


class _Page(io.StringIO):
    """Collects output in memory and passes for the terminal."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return sys.__stdout__.fileno() if sys.__stdout__ is not None else super().fileno()


class Screen:
    """The lines of a terminal that are written over, from where the cursor stood first."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = raw_stream(sys.stdout if stream is None else stream)
        self._shown = 0

    @contextmanager
    def page(self) -> Iterator[None]:
        """Show what is printed in the block in place of the page before, as many lines as there is room for."""
        page = _Page()
        with redirect_stdout(page):
            yield
        self.show(page.getvalue())

    def show(self, text: str) -> None:
        """Show a text in place of the page before; nothing in it steers the terminal."""
        for bold in _BOLD:
            text = text.replace(bold, "")
        size = self._size()
        lines = [piece for line in text.splitlines() for piece in _fitting(plain(line), size.columns)]
        lines = lines[: max(1, size.lines - 1)]
        back = f"\x1b[{self._shown}F" if self._shown else ""
        self._stream.write(f"{back}\x1b[J" + "".join(f"{line}\n" for line in lines))
        self._stream.flush()
        self._shown = len(lines)

    def _size(self) -> os.terminal_size:
        try:
            found = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            return _USUAL
        return found if found.columns and found.lines else _USUAL


def _fitting(line: str, width: int) -> list[str]:
    """Return a line as it is, or in pieces if it is wider than the terminal, which would break it itself."""
    return [line] if text_width(line) <= width else fold(line, width)
