"""The options that several commands share, how their texts are read, and how commands take groups of them.

What a match or a tournament is made of stands in `match_order`, how its bots are hosted in `hosting`.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import read_place
from arena.cli.shared.errors import MISUSE, MisuseError, unknown
from arena.cli.shared.output import KEY, Style, wanted_style
from arena.hosting.procfs.machine import count_cores
from engine.translatable import Text

if TYPE_CHECKING:
    from engine.core import Game


Database = Annotated[str, typer.Option("--db", envvar=settings.DB.variable, metavar="FILE", callback=read_place)]
Server = Annotated[str, typer.Option("--server", envvar=settings.SERVER.variable, metavar="NAME")]
DryRun = Annotated[bool, typer.Option("--dry-run")]
AsCsv = Annotated[bool, typer.Option("--csv")]
Language = Annotated[str, typer.Option("--lang", envvar=settings.LANG.variable, metavar="LANG", show_default=False)]
PoolOption = Annotated[str | None, typer.Option("--pool", "-p", metavar="ID")]
SvgFile = Annotated[Path | None, typer.Option("--svg", metavar="FILE")]
GameOptions = Annotated[list[str] | None, typer.Option("--option", "-o", metavar="KEY=VALUE")]
Workers = Annotated[int, typer.Option(envvar=settings.WORKERS.variable, min=0, max=256, metavar="N")]
Command = Callable[..., None]
_DAY_US = 24 * 3600 * 1_000_000

Days = Annotated[float, typer.Option("--days", min=0.001, max=36_500, metavar="N")]
OptionalDays = Annotated[float | None, typer.Option("--days", min=0.001, max=36_500, metavar="N")]
GameName = Annotated[str, typer.Argument(metavar="GAME")]
TournamentText = Annotated[str, typer.Argument(metavar="TOURNAMENT")]
BotText = Annotated[str, typer.Argument(metavar="BOT")]


def take_json(context: typer.Context, wanted: bool) -> bool:
    """Return whether something is written for programs. This is the callback of `--json`.

    Raise MisuseError if `--json` stands beside another form.
    """
    if wanted and KEY in context.meta:
        raise excluding()
    return wanted or KEY in context.meta


def excluding() -> MisuseError:
    """Return the error of a command line that asks for two forms at once."""
    return MisuseError(Text("--json, --csv and --markdown exclude each other; give one of them"))


AsJson = Annotated[bool, typer.Option("--json", callback=take_json)]


def example(*lines: str) -> str:
    """Return the epilog of a command's help: its examples, line by line; the heading comes with the help's texts."""
    return "\n".join(f"  {line}" for line in lines)


def print_help_without_verb(context: typer.Context) -> None:
    """Show the help of a noun that was called without a verb, and end as misuse. This is a noun's callback."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(MISUSE)


def parse_style(*, as_json: bool, as_csv: bool) -> Style:
    """Return what `--json`, `--csv` and `--markdown` ask for. Raise MisuseError if several are given."""
    if as_json and as_csv:
        raise excluding()
    return wanted_style() if as_json else Style.CSV if as_csv else Style.PEOPLE


def parse_assignments(texts: Sequence[str] | None) -> dict[str, str]:
    """Return `["a=1", "b=x"]` as a mapping. Raise MisuseError for a text without key, or a key given twice."""
    values: dict[str, str] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise MisuseError(
                Text(
                    "--option {text} is not KEY=VALUE; write --option {key}=VALUE, `arena game show GAME` lists "
                    "names and values",
                    text=repr(text),
                    key=key or "NAME",
                )
            )
        if key in values:
            raise MisuseError(Text("--option {key} is given twice; give it once", key=key))
        values[key] = value
    return values


def parse_names(text: str, what: str) -> list[str]:
    """Return the names in `a,b,c`, the value of the option `what`. Raise MisuseError if there is none."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise MisuseError(
            Text("--{option} names nothing; write for example --{option_2} random,greedy", option=what, option_2=what)
        )
    return names


def worker_count(workers: int) -> int:
    """Return the number of workers that `--workers` means: 0 is one for each core this process may use."""
    return workers or count_cores()


def with_options(command: Command) -> Command:
    """Return a command that takes the fields of each dataclass among its parameters as parameters of its own.

    They stand where that parameter stands; a field may be such a dataclass in turn. They are annotated as Typer's
    parameters are; one without a default must be given.
    """
    signature = inspect.signature(command, eval_str=True)
    own = list(signature.parameters.values())

    @functools.wraps(command)
    def call(**given: Any) -> None:
        command(**{one.name: _take(one.name, one.annotation, given) for one in own})

    shown = [made for one in own for made in _parameters(one.name, one.annotation, one.default)]
    call.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return call


def _parameters(name: str, annotation: Any, default: Any) -> Iterator[inspect.Parameter]:
    if not is_dataclass(annotation):
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        return
    hints = get_type_hints(annotation, include_extras=True)
    for field in fields(annotation):
        shown = inspect.Parameter.empty if field.default is MISSING else field.default
        yield from _parameters(field.name, hints[field.name], shown)


def _take(name: str, annotation: Any, given: dict[str, Any]) -> Any:
    if not is_dataclass(annotation):
        return given[name]
    hints = get_type_hints(annotation)
    return annotation(**{field.name: _take(field.name, hints[field.name], given) for field in fields(annotation)})  # type: ignore[operator]


def expiry_us(days: float | None) -> int | None:
    """Return the instant when something ends that holds for so many days from now; `None` if it holds for ever."""
    return None if days is None else time.time_ns() // 1000 + round(days * _DAY_US)


def get_game(name: str) -> Game:
    """Return the installed game of that name. Raise MisuseError, with the nearest name, if there is none.

    A family of games says itself why it has none of that name: UnknownGameError.
    """
    from engine import registry

    if name not in registry.names() and not registry.family_of(name):
        raise unknown("game", name, registry.names(), Text("`arena game list` shows all"))
    return registry.get(name)


def add_forms(command: Any) -> None:
    """Give every command at or below `command` that has `--json` the options `--csv` and `--markdown` as well."""
    for below in getattr(command, "commands", {}).values():
        add_forms(below)
    names = [parameter.name for parameter in command.params]
    if "as_json" not in names:
        return
    missing = [style for style in (Style.CSV, Style.MARKDOWN) if f"as_{style.value}" not in names]
    at = max(names.index(name) for name in ("as_json", "as_csv") if name in names) + 1
    command.params[at:at] = [_option(command.params[names.index("as_json")], style) for style in missing]


def _option(like: Any, style: Style) -> Any:
    """Return the option of a form, made like `--json` of the same command, which the parser reads after it."""

    def note(context: typer.Context, _parameter: object, wanted: bool) -> None:
        if wanted and context.meta.setdefault(KEY, style) is not style:
            raise excluding()

    option = copy(like)
    option.name, option.opts, option.callback = f"as_{style.value}", [f"--{style.value}"], note
    option.expose_value, option.is_eager = False, True
    return option
