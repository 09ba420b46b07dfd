"""Writes a report: one file that opens from a disk and needs nothing else. Pure.

Its policy allows the scripts and the sheet that stand in it, by their hashes, workers made of one of them, and nothing
from anywhere.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.i18n.catalogue import words
from arena.web.report.letters import letters
from arena.web.report.packing import PackedMatches
from arena.web.shared.rendering import STATIC, environment
from arena.web.viewer.document import viewer_words

_SCRIPTS: Final = ("telling", "board", "graph", "moves", "scoring", "seats", "viewer")
_REPORT: Final = ("letters", "report")
_UNPACKING: Final = ("decoding", "unpack_texts", "unpack_drawn", "unpack", "reading")
"""Each after those that it imports; those that unpack are a script of their own, of which workers are made, too."""
_SHEETS: Final = ("base", "parts", "viewer")
_IMPORT: Final = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)
_COMMENT: Final = re.compile(r"^\s*//.*\n", re.MULTILINE)
_INDENT: Final = re.compile(r"^ +", re.MULTILINE)
_GENERATOR: Final = '<meta name="generator" content="Kingmaker Arena report">'
_WIDE_FROM: Final = 700_000
"""With so many bytes of matches a file is shorter in UTF-16, though all else in it takes twice as much."""


def write_report(title: str, streams: Sequence[PackedMatches], language: str, **values: Any) -> bytes:
    """Return the file. `values` are what the template shows above the viewer."""
    wide = sum(len(stream.frames) for stream in streams) >= _WIDE_FROM
    unpacking, script, sheet = _script(_UNPACKING), _script(_SCRIPTS + _REPORT), _sheet()
    heads = json.dumps([stream.head for stream in streams], ensure_ascii=False, separators=(",", ":"))
    text = (
        environment()
        .get_template("report.html")
        .render(
            say=words(language).say,
            lang=language,
            title=title,
            words=viewer_words(language),
            unpacking=unpacking,
            script=script,
            sheet=sheet,
            policy=_policy((unpacking, script), sheet),
            tables=letters(_deflated(heads.encode(errors="replace")), wide=wide),
            frames=[letters(stream.frames, wide=wide) for stream in streams],
            wide=wide,
            shows=any(stream.head["matches"] for stream in streams),
            **{**_NOTHING, **values},
        )
    )
    return ("\ufeff" + text).encode("utf-16-le", "replace") if wide else text.encode(errors="replace")


def is_report(beginning: bytes) -> bool:
    """Return whether a file that begins with these bytes was written by `write_report`."""
    coding = "utf-16" if beginning.startswith(codecs.BOM_UTF16_LE) else "utf-8"
    text = beginning.decode(coding, "replace")
    return text.startswith("<!doctype html>") and _GENERATOR in text


_NOTHING: Final[Mapping[str, Any]] = {
    "facts": (),
    "standings": (),
    "statuses": {},
    "crosstable": None,
    "curves": None,
    "lists": False,
}


def _script(names: Sequence[str]) -> str:
    """Return modules as one: without imports, which a file on a disk may not make."""
    sources = ((STATIC / "js" / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return "".join(_INDENT.sub("", _EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", source)))) for source in sources)


def _sheet() -> str:
    return "".join((STATIC / "css" / f"{name}.css").read_text(encoding="utf-8") for name in _SHEETS)


def _policy(scripts: Sequence[str], sheet: str) -> str:
    own = " ".join(_hashed(script) for script in scripts)
    allowed = f"script-src {own}; style-src {_hashed(sheet)}; worker-src blob:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _deflated(data: bytes) -> bytes:
    """Return data packed by deflate, without a header."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
    return packer.compress(data) + packer.flush()
