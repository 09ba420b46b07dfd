"""The command `arena match watch`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import MatchId, printable
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import CliError
from arena.cli.shared.interrupt import InterruptedRunError
from arena.cli.shared.language import language_of_names, named, say
from arena.cli.shared.options import AsJson, Database, Language, example
from arena.cli.shared.output import EventLines, keys_of
from arena.model.live import LiveEnd, LiveMove, LiveStart, LogPart, MatchEvent
from arena.story.errors import StoryError
from arena.story.story import Story, follow
from engine.translatable import Text

app = typer.Typer()


@app.command(epilog=example("arena --server club match watch 3f9a01c2", "arena match watch 3f9a01c2 --log 0"))
def watch(
    match: MatchId,
    log: Annotated[int | None, typer.Option("--log", min=0, metavar="SEAT")] = None,
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a match move by move, in words, while it is played."""
    with connect(db) as connection:
        matches = connection.arena.matches
        try:
            if log is not None:
                _show(matches.watch_logs(match, log), _log_writer() if as_json else _log_text)
            else:
                events = _ending_well(matches.watch_match(match))
                _show(
                    events,
                    _event_writer()
                    if as_json
                    else _EventPrinter(language_of_names(language, as_json=False)).print_event,
                )
        except KeyboardInterrupt:
            again = connection.command("match", "watch", match)
            raise InterruptedRunError(
                Text("no longer watched; `{command}` shows the match again", command=again)
            ) from None


def _show(items: Iterator[Any], write: Callable[[Any], None]) -> None:
    for item in items:
        write(item)


def _ending_well(events: Iterator[MatchEvent]) -> Iterator[MatchEvent]:
    """Yield the events. Raise CliError after the end of a match that has no result."""
    for event in events:
        yield event
        if event.end is not None and event.end.lost:
            raise CliError(
                Text("the match has no result: {why}; it may be played again, then watch it again", why=event.end.lost)
            )


def _event_writer() -> Callable[[MatchEvent], None]:
    """Return what writes events for programs; in a table a move has a row, and start and end have one each."""
    lines = EventLines(["sequence", "event", *keys_of(LiveMove, LiveStart, LiveEnd)])
    return lambda event: lines.write(asdict(event), _row(event))


def _row(event: MatchEvent) -> dict[str, Any]:
    facts = {"start": event.start, "move": event.move, "end": event.end}
    ((kind, part),) = ((kind, part) for kind, part in facts.items() if part is not None)
    return {"sequence": event.sequence, "event": kind, **asdict(part)}


def _log_writer() -> Callable[[LogPart], None]:
    lines = EventLines(keys_of(LogPart))
    return lambda part: lines.write({**asdict(part), "data": part.data.decode(errors="replace")})


def _log_text(part: LogPart) -> None:
    gap = f"\n[{say('cli_match.bytes_left_out', bytes=part.cut_bytes)}]\n" if part.cut_bytes else ""
    lines = part.data.decode(errors="replace").splitlines(keepends=True)
    text = "".join(printable(line.rstrip("\r\n")) + ("\n" if line[-1] in "\r\n" else "") for line in lines)
    typer.echo(gap + text, nl=False)


class _EventPrinter:
    """Writes events, and tells moves in words as long as the match can be followed here."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._story: Story | None = None
        self._is_followed = True

    def print_event(self, event: MatchEvent) -> None:
        """Write an event as a line."""
        words = self._words(event)
        text = ""
        if event.start is not None:
            seats = ", ".join(f"{seat} {bot}" for seat, bot in enumerate(event.start.bots))
            text = say("cli_match.starts", match=event.start.match_id, game=event.start.game, seats=seats)
        elif event.move is not None:
            text = _move_text(event.move, words)
        elif event.end is not None:
            if event.end.lost:
                text = say("cli_match.over_no_result")
            else:
                ranks = ", ".join(f"{seat} {rank}" for seat, rank in enumerate(event.end.ranks))
                faults = "".join(
                    say("cli_match.fault_at", bot=fault.bot, cause=named("fault.", fault.cause), ply=fault.ply)
                    for fault in event.end.faults
                )
                text = say(
                    "cli_match.over" if ranks else "cli_match.over_no_valid",
                    how=say("cli_match.by_rules") if event.end.by_rules else say("cli_match.by_forfeit"),
                    ranks=ranks,
                    faults=faults,
                )
        typer.echo(printable(text))

    def _words(self, event: MatchEvent) -> str:
        """Return what happened in a move; nothing if the game is not installed here, or another version of it."""
        if not self._is_followed:
            return ""
        try:
            self._story = follow(self._story, event, self._language, draws=False)
        except StoryError:
            self._is_followed = False
            return ""
        return " ".join(self._story.frames[-1].words) if event.move is not None else ""


def _move_text(move: LiveMove, words: str) -> str:
    time = "" if move.elapsed_us is None else f"{move.elapsed_us / 1000:.1f} ms"
    parts = [f"{move.ply:4}", f"{move.seat} {move.bot}", move.text, time, words, move.note and f"[{move.note}]"]
    return "  ".join(part for part in parts if part)
