"""What the command line says, in the language of the process: the texts of the catalogue, and the option `--lang`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from arena.cli.shared import settings
from arena.i18n.catalogue import DEFAULT, LANGUAGES, language_of_process, translate, words

_OPTION = "--lang"
_END_OF_OPTIONS = "--"


def say(text_id: str, **values: object) -> str:
    """Return the text of that id in the language of this process. Raises KeyError like `Words.say`."""
    return words(process_language()).say(text_id, **values)


def knows(text_id: str) -> bool:
    """Return whether there is a text of that id."""
    return words(process_language()).knows(text_id)


def translated(sentence: str) -> str:
    """Return an English sentence, as the program stores or raises it, in the language of this process."""
    return translate(sentence, process_language())


def named(family: str, value: str) -> str:
    """Return the name of a value in the catalogue below `family`, such as `void` below `search.state_`.

    English has the value itself, which is what options take and JSON holds; so has a value that is not known here.
    """
    text_id = f"{family}{value.lower().replace('-', '_').replace(' ', '_')}"
    return say(text_id) if process_language() != DEFAULT and knows(text_id) else value


def process_language() -> str:
    """Return the language of this process."""
    return language_of_process(os.environ)


@contextmanager
def use_language(language: str | None) -> Iterator[None]:
    """Let this process, and those that it starts, speak a language during the block; `None` changes nothing."""
    if language is None:
        yield
        return
    name = settings.LANG.variable
    before = os.environ.get(name)
    os.environ[name] = language
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def take_language(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return what `--lang` says in a command line, and the command line without it; it may stand anywhere before `--`.

    It is taken out before the line is parsed, because help and errors of the parser are in that language, too. An
    option that stands last, and so has no value, is left to the parser. Of several the last one counts.
    """
    language, rest, left = None, list[str](), iter(arguments)
    for word in left:
        if word == _END_OF_OPTIONS:
            return language, [*rest, word, *left]
        if word.startswith(f"{_OPTION}="):
            language = word.partition("=")[2]
        elif word != _OPTION or (language := next(left, None)) is None:
            rest.append(word)
    return language, rest


def language_of_names(asked: str, *, as_json: bool) -> str:
    """Return the language of a game's names: that of the process for people, the one asked for in JSON.

    So nothing that a program reads depends on the locale. A language that only games speak is the one asked for.
    """
    return asked if as_json or asked not in LANGUAGES else process_language()


def has_language(language: str | None) -> bool:
    """Return whether the catalogue or a game has the language; `None`, which is no wish, counts as one that they have.

    In a language that only games have, all but their names is English.
    """
    if language is None or language in LANGUAGES:
        return True
    from engine import registry  # only who asks for such a language pays for all games

    return any(language in registry.get(name).shown.languages for name in registry.names())
