"""A hook of MkDocs: in the site of docs/, a link to a file outside docs/ becomes the file's path.

The site holds only docs/, and the address of the repository is not known.
"""

from __future__ import annotations

import re

_LINK_OUT = re.compile(r"(?<!!)\[(?P<text>[^\[\]]+)\]\(\.\./(?P<path>[^)#\s]+)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return a page's Markdown with each link that leaves docs/ replaced by its text and the path as code.

    A text that names the file itself, such as `match.proto`, is left out.
    """
    return _LINK_OUT.sub(_as_code, markdown)


def _as_code(link: re.Match[str]) -> str:
    path = link["path"]
    text = " ".join(link["text"].split())
    names_file = path.removesuffix(".md").endswith(text.strip("`").removesuffix(".md"))
    return f"`{path}`" if names_file else f"{text} (`{path}`)"
