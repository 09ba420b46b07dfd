"""`arena serve`: run a service in a directory of its own, or check whether it could run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import Column, print_json, print_table
from arena.client.there.quiet import keep_grpc_quiet
from arena.service.home import make_home
from arena.service.life.checking import Checked, check
from arena.service.settings.kinds import Value
from arena.service.settings.reading import Said, load_settings
from arena.service.settings.table import TABLE
from arena.service.settings.template import settings_template

# gRPC's fork handlers can hang a child that is started while streams are open; it reads this when it is imported.
FORK_SUPPORT = "GRPC_ENABLE_FORK_SUPPORT"

_COLUMNS = (Column("setting", "SETTING"), Column("value", "VALUE"), Column("from", "FROM"))

app = typer.Typer()


def _override(name: str) -> Any:
    """Return the option that overrides a setting of the section `service`, with the help of the settings' table."""
    (row,) = [row for row in TABLE if row.key == f"service.{name}"]
    return typer.Option(metavar="VALUE", help=row.help)


@app.command(
    "serve",
    epilog=example(
        "arena serve --home /srv/arena --check",
        "arena serve --home /srv/arena",
        "arena serve --home /srv/arena --workers 4 --set limits.versions=50",
    ),
)
def serve(
    home: Annotated[
        Path,
        typer.Option(
            "--home",
            envvar=settings.HOME.variable,
            metavar="DIR",
            help="Settings, database, bots, certificates and logs; made when missing.",
        ),
    ] = Path(settings.HOME.default),
    only_check: Annotated[
        bool, typer.Option("--check", help="Check settings, database and disk, print what takes effect, and end.")
    ] = False,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.NAME=VALUE", help="Any setting; wins over the file; may be repeated."),
    ] = None,
    address: Annotated[str | None, _override("address")] = None,
    admin_address: Annotated[str | None, _override("admin_address")] = None,
    tls_certificate: Annotated[str | None, _override("tls_certificate")] = None,
    tls_key: Annotated[str | None, _override("tls_key")] = None,
    tls_hosts: Annotated[str | None, _override("tls_hosts")] = None,
    workers: Annotated[str | None, _override("workers")] = None,
    sandbox: Annotated[str | None, _override("sandbox")] = None,
    allow_reduced_sandbox: Annotated[str | None, _override("allow_reduced_sandbox")] = None,
    leak_checks: Annotated[str | None, _override("leak_checks")] = None,
    warm_memory: Annotated[str | None, _override("warm_memory")] = None,
    stop_grace: Annotated[str | None, _override("stop_grace")] = None,
    matches_per_day: Annotated[str | None, _override("matches_per_day")] = None,
    tls_self_signed: Annotated[
        bool, typer.Option("--tls-self-signed", help="Serve owners with a certificate of its own, made when missing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a service that plays what is queued.

    Ctrl-C or SIGTERM stops it in good order, a second one at once.
    """
    given = {
        "address": address,
        "admin_address": admin_address,
        "tls_certificate": tls_certificate,
        "tls_key": tls_key,
        "tls_hosts": tls_hosts,
        "workers": workers,
        "sandbox": sandbox,
        "allow_reduced_sandbox": allow_reduced_sandbox,
        "leak_checks": leak_checks,
        "warm_memory": warm_memory,
        "stop_grace": stop_grace,
        "matches_per_day": matches_per_day,
    }
    flags = {**_read_assignments(assignments or []), **_flags(given)}
    place = make_home(home, settings_template())
    effective = load_settings(place.settings_file, flags, os.environ)
    if only_check:
        _print_check(check(place, effective), as_json=as_json)
        return
    os.environ.setdefault(FORK_SUPPORT, "0")
    keep_grpc_quiet()
    from arena.service.life.process import Ready
    from arena.service.life.process import serve as run

    def on_ready(ready: Ready) -> None:
        typer.echo(str(ready))

    run(place, effective.values, self_signed=tls_self_signed, on_ready=on_ready, say=_say)


def _say(sentence: str) -> None:
    typer.echo(f"arena: {sentence}", err=True)


def _flags(given: Mapping[str, str | None]) -> dict[str, str]:
    return {f"service.{name}": text for name, text in given.items() if text is not None}


def _read_assignments(texts: Sequence[str]) -> dict[str, str]:
    """Return `["limits.versions=50"]` as a mapping. Raise MisuseError for a text of another form."""
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or "." not in key:
            raise MisuseError(f"--set {text!r} is not SECTION.NAME=VALUE; write for example --set limits.versions=50")
        found[key.strip()] = value.strip()
    return found


def _print_check(checked: Checked, *, as_json: bool) -> None:
    if as_json:
        print_json(_check_json(checked))
    else:
        print_table(_COLUMNS, [_row(one) for one in checked.effective.said], as_json=False)
        for line in (*checked.notes, *checked.forecast.lines()):
            typer.echo(line)
        for problem in checked.problems:
            typer.echo(f"problem: {problem}")
        typer.echo("the settings are in order" if not checked.problems else f"{len(checked.problems)} problems")
    if checked.problems:
        raise typer.Exit(errors.FAILED)


def _row(one: Said) -> dict[str, str]:
    return {"setting": one.row.key, "value": one.row.kind.show(one.value), "from": one.origin}


def _check_json(checked: Checked) -> dict[str, Value]:
    def setting(one: Said) -> dict[str, Value]:
        return {"value": one.value, "from": one.origin}

    return {
        "settings": {one.row.key: setting(one) for one in checked.effective.said},
        "problems": list(checked.problems),
        "notes": list(checked.notes),
        "bytes_a_match": checked.forecast.bytes_a_match,
        "bytes_in_a_year": checked.forecast.in_a_year_bytes,
        "fits": checked.forecast.fits,
    }
