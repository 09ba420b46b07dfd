"""`arena serve`: run a service in a directory of its own, or check whether it could run."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import print_json, print_note, print_table
from arena.model.table_columns import Column, ColumnKind
from arena.rpc.quiet import keep_grpc_quiet
from arena.service.home import make_home, with_book
from arena.service.lifecycle.checking import CheckReport, check
from arena.service.settings import TABLE, ResolvedSetting, Value, load_settings, settings_template
from engine.translatable import Text

# gRPC's fork handlers can hang a child that is started while streams are open; it reads this when it is imported.
FORK_SUPPORT = "GRPC_ENABLE_FORK_SUPPORT"

_COLUMNS = (
    Column("setting", "setting"),
    Column("value", "value"),
    Column("from", "from", ColumnKind.NAME, names="cli_state.origin_"),
)

app = typer.Typer()
Command = TypeVar("Command", bound=Callable[..., None])

_HOME = Path(settings.HOME.default)
_OVERRIDES = {row.name: row for row in TABLE if row.flag is not None}


def with_overrides(command: Command) -> Command:
    """Give a command an option for every setting that has a flag, in place of its parameter `**overrides`."""
    signature = inspect.signature(command, eval_str=True)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    option = Annotated[str | None, typer.Option(metavar="VALUE")]
    overrides = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option) for name in _OVERRIDES
    ]
    command.__signature__ = signature.replace(parameters=[*own, *overrides])  # type: ignore[attr-defined]
    return command


@app.command(
    "serve",
    epilog=example(
        "arena serve --home /srv/arena --check",
        "arena serve --home /srv/arena",
        "arena serve --home /srv/arena --workers 4 --set limits.versions=50",
    ),
)
@with_overrides
def serve(
    home: Annotated[Path, typer.Option("--home", envvar=settings.HOME.variable, metavar="DIR")] = _HOME,
    only_check: Annotated[bool, typer.Option("--check")] = False,
    assignments: Annotated[list[str] | None, typer.Option("--set", metavar="SECTION.NAME=VALUE")] = None,
    tls_self_signed: Annotated[bool, typer.Option("--tls-self-signed")] = False,
    as_json: AsJson = False,
    **overrides: str | None,
) -> None:
    """Run a service that plays what is queued."""
    flags = read_overrides(assignments or [], overrides)
    place = make_home(home, settings_template())
    others = [one.variable for one in settings.SETTINGS]
    effective = load_settings(place.settings_file, flags, os.environ, others)
    place = with_book(place, effective.value("service.database"))
    if only_check:
        checked = check(place, effective)
        if as_json:
            print_json(_check_json(checked))
        else:
            print_table(
                _COLUMNS,
                [
                    {"setting": one.row.key, "value": one.row.format(one.shown), "from": one.origin}
                    for one in checked.effective.resolved
                ],
                as_json=False,
            )
            for line in (*checked.notes, *checked.forecast.lines()):
                typer.echo(translated(line))
            for problem in checked.problems:
                typer.echo(say("cli_serve.problem", problem=translated(problem)))
            found = len(checked.problems)
            typer.echo(say("cli_shared.problems", count=found) if found else say("cli_serve.in_order"))
        if checked.problems:
            raise typer.Exit(errors.FAILED)
    else:
        os.environ.setdefault(FORK_SUPPORT, "0")
        keep_grpc_quiet()
        from arena.service.lifecycle.process import Ready
        from arena.service.lifecycle.process import serve as run

        def on_ready(ready: Ready) -> None:
            typer.echo(str(ready))

        run(place, effective.values, self_signed=tls_self_signed, on_ready=on_ready, say=print_note)


def _check_json(checked: CheckReport) -> dict[str, Value]:
    def setting(one: ResolvedSetting) -> dict[str, Value]:
        return {"value": one.shown, "from": one.origin}

    return {
        "settings": {one.row.key: setting(one) for one in checked.effective.resolved},
        "problems": list(checked.problems),
        "notes": list(checked.notes),
        "bytes_a_match": checked.forecast.bytes_a_match,
        "bytes_in_a_year": checked.forecast.in_a_year_bytes,
        "fits": checked.forecast.fits,
    }


def read_overrides(assignments: Sequence[str], overrides: Mapping[str, Any]) -> dict[str, str]:
    """Return what `--set` and the options of their own say, by the key of the setting.

    Raises MisuseError for an assignment of another form, and for a setting that is given twice.
    """
    flags = {_OVERRIDES[name].key: str(text) for name, text in overrides.items() if text is not None}
    for text in assignments:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or "." not in key:
            raise MisuseError(
                Text(
                    "--set {text} is not SECTION.NAME=VALUE; write for example --set limits.versions=50",
                    text=repr(text),
                )
            )
        if key in flags:
            raise MisuseError(Text("{key} is given twice on the command line; give it once", key=key))
        flags[key] = value
    return flags
