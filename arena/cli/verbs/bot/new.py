"""`arena bot new`: write a bot to begin with."""

from __future__ import annotations

from pathlib import Path
from shlex import join
from typing import Annotated

import typer

from arena.cli.shared.connect import program
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, example, get_game
from arena.cli.shared.output import print_json
from arena.hosting.debian_packages import install_command, missing_packages
from arena.hosting.manifest_fields import FieldError, format_value, read_name, read_protocol
from arena.hosting.sample_bots import KIT, template_languages, template_protocols, write_new_bot
from engine import registry
from engine.translatable import Text, nearest

app = typer.Typer()
LANGUAGES = template_languages()
_ALSO_CALLED = {
    **dict.fromkeys(("c++", "cxx"), "cpp"),
    **dict.fromkeys(("javascript", "js", "node.js", "nodejs", "typescript", "ts"), "node"),
    **dict.fromkeys(("py", "python3"), "python"),
    **dict.fromkeys(("awk", "bash", "dash", "jq", "posix", "sh", "zsh"), "shell"),
    **dict.fromkeys(("jdk", "jre", "jvm", "openjdk"), "java"),
    **dict.fromkeys(("luajit", "lua5.4"), "lua"),
    "cargo": "rust",
    "gcc": "c",
    "golang": "go",
    "pl": "perl",
    "rb": "ruby",
    "rs": "rust",
    "rustc": "rust",
}


@app.command(
    epilog=example(
        "arena bot new my-bot --game foreign_king",
        "arena bot new fox --language go --game foreign_king",
        "arena bot new owl --language python --protocol lines --game foreign_king",
    )
)
def new(
    directory: Annotated[Path, typer.Argument(metavar="DIR")],
    language: Annotated[
        str, typer.Option("--language", "-l", metavar="LANGUAGE", help=", ".join(LANGUAGES))
    ] = "python",
    protocol: Annotated[str | None, typer.Option(metavar="PROTOCOL")] = None,
    game: Annotated[str | None, typer.Option("--game", "-g", metavar="GAME")] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the files of a new bot that can already play."""
    _check_language(language)
    spoken = _protocol(language, protocol)
    chosen = registry.names()[0] if game is None else get_game(game).name
    called = _name(directory, name)
    written = write_new_bot(directory, language, called, chosen, spoken)
    if game is None:
        typer.echo(say("cli_bot.no_game_named", game=chosen), err=True)
    if missing := missing_packages(language):
        typer.echo(say("cli_bot.still_needs", command=install_command(missing)), err=True)
    if as_json:
        what = {"name": called, "directory": str(directory), "language": language, "protocol": spoken, "game": chosen}
        print_json(what)
        return
    place = str(written.directory)
    typer.echo(say("cli_bot.wrote", name=called, game=chosen, directory=place, files=", ".join(written.files)))
    if written.has_kit:
        typer.echo(say("cli_bot.kit_beside", kit=KIT))
    typer.echo(say("cli_bot.next"))
    for words in (
        ("bot", "test", place),
        ("login", "ADDRESS", "--name", "NAME", "--invitation", "CODE"),
        ("--server", "NAME", "bot", "submit", place),
    ):
        typer.echo(f"  {join([program(), *words])}")


def _check_language(language: str) -> None:
    """Raise MisuseError if there is no template for a language; it tells what that language is called here."""
    if language in LANGUAGES:
        return
    known, small = ", ".join(LANGUAGES), language.lower()
    meant = small if small in LANGUAGES else _ALSO_CALLED.get(small) or nearest(small, LANGUAGES, 0.5)
    if meant is not None:
        raise MisuseError(
            Text(
                "there is no template for bots in {name}; did you mean {meant}? the languages are {known}",
                name=repr(language),
                meant=repr(meant),
                known=known,
            )
        )
    raise MisuseError(
        Text("there is no template for bots in {name}; the languages are {known}", name=repr(language), known=known)
    )


def _protocol(language: str, asked: str | None) -> str:
    """Return the protocol that a new bot speaks; whether its language has a template for it is not looked at."""
    if asked is None:
        return template_protocols(language)[0]
    try:
        return read_protocol(asked)
    except FieldError as error:
        raise MisuseError(error) from None


def _name(directory: Path, name: str | None) -> str:
    try:
        return read_name(directory.absolute().name if name is None else name)
    except FieldError as error:
        if name is not None:
            raise MisuseError(error) from None
        raise MisuseError(
            Text(
                "name is {name}; use 1 to 40 of a-z, 0-9, '-' and '_', a letter or digit first, like \"my-bot\"; "
                "--name gives it another name than that of its directory",
                name=format_value(directory.absolute().name),
            )
        ) from None
