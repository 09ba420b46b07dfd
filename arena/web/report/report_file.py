"""Writes a report: one file that opens from a disk and needs nothing else. Pure.

Its policy allows the script and the sheet that stand in it, by their hashes, and nothing from anywhere. The file is in
windows-1252, in which each byte is one character, so that the packed matches stand in it as they are; the few bytes to
which HTML gives a meaning are escaped as in yEnc. All else is ASCII.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from arena.i18n.catalogue import words
from arena.web.report.match_packing import PackedMatches
from arena.web.shared.rendering import STATIC, environment
from arena.web.viewer.payload import viewer_words

_SCRIPTS: Final = ("telling", "board", "graph", "moves", "scoring", "seats", "viewer", "unpack", "report")
"""Each after those that it imports."""
_SHEETS: Final = ("base", "parts", "viewer")
_IMPORT: Final = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)
_COMMENT: Final = re.compile(r"^\s*//.*\n", re.MULTILINE)
_INDENT: Final = re.compile(r"^ +", re.MULTILINE)
_GENERATOR: Final = '<meta name="generator" content="Kingmaker Arena report">'
_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f]")
_BLOCKS: Final = "<!-- the matches -->\n"
"""Where the matches go; nothing that is shown can look like it, as `<` is escaped there."""
_ESCAPED: Final = re.compile(rb"[\x00\r<=]")


def write_report(title: str, packed: PackedMatches, language: str, **values: Any) -> bytes:
    """Return the file. `values` are what the template shows above the viewer."""
    script = _script()
    styles = "".join((STATIC / "css" / f"{name}.css").read_text(encoding="utf-8") for name in _SHEETS)
    sheet = _BEYOND_ASCII.sub(lambda found: f"\\{ord(found[0]):06x}", styles)
    text = (
        environment()
        .get_template("report.html")
        .render(
            say=words(language).say,
            lang=language,
            title=title,
            words=viewer_words(language),
            script=script,
            sheet=sheet,
            policy=f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(sheet)}; "
            "base-uri 'none'; form-action 'none'",
            blocks=_BLOCKS,
            count=len(packed.matches),
            **{**_NOTHING, **values},
        )
    )
    before, _, after = text.partition(_BLOCKS)
    parts = [before.encode("ascii", "xmlcharrefreplace")]
    if packed.matches:
        for name, data in (
            (b"tables", packed.tables),
            *((b"match%d" % at, it) for at, it in enumerate(packed.matches)),
        ):
            escaped = _ESCAPED.sub(lambda found: b"=" + bytes([found[0][0] + 64]), data)
            parts.append(b'<script type="application/octet-stream" id="%b">%b</script>\n' % (name, escaped))
    return b"".join([*parts, after.encode("ascii", "xmlcharrefreplace")])


def is_report(beginning: bytes) -> bool:
    """Return whether a file that begins with these bytes was written by `write_report`."""
    return beginning.startswith(b"<!doctype html>") and _GENERATOR.encode() in beginning


_NOTHING: Final[Mapping[str, Any]] = {
    "facts": (),
    "standings": (),
    "statuses": {},
    "crosstable": None,
    "curves": None,
    "overall": None,
    "lists": False,
}


def _script() -> str:
    """Return the modules as one: without imports, which a file on a disk may not make."""
    sources = ((STATIC / "js" / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS)
    script = "".join(_INDENT.sub("", _EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", source)))) for source in sources)
    return _BEYOND_ASCII.sub(lambda found: f"\\u{ord(found[0]):04x}", script)


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
