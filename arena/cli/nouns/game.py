"""`arena game`: the installed games: their rules, their options, and what they tell authors of bots."""

from __future__ import annotations

import inspect
import json
import sys
import textwrap
from collections import defaultdict
from importlib import resources
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import yes_or_no
from arena.cli.shared.connect import program
from arena.cli.shared.errors import unknown
from arena.cli.shared.files import write_file
from arena.cli.shared.language import language_of_names, say, translated
from arena.cli.shared.options import (
    AsJson,
    GameName,
    GameOptions,
    Language,
    SvgFile,
    example,
    get_game,
    parse_assignments,
)
from arena.cli.shared.output import print_facts, print_json, print_table
from arena.model.table_columns import Column, ColumnKind
from engine import registry
from engine.abilities import View
from engine.core import Game

_HELP_WORDS = ("-h", "--help")
app = typer.Typer(epilog=example("arena game list", "arena game show foreign_king", "arena game rules foreign_king"))
_WIDTH = 100
_RULES = "README.md"
_OTHER_RULES = "rules.{}.md"
"""The rules in another language than English."""


def _facts(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "rules_version": game.rules_version,
        "seats": list(game.seats),
        "actions": len(game.actions),
        "max_plies": game.max_plies,
        "chance": game.has_chance,
        "hidden_information": game.has_hidden_information,
        "languages": list(game.shown.languages),
    }


def _seats_text(seats: list[int]) -> str:
    return f"{seats[0]}-{seats[-1]}" if len(seats) > 1 else f"{seats[0]}"


@app.command("list", epilog=example("arena game list", "arena game list --json"))
def list_games(as_json: AsJson = False) -> None:
    """List the installed games."""
    columns = (
        Column("name", "game"),
        Column("title", "title"),
        Column("seats", "seats", write=_seats_text),
        Column("rules_version", "rules"),
        Column("actions", "actions", ColumnKind.COUNT),
    )
    print_table(columns, [_facts(registry.get(name)) for name in registry.names()], as_json=as_json)


def _values_text(values: Any) -> str:
    return " ".join(map(yes_or_no, values)) if isinstance(values, list) else str(values)


def _default_text(value: Any) -> str:
    """Write a default as it is given to `--option`: objects and lists as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else yes_or_no(value)


@app.command(epilog=example("arena game show foreign_king", "arena game show foreign_king --seats 3 --svg start.svg"))
def show(
    game_name: GameName,
    seats: Annotated[int | None, typer.Option()] = None,
    option: GameOptions = None,
    svg: SvgFile = None,
    language: Language = settings.LANG.default,
    as_json: AsJson = False,
) -> None:
    """Show a game: its facts, its options and its first position."""
    game = get_game(game_name)
    language = language_of_names(language, as_json=as_json)
    options = game.parse_options(parse_assignments(option))
    state = game.new_state(game.seats[0] if seats is None else seats, options)
    if svg is not None:
        write_file(svg, game.shown.svg(state, View(language)), "--svg")
    facts = {**_facts(game), **sources(game, language)}
    if as_json:
        labels = dict(game.shown.labels(language))
        print_json({**facts, "options": game.options_schema(), "labels": labels, "position": state.to_json()})
        return
    print_facts({**facts, "seats": _seats_text(facts["seats"]), "languages": " ".join(game.shown.languages)})
    typer.echo()
    schema = game.options_schema()
    rows = [
        {
            "name": name,
            "default": entry.get("default"),
            "values": entry.get("enum") or entry.get("type"),
            "description": entry.get("description", ""),
        }
        for name, entry in schema.get("properties", {}).items()
    ]
    if not rows:
        typer.echo(say("cli_game.no_options"))
    for row in rows:  # a paragraph each: some defaults are longer than any line
        typer.echo(say("cli_game.option", name=row["name"], description=translated(row["description"])))
        typer.echo(
            "  " + say("cli_game.values", values=_values_text(row["values"]), default=_default_text(row["default"]))
        )
    typer.echo()
    typer.echo(game.shown.text(state, None, language))
    if svg is not None:
        typer.echo("\n" + say("cli_shared.drawn", file=svg))
    typer.echo("\n" + say("cli_game.rules_tell", program=program(), game=game.name))


@app.command(epilog=example("arena game rules foreign_king", "arena game rules rex_romanorum"))
def rules(game_name: GameName) -> None:
    """Explain how a game is played, what bots see, and the names of actions."""
    game = get_game(game_name)
    file = resources.files(_package(game)) / _RULES
    for part in (file.read_text(encoding="utf-8").strip() if file.is_file() else "", manual(game), action_names(game)):
        if part:
            typer.echo(f"{part}\n")


@app.command(
    epilog=example("arena game tool rex_romanorum odds 8F 3A --castle", "arena game tool rex_romanorum odds --help"),
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
)
def tool(
    context: typer.Context,
    game_name: GameName,
    tool_name: Annotated[str | None, typer.Argument(metavar="TOOL")] = None,
    arguments: Annotated[list[str] | None, typer.Argument()] = None,
) -> None:
    """Run an extra command of a game, such as the odds of a fight."""
    if game_name in _HELP_WORDS:
        typer.echo(context.get_help())
        raise typer.Exit
    tools = get_game(game_name).tools
    if tool_name is None or tool_name in _HELP_WORDS:
        told = say("cli_game.tools", names=", ".join(sorted(tools))) if tools else say("cli_game.no_tools")
        typer.echo(f"{game_name}: {told}")
        raise typer.Exit
    if tool_name not in tools:
        known = f"its tools are: {', '.join(sorted(tools))}" if tools else "the game has none"
        raise unknown("tool", tool_name, sorted(tools), known)
    raise typer.Exit(tools[tool_name](arguments or []))


def sources(game: Game, language: str) -> dict[str, Any]:
    """Return where a game tells of itself, wherever it is installed.

    The file of its rules in a language, or in English (None if it has none); the file whose docstring is the manual;
    the name of the message that bots are sent; the class of its positions.
    """
    folder = resources.files(_package(game))
    found = [file for name in (_OTHER_RULES.format(language), _RULES) if (file := folder / name).is_file()]
    state = game.new_state(game.seats[0])
    return {
        "rules_file": str(found[0]) if found else None,
        "manual_file": inspect.getsourcefile(sys.modules[type(game).__module__]),
        "observation": game.encode_observation(state, 0)[0],
        "position_class": f"{type(state).__module__}.{type(state).__qualname__}",
    }


def _package(game: Game) -> str:
    module = sys.modules[type(game).__module__]
    return module.__package__ or module.__name__


def manual(game: Game) -> str:
    """Return the docstring of the game's module: its options, positions as JSON, and results."""
    return inspect.getdoc(sys.modules[type(game).__module__]) or ""


def action_names(game: Game) -> str:
    """Return the notation of every action, a paragraph for each kind, which is what stands before the first colon."""
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for name in game.actions.names:
        kind, _, parameters = name.partition(":")
        kinds[kind].append(parameters)
    lines = [_kind_text(kind, parameters) for kind, parameters in kinds.items()]
    return "\n".join([say("cli_game.all_actions", actions=len(game.actions)), *lines])


def _kind_text(kind: str, parameters: list[str]) -> str:
    text = f"  {kind}" if parameters == [""] else f"  {kind}: {' '.join(parameters)}"
    return textwrap.fill(text, _WIDTH, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)
