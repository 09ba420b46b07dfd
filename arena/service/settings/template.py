"""The settings file that a new home gets: every setting with its help and its default, commented out."""

from __future__ import annotations

from itertools import groupby

from arena.service.settings.table import TABLE, SettingDefinition

_HEAD = """\
# The settings of this service; what is commented out is the default. `arena serve --check` tells what takes effect.
# A flag of `arena serve` wins over a variable ARENA_..., and that over this file.
"""
_RUNTIMES = """\

# Runtimes that a bot.toml may name; `arena runtime list` shows competitors what is in each.
# [runtimes.python-ml]
# kind = "python"
# venv = "/opt/python-ml"
"""


def settings_template() -> str:
    """Return the text of a settings file that changes nothing."""
    sections = [_section(name, list(rows)) for name, rows in groupby(TABLE, key=lambda row: row.section)]
    return "\n".join([_HEAD, *sections]) + _RUNTIMES


def _section(name: str, rows: list[SettingDefinition]) -> str:
    return "\n".join([f"[{name}]", *(f"# {row.help}\n# {setting_line(row)}" for row in rows), ""])


def setting_line(row: SettingDefinition) -> str:
    """Return the line of a settings file that gives a setting its default."""
    return f"{row.name} = {row.kind.show(row.kind.read(row.default))}"
