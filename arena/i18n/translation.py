"""The one function that says a text of `engine.text` in another language: by its id, with the same parts.

The English of such a text stands where it is said; its translations stand in the catalogue of that id, in areas that
have no English file. A text that the catalogue of a language lacks stays English, whoever sent it, so nothing is shown
but texts of the catalogue, and parts of what came. Texts are plain: whoever puts one into a page escapes it.
"""

from __future__ import annotations

from arena.i18n.catalogue import DEFAULT, NAMES, Words, words
from engine.text import Text


def translate(text: str, language: str) -> str:
    """Return a text in a language, English for an unknown one; texts that stand in its places are translated, too.

    Plain words, of which it is not known which text they are, stay as they are.
    """
    if language == DEFAULT or language not in NAMES:
        return text
    return _translate(text, words(language))


def _translate(text: str, known: Words) -> str:
    if not (isinstance(text, Text) and known.knows(text.id)):
        return text
    parts = {name: _translate(part, known) if isinstance(part, str) else part for name, part in text.parts.items()}
    try:
        return known.say(text.id, **parts)
    except (KeyError, TypeError):  # whoever sent it has other parts
        return text
