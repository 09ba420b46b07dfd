"""The command `arena replay show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.files import write_file
from arena.cli.shared.options import AsJson, Database, Language, SvgFile, example, get_game
from arena.cli.shared.output import print_facts, print_json, print_lines
from arena.cli.shared.saying import language_of_names, say, told
from arena.cli.verbs.replay.finding import ReplayName, find_document
from arena.cli.verbs.replay.text import print_plies, print_result, print_scoring, who_plays, words_of
from arena.story.encoding import frame_json
from arena.story.errors import StoryError
from arena.story.frames import Finish, Frame
from arena.story.replays import story_of_replay
from arena.story.story import Story
from engine.text import Text

app = typer.Typer()


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
    """Tell how a match was played, or show a position in it."""
    document = find_document(match, db)
    language = language_of_names(language, as_json=as_json)
    if ply is None and svg is None:
        _show_match(document, language, as_json=as_json)
    else:
        _show_position(document, len(document["entries"]) if ply is None else ply, svg, language, as_json=as_json)


def _show_match(document: Mapping[str, Any], language: str, *, as_json: bool) -> None:
    """Tell all plies; in notation alone, with a word why, if the match cannot be played again here."""
    try:
        story = story_of_replay(document, language, draws=False, evaluates=as_json)
    except StoryError as error:
        typer.echo(say("cli_replay.notation_alone", why=told(str(error))), err=True)
        frames, finish = _in_notation(document), None
    else:
        frames, finish = story.frames[1:], story.finish
    if as_json:
        steps = [] if finish is None else [asdict(step) for step in finish.scoring]
        whole = {**document, "plies": [frame_json(frame) for frame in frames], "scoring": steps}
        print_json(whole, table="plies")
        return
    _print_match(document, frames, finish, language)


def _print_match(document: Mapping[str, Any], frames: Sequence[Frame], finish: Finish | None, language: str) -> None:
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


def _in_notation(document: Mapping[str, Any]) -> list[Frame]:
    """Return frames that hold what stands in the replay itself."""
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
            raise MisuseError(
                Text(
                    "command.no_picture_leave_svg_out",
                    "{name} has no picture; leave --svg out: it is shown as text",
                    name=story.game.name,
                )
            )
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
                "command.match_plies_0_ply_end",
                "the match has plies 0 to {last}; --ply {last_2} is its end",
                last=len(entries) - 1,
                last_2=len(entries),
            )
        )
    try:
        return story_of_replay(document, language, draws=draws, evaluates=evaluates, plies=ply)
    except StoryError as error:
        raise CliError(
            Text("command.arena_replay_verify_tells_more", "{why}; `arena replay verify` tells more", why=error)
        ) from error
