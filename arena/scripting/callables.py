"""Makes a bot of a callable: a directory with a program, which enters like every other bot, in a process of its own.

What may be given is a function of a decision, a bot of the kit, or a class of such bots. It is called by its own name
unless it gets another one. Its fault there is a bot's fault: what it raises ends its process, and who never answers is
out of time.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.hosting.manifest import DEFAULT_MEMORY_MB, MANIFEST_NAME
from arena.hosting.manifest_fields import is_name
from arena.scripting.arguments import need_flags, need_names, need_wholes, optional_texts
from arena.scripting.errors import CallableError
from arena.scripting.pickling import fingerprint_of, one_line, pickled

PROGRAM_NAME = "callable.py"
"""The program of every bot that was made of a callable; by it they are told from others."""
PICKLE_NAME = "bot.pickle"
PRINT_NAME = "fingerprint"
_MOST_LETTERS = 40
_KIT = "bots.session"
"""The module of the kit that defines `Bot`; whoever gives a bot has imported it."""
PROGRAM = '''"""Plays as the callable in bot.pickle does, which a program gave to arena.api."""

import pickle
import sys
from pathlib import Path

from bots.kit import Bot, run

PYTHON = @PYTHON@


class Called(Bot):
    def __init__(self, function):
        self._function = function

    def decide(self, decision):
        return self._function(decision)


def load():
    with (Path(__file__).parent / "bot.pickle").open("rb") as file:
        found = pickle.load(file)
    if isinstance(found, type):
        return found()
    return found if isinstance(found, Bot) else Called(found)


if __name__ == "__main__":
    if sys.version_info[:2] != PYTHON:
        sys.exit(f"this bot was made by Python {PYTHON}, and this is {sys.version_info[:2]}; add it again")
    run(load())
'''


@dataclass(frozen=True, slots=True)
class CallableBot:
    """A callable, and what the arena is to know of it."""

    bot: Any
    """A function of a decision that returns an action, a `bots.kit.Bot`, or a subclass of that."""
    name: str | None = None
    """What it is called, as bots are: a-z, 0-9, `-` and `_`; else by its own name."""
    memory_mb: int = DEFAULT_MEMORY_MB
    """What its process may use."""
    deterministic: bool = False
    """Whether it promises equal answers to equal questions; then its matches are checked for that."""
    games: tuple[str, ...] = ("*",)
    """The games that it plays; `*` means every game."""


@dataclass(frozen=True, slots=True)
class PackedCallable:
    """A callable that is ready to be written as the files of a bot."""

    name: str
    fingerprint: str | None
    """Equal for equal callables, if it can be told."""
    files: dict[str, bytes]

    def write(self, directory: Path) -> None:
        """Write it into an empty directory."""
        for name, content in self.files.items():
            (directory / name).write_bytes(content)


def is_callable(bot: Any) -> bool:
    """Return whether something is a bot of Python: a callable, a bot of the kit, or either with what is said of it."""
    return isinstance(bot, CallableBot) or callable(bot) or _is_kit_bot(type(bot))


def pack(given: Any) -> PackedCallable:
    """Return a callable, or a `CallableBot`, as a bot.

    Raises CallableError if it takes no decision, has no name that a bot can have, or cannot be pickled, RefusedError
    for a `CallableBot` with values of other types, and MissingPackageError.
    """
    entrant = given if isinstance(given, CallableBot) else CallableBot(given)
    optional_texts(name=entrant.name)
    need_wholes(memory_mb=entrant.memory_mb)
    need_flags(deterministic=entrant.deterministic)
    need_names(games=entrant.games)
    bot = entrant.bot
    name = _checked_name(bot, entrant.name)
    data = pickled(bot, name)
    fingerprint = fingerprint_of((bot, sys.version_info[:2], entrant.memory_mb, entrant.deterministic, entrant.games))
    program = PROGRAM.replace("@PYTHON@", repr(sys.version_info[:2]))
    # JSON's texts, numbers and lists are TOML's.
    keys: dict[str, Any] = {
        "schema": 1,
        "name": name,
        "command": ["python", PROGRAM_NAME],
        "games": list(entrant.games),
        "memory_mb": entrant.memory_mb,
        "deterministic": entrant.deterministic,
    }
    files = {
        MANIFEST_NAME: "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()).encode(),
        PROGRAM_NAME: program.encode(),
        PICKLE_NAME: data,
        PRINT_NAME: f"{fingerprint or '-'}\n".encode(),
    }
    return PackedCallable(name, fingerprint, files)


def _checked_name(bot: Any, name: str | None) -> str:
    """Return what a bot is called: by `name`, or else by its own.

    Raises CallableError if it is no bot, cannot be called so, or raises when it is looked at.
    """
    try:
        called = name if name is not None else _own_name(bot)
        if not is_name(called):
            raise CallableError(
                f"a bot cannot be called {called!r}; name it with Entrant(bot, name='my-bot'), of 1 to {_MOST_LETTERS} "
                "of a-z, 0-9, '-' and '_', a letter or digit first"
            )
        if isinstance(bot, type):
            _check_class(bot, called)
        elif not _is_kit_bot(type(bot)):
            _check_function(bot, called)
    except CallableError:
        raise
    except Exception as error:  # its own `__getattr__`, `__eq__` and the like are code of whoever wrote it
        raise CallableError(
            f"what is in {name or type(bot).__name__} cannot be looked at ({one_line(error)}); "
            "give a plain function of a decision"
        ) from error
    return called


def _own_name(bot: Any) -> str:
    """Return what a bot is called by itself: `MyBot` is my-bot, a lambda is lambda."""
    while hasattr(bot, "func") and not hasattr(bot, "__name__"):  # functools.partial
        bot = bot.func
    text = getattr(bot, "__name__", None)
    if not isinstance(text, str):
        text = type(bot).__name__
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text)
    return re.sub(r"[^a-z0-9_-]+", "-", apart.lower()).strip("-_")[:_MOST_LETTERS]


def _is_kit_bot(kind: type) -> bool:
    return any(base.__module__ == _KIT and base.__name__ == "Bot" for base in kind.__mro__)


def _check_class(kind: type, name: str) -> None:
    if not _is_kit_bot(kind):
        raise CallableError(
            f"{name} is a class that is no bot; derive it from bots.kit.Bot, or give an object of it that can be called"
        )
    if inspect.isabstract(kind):
        raise CallableError(f"{name} is a bot without `decide`; write that method")
    try:
        inspect.signature(kind).bind()
    except TypeError:
        raise CallableError(f"{name} is a class whose objects need arguments; give an object of it") from None
    except ValueError:  # no signature to be known
        return


def _check_function(function: Any, name: str) -> None:
    if not callable(function):
        raise CallableError(f"{name} is no callable and no bot; give a function of a decision, or a bots.kit.Bot")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise CallableError(f"{name} is async or a generator, and a bot answers at once; write a plain function")
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        raise CallableError(
            f"{name} cannot be called with one argument, the decision; write it as `def {name.replace('-', '_')}"
            "(decision): return decision.legal_actions[0]`"
        ) from None
    except ValueError:  # no signature to be known
        return
