"""Shows a page on a terminal that takes the place of the one before, as long as something goes on."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

from arena.cli.shared.layout import fold, text_width
from arena.cli.shared.terminal import raw_stream
from arena.i18n.plain import plain

_BOLD = ("\x1b[1m", "\x1b[0m")
_USUAL = os.terminal_size((80, 24))


class _Page(io.StringIO):
    """Takes what is printed for a terminal, whose size it has."""

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
