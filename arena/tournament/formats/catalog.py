"""All formats by name, their settings as the database keeps them, and which waves are ready. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, fields, replace
from importlib import import_module
from typing import Any

from arena.tournament.formats.format import NOTHING, BlockState, Entrant, Format, Past, ScheduleError, Situation, Wave
from engine.translatable import Text
from ratings.values.pools import RatingMethod

_PLACES = {
    "round-robin": ("roundrobin", "RoundRobin"),
    "sample": ("roundrobin", "Sample"),
    "gauntlet": ("roundrobin", "Gauntlet"),
    "swiss": ("swiss", "Swiss"),
    "knockout": ("knockout", "Knockout"),
    "ladder": ("ladder", "LadderFormat"),
    "adaptive": ("adaptive", "Adaptive"),
    "compare": ("compare", "Compare"),
    "final": ("final", "Final"),
}
"""The file of this folder, and the class in it, of each format."""

_OF_POOL = {"seats", "rating_method"}
"""What a format has from its pool."""

NAMES = tuple(_PLACES)
"""The names of all formats."""
_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}


def kind_of(name: str) -> type[Any] | None:
    """Return the class of the format of that name, or `None` if there is none."""
    if name not in _PLACES:
        return None
    file, kind = _PLACES[name]
    found: type[Any] = getattr(import_module(f"{__package__}.{file}"), kind)
    return found


def late_entry() -> tuple[str, ...]:
    """Return the names of the formats that take late entrants."""
    kinds = {name: kind_of(name) for name in NAMES}
    return tuple(name for name, kind in kinds.items() if kind is not None and kind.traits.takes_late_entrants)


def to_settings(form: Format) -> dict[str, Any]:
    """Return what distinguishes this format from others of its name, but what it has from its pool."""
    settings: dict[str, Any] = asdict(form)  # type: ignore[call-overload]
    own = {name: value for name, value in settings.items() if name not in _OF_POOL}
    return {name: str(value) if isinstance(value, str) else value for name, value in own.items()}


def check_settings(name: str, settings: Mapping[str, Any]) -> None:
    """Raise ScheduleError unless there is such a format and it can be made with exactly these settings."""
    kind = kind_of(name)
    if kind is None:
        raise ScheduleError(
            Text("there is no format {name}; use {known}", name=repr(name), known=", ".join(sorted(NAMES)))
        )
    own = {field.name: field for field in fields(kind) if field.name not in _OF_POOL}
    strange = sorted(set(settings) - set(own))
    missing = sorted(key for key, field in own.items() if field.default is MISSING and key not in settings)
    if strange or missing:
        raise ScheduleError(
            Text(
                "{name} has the settings {known}; not {strange}",
                name=name,
                known=", ".join(own),
                strange=", ".join(strange) or "fewer",
            )
        )
    for key, value in settings.items():
        takes = _TYPES[str(own[key].type)]
        if type(value) not in takes:
            raise ScheduleError(
                Text(
                    "{key} of {name} is {value}, which is no {kind}; give one",
                    key=key,
                    name=name,
                    value=repr(value),
                    kind=takes[-1].__name__,
                )
            )


def from_settings(name: str, seats: int, settings: Mapping[str, Any]) -> Format | None:
    """Return the format of a tournament, or `None` for a single match, of which no more is planned.

    `settings` may hold more than `to_settings` gave.
    """
    kind = kind_of(name)
    if kind is None:
        return None
    own = {field.name for field in fields(kind)} - _OF_POOL
    if name == "compare":
        from arena.tournament.formats.compare import read_settings

        settings = read_settings(settings)
    made: Format = kind(seats=seats, **{key: value for key, value in settings.items() if key in own})
    return made


def in_pool(form: Format, rating_method: RatingMethod) -> Format:
    """Return the format as it plays in a pool that is rated by this method."""
    if not any(field.name == "rating_method" for field in fields(form)):  # type: ignore[arg-type]
        return form
    made: Format = replace(form, rating_method=rating_method)  # type: ignore[type-var]
    return made


def is_ready(form: Format, planned: int, over: int) -> bool:
    """Return whether the wave after `planned` ones can be planned when the first `over` of them are over."""
    return form.traits.lag == 0 or planned - form.traits.lag < over


def foldable(form: Format, planned: int) -> int:
    """Return how many of the first waves may be folded into the past, if they are over, once `planned` ones are there.

    The others have results that the next plan must not look at.
    """
    return max(0, planned - form.traits.lag + 1)


def seen_by_plan(
    form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int, past: Past = NOTHING
) -> Situation:
    """Return what a format sees when it plans the wave that follows `past` and `waves`.

    The last `lag - 1` waves may have results already; these are hidden from the format, or the plan would depend on
    how fast the matches were played.
    """
    known = foldable(form, past.waves + len(waves)) - past.waves if form.traits.lag else 0
    seen = tuple(
        wave
        if number < known
        else tuple(replace(block, state=BlockState.PENDING, ranks=(), forfeits=(), digests=()) for block in wave)
        for number, wave in enumerate(waves)
    )
    return Situation(tuple(entrants), seen, seed, past)
