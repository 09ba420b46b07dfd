"""Reads the settings: flags win over ARENA_* variables, these over the file, the file over the defaults."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arena.service.errors import SettingsError
from arena.service.settings.kinds import Value
from arena.service.settings.table import RUNTIMES, SECTIONS, TABLE, SettingDefinition
from arena.service.settings.values import (
    AdmissionSection,
    LimitsSection,
    RetentionSection,
    ServiceSection,
    ServiceSettings,
    WeightsSection,
)
from engine.os_errors import os_error_text
from engine.text import Text, placed
from ratings.store.urls import without_password

DEFAULT = "default"
_OF_BOTS = "ARENA_ADDRESS"
"""A variable that bots are given, and that is nearly one of ours."""
_ALMOST = 0.85
"""How near to the variable of a setting another one is a mistyped one."""
_ROWS = {row.key: row for row in TABLE}


@dataclass(frozen=True, slots=True)
class ResolvedSetting:
    """One setting as it takes effect, and who said so."""

    row: SettingDefinition
    value: Value
    origin: str
    """`default`, the name of the file, of the variable or of the flag."""

    @property
    def shown(self) -> Value:
        """Return the value as anybody may see it: the URL of a database without its password."""
        return without_password(self.value) if isinstance(self.value, str) else self.value


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """All settings as they take effect, and everything that is wrong with what was said."""

    resolved: tuple[ResolvedSetting, ...]
    runtimes: Mapping[str, Mapping[str, Any]]
    problems: tuple[str, ...]

    def value(self, key: str) -> Any:
        """Return what one setting is, such as `service.workers`, also where another one is wrong."""
        (value,) = [one.value for one in self.resolved if one.row.key == key]
        return value

    @property
    def values(self) -> ServiceSettings:
        """Return the typed settings. Raises SettingsError for the first problem."""
        if self.problems:
            first, *others = self.problems
            if not others:
                raise SettingsError(first)
            raise SettingsError(
                Text(
                    "service.more_arena_serve_check_lists",
                    "{why} (and {count} more: `arena serve --check` lists them)",
                    why=first,
                    count=len(others),
                )
            )
        sections: dict[str, dict[str, Value]] = {}
        for one in self.resolved:
            sections.setdefault(one.row.section, {})[one.row.name] = one.value
        return ServiceSettings(
            ServiceSection(**sections["service"]),
            WeightsSection(**sections["weights"]),
            LimitsSection(**sections["limits"]),
            AdmissionSection(**sections["admission"]),
            RetentionSection(**sections["retention"]),
            self.runtimes,
        )


def load_settings(
    file: Path, flags: Mapping[str, str], environ: Mapping[str, str], others: Collection[str] = ()
) -> EffectiveSettings:
    """Return the settings that take effect; `flags` are texts by key, such as `limits.versions`.

    `others` are the variables that mean something else to the arena, and so are no mistyped settings. A file that does
    not exist says nothing. Nothing is raised: what is wrong stands in `problems`.
    """
    problems: list[str] = []
    tables = _read_file(file, problems)
    problems += _unknown_keys(file, tables)
    problems += [f"--set {key}: {_no_such(key, list(_ROWS))}" for key in flags if key not in _ROWS]
    problems += _mistyped_variables(environ, others)
    resolved = tuple(_effective(row, file, tables, flags, environ, problems) for row in TABLE)
    return EffectiveSettings(resolved, _runtimes(file, tables, problems), tuple(problems))


def _read_file(file: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        problems.append(
            Text(
                "service.cannot_read_check_permissions",
                "{file} cannot be read: {why}; check its permissions",
                file=file,
                why=os_error_text(error),
            )
        )
    except UnicodeDecodeError:
        problems.append(
            Text(
                "service.not_utf_8_text_write",
                "{file} is not UTF-8 text; write it anew, or remove it for the defaults",
                file=file,
            )
        )
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problems.append(
            Text(
                "service.not_toml_correct_line",
                "{file} is not TOML: {why}; correct that line",
                file=file,
                why=" ".join(str(error).split()),
            )
        )
    return {}


def _unknown_keys(file: Path, tables: Mapping[str, Any]) -> Iterator[str]:
    for section, table in tables.items():
        if section not in SECTIONS:
            yield placed(file, _unknown_section(section))
        elif not isinstance(table, dict):
            yield Text(
                "service.section_write_line_own_settings",
                "{file}: {section} is a section; write [{section_2}] on a line of its own, and its settings below it",
                file=file,
                section=section,
                section_2=section,
            )
        elif section != RUNTIMES:
            names = [row.name for row in TABLE if row.section == section]
            for name in set(table) - set(names):
                yield f"{file}: [{section}] {_no_such(name, names)}"


def _mistyped_variables(environ: Mapping[str, str], others: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with variables that are nearly those of a setting; what others may mean is left alone."""
    known = [row.variable for row in TABLE]
    for name in sorted(set(environ) - {*known, *others, _OF_BOTS}):
        begins = name.startswith(tuple(f"ARENA_{section.upper()}_" for section in SECTIONS))
        close = get_close_matches(name, known, n=1, cutoff=_ALMOST) if name.startswith("ARENA_") else []
        if close:
            yield Text(
                "service.sets_nothing_did_you_mean",
                "{name} sets nothing; did you mean {guess}? Otherwise unset it",
                name=name,
                guess=close[0],
            )
        elif begins:
            yield Text(
                "service.sets_nothing_arena_serve_check",
                "{name} sets nothing; `arena serve --check` lists the settings, and docs/deploy.md their variables",
                name=name,
            )


def _unknown_section(section: str) -> str:
    homes = [row.section for row in TABLE if row.name == section]
    if homes:
        return f"{section} stands outside a section; move it below [{homes[0]}]"
    return _no_such(section, SECTIONS, "section")


def _no_such(name: str, known: Any, what: str = "setting") -> str:
    homes = [row.section for row in TABLE if row.name == name]
    if homes and what == "setting":
        return f"{name!r} is a setting of [{homes[0]}]; write {homes[0]}.{name} or move it there"
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    if close:
        return f"there is no {what} {name!r}; did you mean {close[0]!r}?"
    return f"there is no {what} {name!r}; there are {', '.join(sorted(known))}"


def _effective(
    row: SettingDefinition,
    file: Path,
    tables: Mapping[str, Any],
    flags: Mapping[str, str],
    environ: Mapping[str, str],
    problems: list[str],
) -> ResolvedSetting:
    """Return the setting by the highest authority that says something; a wrong value is a problem, and counts not."""
    if row.key in flags:
        origin = row.flag or f"--set {row.key}"
        return _resolved(row, origin, f"{origin} {flags[row.key]!r}", flags[row.key], problems, is_text=True)
    text = environ.get(row.variable)
    if text:  # an empty variable counts as unset
        return _resolved(row, row.variable, f"{row.variable}={text!r}", text, problems, is_text=True)
    section = tables.get(row.section)
    if isinstance(section, dict) and row.name in section:
        place = f"{file}: [{row.section}] {row.name} = {section[row.name]!r}"
        return _resolved(row, file.name, place, section[row.name], problems, is_text=False)
    return ResolvedSetting(row, row.kind.read(row.default), DEFAULT)


def _resolved(
    row: SettingDefinition, origin: str, place: str, raw: Any, problems: list[str], *, is_text: bool
) -> ResolvedSetting:
    try:
        return ResolvedSetting(row, row.kind.read(row.kind.read_text(raw) if is_text else raw), origin)
    except ValueError:
        shown = row.kind.show(row.kind.read(row.default))
        problems.append(
            Text(
                "service.not_default",
                "{place} is not {what}; the default is {usual}",
                place=place,
                what=row.kind.words,
                usual=shown,
            )
        )
        return ResolvedSetting(row, row.kind.read(row.default), DEFAULT)


def _runtimes(file: Path, tables: Mapping[str, Any], problems: list[str]) -> dict[str, Mapping[str, Any]]:
    table = tables.get(RUNTIMES, {})
    if not isinstance(table, dict):
        return {}  # told already
    for name, runtime in table.items():
        if not isinstance(runtime, dict):
            problems.append(f"{file}: [runtimes] {name} is no runtime; write [runtimes.{name}] and its settings below")
    return {name: runtime for name, runtime in table.items() if isinstance(runtime, dict)}
