"""Writes a report: one file that opens from a disk and needs nothing else. Pure.

Its policy allows the one script and the one sheet that stand in it, by their hashes, and nothing from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup

from arena.web.frame.files import STATIC
from arena.web.frame.rendering import environment
from arena.web.report.packing import Packer
from arena.web.viewing.phrases import viewer_words
from arena.words.catalogue import words

_SCRIPTS: Final = ("telling", "board", "graph", "moves", "scoring", "seats", "viewer")
_UNPACKING: Final = ("decoding", "unpack_texts", "unpack_drawn", "unpack", "report")
"""Each after those that it imports, then those that unpack."""
_SHEETS: Final = ("base", "parts", "viewer")
_BITS: Final = 7
_BYTES: Final = 7
"""So many bytes are eight letters."""
_REPLACED: Final = "\0\r\x1b&<"
_ALPHABET: Final = "".join(
    chr(0xC0 + _REPLACED.index(chr(code))) if chr(code) in _REPLACED else chr(code) for code in range(1 << _BITS)
)
_IMPORT: Final = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)
_COMMENT: Final = re.compile(r"^\s*//.*\n", re.MULTILINE)


def write_report(title: str, packer: Packer, language: str, **values: Any) -> str:
    """Return the file. `values` are what the template shows above the viewer."""
    script, sheet = _script(), _sheet()
    return (
        environment()
        .get_template("report.html")
        .render(
            say=words(language).say,
            lang=language,
            title=title,
            words=viewer_words(language),
            script=script,
            sheet=sheet,
            policy=_policy(script, sheet),
            tables=letters(_deflated(packer.head())),
            frames=letters(packer.frames()),
            **{**_NOTHING, **values},
        )
    )


_NOTHING: Final[Mapping[str, Any]] = {"facts": (), "standings": (), "crosstable": None, "curves": None, "lists": False}


def _script() -> str:
    """Return all modules as one: without imports, which a file on a disk may not make."""
    sources = ((STATIC / "js" / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS + _UNPACKING)
    return "".join(_EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", source))) for source in sources)


def _sheet() -> str:
    return "".join((STATIC / "css" / f"{name}.css").read_text(encoding="utf-8") for name in _SHEETS)


def _policy(script: str, sheet: str) -> str:
    own = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, sheet)]
    allowed = f"script-src 'sha256-{own[0]}'; style-src 'sha256-{own[1]}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _deflated(data: bytes) -> bytes:
    """Return data packed by deflate, without a header."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
    return packer.compress(data) + packer.flush()


def letters(data: bytes) -> Markup:
    """Return data as letters of seven bits each, which is shorter than base64.

    Those that mean something in HTML or to a terminal are replaced, so that it may stand in a script element as it is.
    """
    padded = data + bytes(-len(data) % _BYTES)
    count = (8 * len(data) + _BITS - 1) // _BITS
    blocks = (int.from_bytes(padded[at : at + _BYTES], "big") for at in range(0, len(padded), _BYTES))
    found = "".join([_ALPHABET[block >> shift & 127] for block in blocks for shift in range(49, -1, -_BITS)])
    return Markup(found[:count])
