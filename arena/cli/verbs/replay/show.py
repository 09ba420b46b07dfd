"""`arena replay show` and `html`: how a match was played, as text, as pictures or in one HTML file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_instant, printable, short_match_id, yes_or_no
from arena.cli.shared.connect import connect, program
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.files import write_file, written
from arena.cli.shared.language import language_of_names, named, say, translated
from arena.cli.shared.options import AsJson, Database, Language, SvgFile, example, get_game
from arena.cli.shared.output import print_facts, print_json, print_lines, print_table
from arena.match.replay import ReplayError, load, with_texts
from arena.model.matches import Replay
from arena.model.table_columns import Column, ColumnKind
from arena.story.encoding import frame_json
from arena.story.errors import StoryError
from arena.story.replays import story_of_replay
from arena.story.story import Finish, Frame, Story
from engine import registry
from engine.core import Game
from engine.translatable import Text

app = typer.Typer()
_HEADS = ("ply", "seat", "bot", "action", "by", "time", "left", "what_happened")
_RIGHT = (True, True, False, False, False, True, True)
_NARROWEST = 40
"""Words stand beside the other columns if a terminal leaves them so many; else below them."""
_INDENT = 6
ReplayName = Annotated[str, typer.Argument(metavar="MATCH")]


@app.command(
    epilog=example("arena replay show 3f9a01c2", "arena replay show 3f9a01c2 --ply 12 --svg ply12.svg --lang fr")
)
def show(
    match: ReplayName,
    ply: Annotated[int | None, typer.Option(min=0)] = None,
    svg: SvgFile = None,
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show how a match was played, or one of its positions."""
    document = find_document(match, db)
    language = language_of_names(language, as_json=as_json)
    if ply is None and svg is None:
        try:
            story = story_of_replay(document, language, draws=False, evaluates=as_json)
        except StoryError as error:
            typer.echo(say("cli_replay.notation_alone", why=translated(str(error))), err=True)
            frames, finish = _in_notation(document), None
        else:
            frames, finish = story.frames[1:], story.finish
        if as_json:
            steps = [] if finish is None else [asdict(step) for step in finish.scoring]
            whole = {**document, "plies": [frame_json(frame) for frame in frames], "scoring": steps}
            print_json(whole, table="plies")
            return
        names = [seat["name"] for seat in document["seats"]]
        game = get_game(document["game"])
        who = who_plays(game, names, language)
        print_facts(
            {
                "match": document["match_id"],
                "game": say("cli_replay.game_seats", game=game.title, seats=len(names)),
                "seats": ", ".join(f"{seat} {name}" for seat, name in enumerate(who)),
                "started": format_instant(document["started_at_us"]),
            }
        )
        typer.echo()
        print_plies(frames)
        if finish is not None:
            print_scoring(finish, who)
        typer.echo()
        print_result(document["result"], who, has_scoring=finish is not None and bool(finish.scoring))
        for seat in document.get("notes_left_out", ()):
            typer.echo(say("cli_match.notes_left_out", seat=seat, bot=names[seat]))
    else:
        _show_position(document, len(document["entries"]) if ply is None else ply, svg, language, as_json=as_json)


def _in_notation(document: Mapping[str, Any]) -> list[Frame]:
    game = get_game(document["game"])
    return [
        Frame(
            entry["ply"],
            None,
            seat=entry["seat"],
            bot=document["seats"][entry["seat"]]["name"],
            action=game.actions.format(entry["action"]),
            by=entry["by"],
            elapsed_us=entry.get("elapsed_us"),
            charged_us=entry.get("charged_us"),
            note=entry.get("note", ""),
        )
        for entry in document["entries"]
    ]


def _show_position(document: Mapping[str, Any], ply: int, svg: Path | None, language: str, *, as_json: bool) -> None:
    story = _story_until(document, ply, language, draws=svg is not None, evaluates=as_json)
    frame = story.frames[-1]
    if svg is not None:
        if frame.picture is None:
            raise MisuseError(Text("{name} has no picture; leave --svg out: it is shown as text", name=story.game.name))
        write_file(svg, frame.picture.svg(), "--svg")
    if as_json:
        last = None if frame.seat is None else frame_json(frame)
        position = {"position": story.state.to_json(), "last": last}
        print_json({"match_id": document["match_id"], "ply": ply, **position})
        return
    typer.echo(say("cli_replay.before_ply", ply=ply, plies=len(document["entries"])))
    if frame.seat is not None:
        print_lines(f"{frame.bot} {frame.action}: {words_of(frame)}")
    typer.echo()
    typer.echo(story.game.shown.text(story.state, None, language))
    if story.finish is not None:
        print_scoring(story.finish, who_plays(story.game, story.start.bots, language))
    if svg is not None:
        typer.echo("\n" + say("cli_shared.drawn", file=svg))


def _story_until(document: Mapping[str, Any], ply: int, language: str, *, draws: bool, evaluates: bool) -> Story:
    """Tell a match up to the position before `ply`. Raise MisuseError beyond its end, CliError if it fails."""
    entries = document["entries"]
    if ply > len(entries):
        raise MisuseError(
            Text(
                "the match has plies 0 to {last}; --ply {last_2} is its end", last=len(entries) - 1, last_2=len(entries)
            )
        )
    try:
        return story_of_replay(document, language, draws=draws, evaluates=evaluates, plies=ply)
    except StoryError as error:
        raise CliError(Text("{why}; `arena replay verify` tells more", why=error)) from error


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
    left = (
        ""
        if frame.remaining_us is None or frame.seat is None
        else f"{frame.remaining_us[frame.seat] / 1_000_000:.1f} s"
    )
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


def words_of(frame: Frame) -> str:
    """Return all that is told of a ply: what happened, faults, the bot's note."""
    faults = (
        say("cli_replay.fault", seat=fault.seat, cause=named("fault.", fault.cause), what=translated(fault.explanation))
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
    if not result["rated"]:
        ranks = say("search.state_no_valid_result")
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


def find_document(match: str, db: str) -> dict[str, Any]:
    """Return the replay document that lies in a file, as `arena bot test` leaves it, or of a match with such an id.

    Raise CliError if it cannot be read, or its game is not installed here.
    """
    file = Path(match)
    if file.is_file():
        return _read(Replay(file.stem, file.read_bytes()))
    with connect(db) as connection:
        replay = connection.arena.replays.get_replay(match)
        document = _read(replay)
        if not document["result"]["faults"]:
            return document
        return with_texts(document, connection.arena.matches.get_match(replay.match_id).faults)


def _read(replay: Replay) -> dict[str, Any]:
    match = short_match_id(replay.match_id)
    try:
        document = load(replay.data)
    except ReplayError as error:
        raise CliError(Text("the replay of match {match} cannot be read: {why}", match=match, why=error)) from error
    if document["game"] not in registry.names() and not registry.family_of(document["game"]):
        raise CliError(
            Text(
                "the match is one of {game}, a game that is not installed here; install its package, or "
                "`{program} match show {match}` shows the result",
                game=repr(document["game"]),
                program=program(),
                match=match,
            )
        )
    return document


@app.command("html", epilog=example("arena replay html 3f9a01c2", "arena replay html 3f9a01c2 --output match.html"))
def html(
    match: ReplayName,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE")] = None,
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
) -> None:
    """Write a match and its viewer into one HTML file."""
    document = find_document(match, db)
    from arena.web.report.report_file import is_report
    from arena.web.report.tournament_report import write_match  # the web's libraries are imported by nobody else

    file = output or Path(f"match-{short_match_id(document['match_id'])}.html")
    with written(file, "--output", is_report) as stream:
        try:
            stream.write(write_match(document, language_of_names(language, as_json=False)))
        except StoryError as error:
            raise CliError(Text("the match cannot be shown: {why}", why=error)) from error
    typer.echo(say("cli_replay.written", file=file, size=f"{file.stat().st_size / 1000:.0f}"))
