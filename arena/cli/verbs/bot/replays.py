"""The command `arena bot replays`: all replays of a bot in one archive."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.files import cannot_write
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.match.replay import ReplayError, load
from arena.model.matches import Replay
from engine.translatable import Text

app = typer.Typer()

Add = Callable[[str, bytes], None]
"""Puts a file of that name into an archive."""

_KINDS = (".zip", ".tar", ".tar.gz")


@app.command(
    epilog=example("arena bot replays greedy --out greedy.zip", "arena --server club bot replays fox -o f.tar")
)
def replays(
    name: Annotated[str, typer.Argument(metavar="BOT")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Write all replays of a bot into one archive."""
    with connect(db) as connection, _archive(out) as add:
        count = 0
        for replay in connection.arena.replays.download_replays(name):
            add(f"{replay.match_id}.json", _document(replay))
            count += 1
    if as_json:
        print_json({"file": str(out), "matches": count})
    else:
        typer.echo(say("cli_bot.replays_in", replays=say("cli_bot.replay_count", count=count), file=out))


def _document(replay: Replay) -> bytes:
    try:
        return json.dumps(load(replay.data), ensure_ascii=False).encode()
    except ReplayError as error:
        raise CliError(
            Text("the replay of match {match} cannot be read: {why}", match=replay.match_id, why=error)
        ) from error


@contextmanager
def _archive(out: Path) -> Iterator[Add]:
    """Open an archive, which takes the place of `out` when it is whole. Raise MisuseError if it cannot be written."""
    if not out.name.endswith(_KINDS):
        raise MisuseError(
            Text(
                "--out {file} is no archive that can be written; end it with {kinds}",
                file=repr(str(out)),
                kinds=", ".join(_KINDS),
            )
        )
    part = out.with_name(f"{out.name}.part")
    try:
        with (_zip if out.suffix == ".zip" else _tar)(part, out) as add:
            yield add
        part.replace(out)
    except OSError as error:
        raise cannot_write(out, error, "--out") from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _zip(part: Path, _out: Path) -> Iterator[Add]:
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        yield archive.writestr


@contextmanager
def _tar(part: Path, out: Path) -> Iterator[Add]:
    with tarfile.open(part, "w:gz" if out.suffix == ".gz" else "w") as archive:

        def add(name: str, data: bytes) -> None:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))

        yield add
