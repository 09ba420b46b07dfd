"""All formats by name, and their settings as the database keeps them. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any

from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare, read_settings
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.final import Final
from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import Swiss

_KINDS: dict[str, type[Any]] = {
    kind.name: kind for kind in (RoundRobin, Sample, Gauntlet, Swiss, Knockout, Ladder, Adaptive, Compare, Final)
}

LATE_ENTRY = tuple(name for name, kind in _KINDS.items() if kind.takes_late_entrants)
"""The names of the formats that take late entrants."""


def to_settings(form: Format) -> dict[str, Any]:
    """Return what distinguishes this format from others of its name; the seats are the pool's."""
    settings: dict[str, Any] = asdict(form)  # type: ignore[call-overload]
    return {
        name: str(value) if isinstance(value, str) else value for name, value in settings.items() if name != "seats"
    }


_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}


def check_settings(name: str, settings: Mapping[str, Any]) -> None:
    """Raise ScheduleError unless there is such a format and it can be made with exactly these settings."""
    kind = _KINDS.get(name)
    if kind is None:
        raise ScheduleError(f"there is no format {name!r}; use {', '.join(sorted(_KINDS))}")
    own = {field.name: field for field in fields(kind) if field.name != "seats"}
    strange = sorted(set(settings) - set(own))
    missing = sorted(key for key, field in own.items() if field.default is MISSING and key not in settings)
    if strange or missing:
        raise ScheduleError(f"{name} has the settings {', '.join(own)}; not {', '.join(strange) or 'fewer'}")
    for key, value in settings.items():
        takes = _TYPES[str(own[key].type)]
        if type(value) not in takes:
            raise ScheduleError(f"{key} of {name} is {value!r}, which is no {takes[-1].__name__}; give one")


def from_settings(name: str, seats: int, settings: Mapping[str, Any]) -> Format | None:
    """Return the format of a tournament, or `None` for a single match, of which no more is planned.

    `settings` may hold more than `to_settings` gave.
    """
    kind = _KINDS.get(name)
    if kind is None:
        return None
    own = {field.name for field in fields(kind)} - {"seats"}
    if kind is Compare:
        settings = read_settings(settings)
    made: Format = kind(seats=seats, **{key: value for key, value in settings.items() if key in own})
    return made
