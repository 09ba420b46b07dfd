"""The form in which this command line wants what is written."""

from __future__ import annotations

import enum

from typer._click.globals import get_current_context  # Typer's own parser has no public name

KEY = "arena.cli.shared.styles"
"""Where the context of a command line notes the form, if it is not JSON."""


class Style(enum.Enum):
    """Whom rows are written for."""

    PEOPLE = "people"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def wanted_style() -> Style:
    """Return the form of what is written for programs: JSON, unless `--csv` or `--markdown` asks for another."""
    context = get_current_context(silent=True)
    style: Style = Style.JSON if context is None else context.meta.get(KEY, Style.JSON)
    return style
