"""Tells in which language a bot is written, as far as its `bot.toml` and its files show it, and what that means for it.

File names are looked at; nothing is read or run.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from engine.translatable import Text

if TYPE_CHECKING:
    from arena.hosting.manifest import BotManifest

C, CPP, GO, JAVA, LUA, NODE = "c", "cpp", "go", "java", "lua", "node"
PERL, PYTHON, RUBY, RUST, SHELL = "perl", "python", "ruby", "rust", "shell"

_INTERPRETERS = {
    **{name: name for name in (LUA, NODE, PERL, PYTHON, RUBY, JAVA)},
    "bash": SHELL,
    "dash": SHELL,
    "luajit": LUA,
    "nodejs": NODE,
    "pypy": PYTHON,
    "sh": SHELL,
}
"""The language of a bot by the program that starts it, without the number of a version."""
_VERSION = re.compile(r"[\d.]+$")
_SOURCES = {".cpp": CPP, ".rs": RUST, ".go": GO, ".java": JAVA, ".c": C}
"""The language of a bot that is built by the ending of its sources; C comes last, as others take along sources in C."""
_SOURCE_FOLDERS = (".", "kit", "src")
_FLUSH = {
    C: "fflush(stdout)",
    CPP: "std::cout << std::flush",
    GO: "writer.Flush()",
    JAVA: "System.out.flush()",
    LUA: "io.stdout:flush()",
    NODE: "process.stdout.write(line)",
    PERL: "$| = 1",
    PYTHON: "print(..., flush=True)",
    RUBY: "$stdout.flush",
    RUST: "std::io::stdout().flush()",
    SHELL: "awk fflush(), jq --unbuffered, sed -u",
}
"""How a program in each language writes out what it has said."""


def language_of(manifest: BotManifest, directory: Path) -> str | None:
    """Return the language of a bot, such as `node` or `cpp`, by whose tools it is built and run.

    It is None if nothing shows it; a program that was built elsewhere shows nothing.
    """
    return NODE if manifest.runtime == NODE else _compiled(manifest, directory) or _interpreted(manifest)


def how_to_flush(manifest: BotManifest, directory: Path) -> Text:
    """Return a sentence that says how a bot with the protocol `lines` sends an answer out at once, in its language."""
    language = _interpreted(manifest) or _compiled(manifest, directory)
    if language is None:
        return Text(
            "A bot that writes lines must flush each of them at once; otherwise the line waits in a buffer of its "
            "program."
        )
    return Text("A bot that writes lines must flush each of them at once: {how}.", how=_FLUSH[language])


def _interpreted(manifest: BotManifest) -> str | None:
    return _INTERPRETERS.get(_VERSION.sub("", PurePath(manifest.command[0]).name))


def _compiled(manifest: BotManifest, directory: Path) -> str | None:
    if not manifest.build:
        return None
    endings = {path.suffix for folder in _SOURCE_FOLDERS for path in (directory / folder).glob("*.*")}
    return next((language for ending, language in _SOURCES.items() if ending in endings), None)
