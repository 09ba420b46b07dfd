"""How `arena replay show` tells a match: a line for each ply, and the final scoring."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

import typer

from arena.cli.shared.cells import printable, yes_or_no
from arena.cli.shared.output import print_facts, print_table
from arena.cli.shared.saying import named, say, told
from arena.model.columns import Column, ColumnKind
from arena.story.story import Finish, Frame
from engine.core import Game

_HEADS = ("ply", "seat", "bot", "action", "by", "time", "left", "what_happened")
_RIGHT = (True, True, False, False, False, True, True)
_NARROWEST = 40
"""Words stand beside the other columns if a terminal leaves them so many; else below them."""
_INDENT = 6


def print_plies(frames: Sequence[Frame]) -> None:
    """Write a line for each ply; on a terminal its words are wrapped, in a pipe a ply is one line."""
    rows = [_cells(frame) for frame in frames if frame.seat is not None]
    if not rows:
        typer.echo(say("cli_replay.no_plies"))
        return
    heads = [say(f"cli_heading.{name}") for name in _HEADS]
    shown = [place for place in range(len(_RIGHT)) if place != _HEADS.index("left") or any(row[place] for row in rows)]
    widths = {place: max(len(heads[place]), *(len(row[place]) for row in rows)) for place in shown}
    typer.echo(_line(heads, shown, widths) + "  " + heads[-1])
    for row in rows:
        for line in _written(_line(row, shown, widths), row[-1]):
            typer.echo(line)


def _line(cells: Sequence[str], shown: Sequence[int], widths: Mapping[int, int]) -> str:
    padded = (cells[at].rjust(widths[at]) if _RIGHT[at] else cells[at].ljust(widths[at]) for at in shown)
    return "  ".join(padded)


def _written(line: str, words: str) -> Iterator[str]:
    """Yield a ply's line with its words beside it, or below it where a terminal is narrow."""
    if not sys.stdout.isatty():
        yield f"{line}  {words}".rstrip()
        return
    room = shutil.get_terminal_size().columns - len(line) - 2
    if room < _NARROWEST:
        yield line.rstrip()
        yield from (" " * _INDENT + part for part in wrap(words, shutil.get_terminal_size().columns - _INDENT))
        return
    first, *more = wrap(words, room) or [""]
    yield f"{line}  {first}".rstrip()
    yield from (" " * (len(line) + 2) + part for part in more)


def _cells(frame: Frame) -> tuple[str, ...]:
    left = "" if frame.remaining_us is None or frame.seat is None else _seconds(frame.remaining_us[frame.seat])
    time = "" if frame.elapsed_us is None else f"{frame.elapsed_us / 1000:.1f} ms"
    timed = left if frame.elapsed_us is not None else ""
    cells = (
        str(frame.ply),
        str(frame.seat),
        frame.bot,
        frame.action,
        named("cli_state.by_", frame.by),
        time,
        timed,
        words_of(frame),
    )
    return tuple(map(printable, cells))


def _seconds(microseconds: int) -> str:
    return f"{microseconds / 1_000_000:.1f} s"


def words_of(frame: Frame) -> str:
    """Return all that is told of a ply: what happened, faults, the bot's note."""
    faults = (
        say("cli_replay.fault", seat=fault.seat, cause=named("fault.", fault.cause), what=told(fault.explanation))
        for fault in frame.faults
    )
    note = (f"[{frame.note}]",) if frame.note else ()
    return " ".join((*faults, *frame.words, *note))


def who_plays(game: Game, names: Sequence[str], language: str) -> list[str]:
    """Return each bot with what the game calls its seat, if that is more than a number."""
    called = [game.shown.seat_name(seat, language) for seat in range(len(names))]
    return [
        name if word == str(seat) else f"{name} ({word})"
        for seat, (name, word) in enumerate(zip(names, called, strict=True))
    ]


def print_scoring(finish: Finish, names: Sequence[str]) -> None:
    """Write the steps of the final scoring, a column for each seat, the sums below."""
    steps = finish.scoring
    if not steps:
        return
    who = [*names, *steps[0].others]
    columns = [
        Column("label", "scoring"),
        *(Column(str(at), name, ColumnKind.COUNT, is_name=True) for at, name in enumerate(who)),
    ]
    rows: list[dict[str, Any]] = [_row(step.label, step.points) for step in steps]
    typer.echo()
    print_table(columns, [*rows, _row(say("cli_replay.scoring_total"), steps[-1].sums)], as_json=False)
    for step in steps:
        if step.note:
            typer.echo(step.note)


def _row(label: str, amounts: Sequence[int]) -> dict[str, Any]:
    return {"label": label, **{str(at): amount for at, amount in enumerate(amounts)}}


def print_result(result: Mapping[str, Any], names: Sequence[str], *, has_scoring: bool) -> None:
    """Write ranks and end; what the game says of the end besides unless its scoring was told."""
    ranks = ", ".join(f"{name} {rank}" for name, rank in zip(names, result["ranks"], strict=True))
    print_facts(
        {"ranks": ranks, "ended": say("cli_match.by_rules") if result["by_rules"] else say("cli_match.by_forfeit")}
    )
    if not has_scoring:
        for name, value in result["details"].items():
            typer.echo(f"{name}: {_detail_text(value)}")


def _detail_text(value: Any) -> str:
    """Write what a game says of its end without brackets and quotes."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_detail_text(inner)}" for key, inner in value.items()) or say("cli_replay.none")
    if isinstance(value, list):
        return ", ".join(map(_detail_text, value)) or say("cli_replay.none")
    return yes_or_no(value)
