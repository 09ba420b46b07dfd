"""The settings of a service: flags override ARENA_* variables, which override the file, which overrides the defaults.

Each setting is a field of one of the sections below, with its name, kind, default and help. The only I/O is reading
the file.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_core.core_schema import ValidationInfo

from arena.service.addresses import parse_address
from arena.service.startup_errors import SettingsError
from engine.os_errors import os_error_text
from engine.translatable import Text, nearest, placed
from ratings.store.urls import without_password
from ratings.values.owners import MOST, ChallengeLimits, OwnerLimits

Value = Any
"""A value as the typed settings hold it."""
RUNTIMES = "runtimes"
"""The section whose tables `arena.hosting.runtimes` reads: one for each runtime."""
DEFAULT = "default"
_OF_BOTS: Final = "ARENA_ADDRESS"
"""A variable that the arena sets for bots and that resembles one of the settings."""
_ALMOST: Final = 0.85
"""A variable at least this similar to that of a setting counts as mistyped."""
_SHARE: Final = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)%?", re.ASCII)
_TEMPLATE_HEAD: Final = """\
# The settings of this service. Lines that are commented out show the defaults.
# A flag of `arena serve` overrides a variable ARENA_..., which overrides this file.
# `arena serve --check` prints the settings that take effect.
"""
_TEMPLATE_RUNTIMES: Final = """\

# Runtimes that a bot.toml may name; `arena runtime list` shows competitors what is in each.
# [runtimes.python-ml]
# kind = "python"
# venv = "/opt/python-ml"
"""
_OWNERS: Final = OwnerLimits()
_CHALLENGES: Final = ChallengeLimits()


@dataclass(frozen=True, slots=True)
class SettingKind:
    """How a kind of value is described in messages and written in a TOML file."""

    words: Text
    """What a value must be."""
    format: Callable[[Any], str] = json.dumps
    """Returns the value as it is written in a TOML file."""


def _parse_share(said: Any) -> float:
    """Return the share that a percentage such as `2`, `2.5` or `"2%"` stands for."""
    found = _SHARE.fullmatch(str(said))
    if found is None or float(found[1]) > 100:
        raise ValueError
    return float(found[1]) / 100


def _check_text(said: str) -> str:
    if not said.isprintable():
        raise ValueError
    return said


def _check_names(said: tuple[str, ...]) -> tuple[str, ...]:
    if not all(name.strip() for name in said):
        raise ValueError
    return said


Address = Annotated[
    str,
    AfterValidator(lambda said: str(parse_address(said)) if said else ""),
    SettingKind(Text('an address such as "127.0.0.1:7733"')),
]
PlainText = Annotated[str, AfterValidator(_check_text), SettingKind(Text("a text in quotes"))]
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda said: [part for part in said.split(",") if part] if isinstance(said, str) else said),
    AfterValidator(_check_names),
    SettingKind(Text("a list of texts")),
]
Share = Annotated[
    float,
    BeforeValidator(_parse_share),
    SettingKind(Text('a percentage such as "2%"'), lambda value: f'"{value * 100:g}%"'),
]
Megabytes = Annotated[
    Annotated[int, Field(ge=0)] | None,
    BeforeValidator(lambda said: None if said == "auto" else said),
    SettingKind(
        Text('"auto" or a whole number of megabytes'), lambda value: json.dumps("auto" if value is None else value)
    ),
]


def _setting(default: Any, help_: str, *, variable: str | None = None) -> Any:
    """Return a field; `variable` is its environment variable if that differs from the usual name."""
    return Field(default, description=help_, json_schema_extra={"variable": variable})


def _number(default: float, help_: str, *, least: float = 0, most: float = 10**12) -> Any:
    return Field(default, description=help_, ge=least, le=most)


class SettingsSection(BaseModel):
    """The settings of one section of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_truth_values(cls, said: Any, info: ValidationInfo) -> Any:
        """Refuse `true` for a number, because pydantic would accept it as 1."""
        if isinstance(said, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError
        return said


class ServiceSection(SettingsSection):
    """Where the service listens and how it plays matches."""

    # fmt: off
    address: Address = _setting("127.0.0.1:7733",
        'Address that owners connect to; "" = only the local socket of this machine. An address other than loopback '
        "needs a certificate.",
        variable="ARENA_SERVE_ADDRESS")
    admin_address: Address = _setting("127.0.0.1:7734",
        'Address for metrics and health checks; "" = none. Do not make it reachable from the internet.')
    web_address: Address = _setting("127.0.0.1:7780",
        'Address of the web pages; "" = no pages. An address other than loopback needs a certificate and uses HTTPS.',
        variable="ARENA_SERVE_WEB_ADDRESS")
    web_names: Names = _setting((),
        "Host names by which browsers reach web_address on loopback through a proxy. Requests for other names are "
        "refused.")
    database: PlainText = _setting("",
        'The database; "" = arena.db in the home directory of the service. Or a URL, postgresql://HOST/NAME, which '
        "several services may share.",
        variable="ARENA_SERVE_DATABASE")
    tls_certificate: PlainText = _setting("",
        'Certificate (PEM file); "" = the certificate of --tls-self-signed, if any.')
    tls_key: PlainText = _setting("", "Private key of tls_certificate (PEM file).")
    tls_hosts: Names = _setting((),
        "Host names and addresses that --tls-self-signed writes into its certificate, besides those of this machine.")
    workers: int = _number(0, "Number of matches played at the same time; 0 = one for each processor core.", most=256)
    executor: Literal["local", "ray"] = _setting("local",
        "Where matches are played: local = on this machine, ray = on the machines of a Ray cluster.")
    ray_address: PlainText = _setting("auto",
        "Head node of the Ray cluster, as HOST:PORT; auto = RAY_ADDRESS, or the cluster that runs on this machine.")
    sandbox: Literal["auto", "strict", "standard", "reduced", "none"] = _setting("auto",
        "Sandbox level of bots; auto = a sandbox for bots that have an owner, none for the operator's own bots.")
    allow_reduced_sandbox: bool = _setting(False,
        'Allow the weaker sandbox level "reduced" where "standard" does not work.')
    leak_checks: Share = _setting(0.02,
        "Share of matches for which a deterministic bot's decisions are repeated in fresh processes (leak check).")
    warm_memory: Megabytes = _setting(None,
        "Megabytes of memory for idle bots; auto = a quarter of the machine's memory.")
    stop_grace: float = _number(30.0,
        "Seconds that running matches have to finish when the service stops.", most=86_400)
    matches_per_day: int = _number(10_000,
        "Matches per day of a ladder that has no rate of its own; 0 = as fast as the machine plays.")
    rating_method: Literal["trueskill", "openskill"] = _setting("trueskill",
        "Method of the live rating of pools that are opened without naming one. openskill needs its package.")
    play_address: Address = _setting("",
        'Address that remote bots connect to, such as "0.0.0.0:7735"; "" = remote bots are not accepted. Needs a '
        "certificate.")
    remote_patience: float = _number(60.0,
        "Seconds that a match waits for a remote bot that is not connected.", least=1, most=86_400)
    remote_absence: float = _number(45.0,
        "Seconds after which ladders continue without a remote bot that is not connected.", least=1, most=86_400)
    people: int = _number(8,
        "Number of people who may sit at tables in their browsers at the same time; 0 = none. Needs the web pages.",
        most=64)
    people_idle: float = _number(1800.0,
        "Seconds that a person has for a decision. After that, the seat resigns; the page warns the person in advance.",
        least=30, most=86_400)
    people_per_visitor: int = _number(4,
        "Seats that one visitor may hold at the same time, at all tables together.", least=1, most=64)
    people_per_hour: int = _number(30, "Tables that one address may open per hour.", least=1, most=10_000)
    people_rated: bool = _setting(False, "Allow people to play rated matches, in pools of remote bots.")
    # fmt: on


class WeightsSection(SettingsSection):
    """How activities share the match slots when they compete for them."""

    # fmt: off
    admission: float = _number(4.0,
        "Weight of admissions when activities compete for match slots. Admissions also come first.",
        least=0.001, most=1000)
    ladder: float = _number(2.0,
        "Weight of all ladders together when activities compete for match slots.", least=0.001, most=1000)
    tournament: float = _number(3.0,
        "Weight of all tournaments together when activities compete for match slots.", least=0.001, most=1000)
    comparison: float = _number(1.0,
        "Weight of all comparisons together when activities compete for match slots.", least=0.001, most=1000)
    # fmt: on


class LimitsSection(SettingsSection):
    """What one owner or one address may do."""

    # fmt: off
    uploads_per_hour: int = _number(_OWNERS.uploads_per_hour,
        "Uploads that an owner may start per hour; 0 = no limit.", most=MOST)
    versions: int = _number(_OWNERS.versions,
        "Versions that an owner may have, of all bots together; 0 = no limit.", most=MOST)
    archive_mb: int = _number(_OWNERS.archive_mb,
        "Largest archive in megabytes; 0 = only the general limit of 544, which always applies.", most=MOST)
    stored_mb: int = _number(_OWNERS.stored_mb,
        "Megabytes that an owner may store, in all versions and unfinished uploads together; 0 = no limit.", most=MOST)
    concurrent_matches: int = _number(_OWNERS.concurrent_matches,
        "Matches with bots of one owner at the same time; 0 = no limit.", most=MOST)
    notes_mb: int = _number(_OWNERS.notes_mb,
        "Megabytes of notes in the replays of an owner's bots; above it, new notes are left out; 0 = no limit.",
        most=MOST)
    open_challenges: int = _number(_CHALLENGES.open_challenges,
        "Open challenges that an owner may have at the same time; 0 = no limit.", most=MOST)
    challenge_matches: int = _number(_CHALLENGES.challenge_matches,
        "Matches that one challenge may have; 0 = no limit.", most=MOST)
    failed_logins_per_minute: int = _number(10, "Wrong tokens that one address may send per minute.", least=1)
    # fmt: on

    @property
    def of_owners(self) -> OwnerLimits:
        """Return the limits of one owner."""
        return OwnerLimits(
            self.uploads_per_hour,
            self.versions,
            self.archive_mb,
            self.stored_mb,
            self.concurrent_matches,
            self.notes_mb,
        )

    @property
    def of_challenges(self) -> ChallengeLimits:
        """Return the limits of challenges."""
        return ChallengeLimits(self.open_challenges, self.challenge_matches)


class AdmissionSection(SettingsSection):
    """When an admitted version replaces the active one."""

    # fmt: off
    promotion: Literal["none", "compare"] = _setting("none",
        "When an admitted version replaces the active version of its bot; none = at once, compare = after a test, "
        "unless the test finds it weaker.")
    promotion_loss: float = _number(0.03,
        "Loss that the test must detect: how far the new version's share of the points is below one half. 0.03 is "
        "about 20 Elo.",
        least=0.001, most=0.49)
    promotion_pairs: int = _number(200,
        "Number of steps after which the test ends undecided. The new version then replaces the old one.",
        least=12, most=100_000)
    # fmt: on


class RetentionSection(SettingsSection):
    """What the service deletes by age and size; 0 means never."""

    # fmt: off
    logs_days: int = _number(90, "Days for which the bots' logs of matches are kept; 0 = forever.")
    logs_mb: int = _number(4096,
        "Megabytes of the bots' logs of matches; the oldest logs are deleted first; 0 = no limit.")
    replays_days: int = _number(0, "Days for which replays are kept; 0 = forever.")
    replays_mb: int = _number(0, "Megabytes of replays; the oldest replays are deleted first; 0 = no limit.")
    archives_days: int = _number(0, "Days for which the files of withdrawn or refused versions are kept; 0 = forever.")
    # fmt: on


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """All settings of a service."""

    service: ServiceSection
    weights: WeightsSection
    limits: LimitsSection
    admission: AdmissionSection
    retention: RetentionSection
    runtimes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The tables of `[runtimes.NAME]`, as the file has them; `arena.hosting.runtimes` reads them."""


@dataclass(frozen=True, slots=True)
class SettingDefinition:
    """One setting of the service, as it is declared in its section."""

    section: str
    name: str
    declared: FieldInfo

    @property
    def key(self) -> str:
        """Return its full name, such as `limits.versions`."""
        return f"{self.section}.{self.name}"

    @property
    def flag(self) -> str | None:
        """Return its option of `arena serve`; only `[service]` has options, the other sections use `--set`."""
        return f"--{self.name.replace('_', '-')}" if self.section == "service" else None

    @property
    def variable(self) -> str:
        """Return the environment variable that overrides the file."""
        extra = self.declared.json_schema_extra
        own = extra.get("variable") if isinstance(extra, dict) else None
        section = "" if self.section == "service" else f"{self.section.upper()}_"
        return str(own or f"ARENA_{section}{self.name.upper()}")

    @property
    def default(self) -> Value:
        """Return its default value."""
        return self.declared.default

    @property
    def help(self) -> str:
        """Return its help."""
        return str(self.declared.description)

    @property
    def words(self) -> str:
        """Return what a value must be: `a whole number, 0 to 256`."""
        if self._kind:
            return self._kind.words
        kind = self.declared.annotation
        if kind is bool:
            return Text("true or false")
        if choices := get_args(kind):
            return Text("one of {words}", words=", ".join(choices))
        limits = {
            name: getattr(one, name) for one in self.declared.metadata for name in ("ge", "le") if hasattr(one, name)
        }
        least, most = limits["ge"], limits["le"]
        if kind is int:
            return Text("a whole number, {least} to {most}", least=least, most=most)
        return Text("a number, {least} to {most}", least=f"{least:g}", most=f"{most:g}")

    def format(self, value: Value) -> str:
        """Return a value as it is written in a TOML file."""
        if self._kind:
            return self._kind.format(value)
        return f"{value:g}" if isinstance(value, float) else json.dumps(value)

    @property
    def _kind(self) -> SettingKind | None:
        return next((one for one in self.declared.metadata if isinstance(one, SettingKind)), None)


_MODELS: Final[Mapping[str, type[SettingsSection]]] = {
    "service": ServiceSection,
    "weights": WeightsSection,
    "limits": LimitsSection,
    "admission": AdmissionSection,
    "retention": RetentionSection,
}
TABLE = tuple(
    SettingDefinition(section, name, declared)
    for section, model in _MODELS.items()
    for name, declared in model.model_fields.items()
)
"""Every setting, in the order of the file."""
SECTIONS = (*_MODELS, RUNTIMES)
_ROWS: Final = {row.key: row for row in TABLE}


@dataclass(frozen=True, slots=True)
class ResolvedSetting:
    """The effective value of one setting, and its origin."""

    row: SettingDefinition
    value: Value
    origin: str
    """`default`, or the name of the file, the variable or the flag."""

    @property
    def shown(self) -> Value:
        """Return the value without secrets: the URL of a database loses its password."""
        return without_password(self.value) if isinstance(self.value, str) else self.value


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The effective values of all settings, and every problem found in the file, the variables and the flags."""

    resolved: tuple[ResolvedSetting, ...]
    sections: Mapping[str, Any]
    """Each section by its name; a wrong value is replaced by the default."""
    runtimes: Mapping[str, Mapping[str, Any]]
    problems: tuple[str, ...]

    def value(self, key: str) -> Any:
        """Return the value of one setting, such as `service.workers`, even if other settings are wrong."""
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
                Text("{why} (and {count} more: `arena serve --check` lists them)", why=first, count=len(others))
            )
        return ServiceSettings(**self.sections, runtimes=self.runtimes)


def load_settings(
    file: Path, flags: Mapping[str, str], environ: Mapping[str, str], others: Collection[str] = ()
) -> EffectiveSettings:
    """Return the effective settings; `flags` are texts by key, such as `limits.versions`.

    `others` are variables with another meaning for the arena; they are not reported as mistyped settings. A missing
    file counts as empty. Nothing is raised: the result lists what is wrong in `problems`.
    """
    problems: list[str] = []
    tables = _read_file(file, problems)
    problems += _unknown_keys(file, tables)
    problems += [f"--set {key}: {_no_such(key, list(_ROWS))}" for key in flags if key not in _ROWS]
    problems += _mistyped_variables(environ, others)
    said = {row.key: found for row in TABLE if (found := _find(row, file, tables, flags, environ))}
    sections = {name: _section(name, model, said, problems) for name, model in _MODELS.items()}
    resolved = (
        ResolvedSetting(
            row, getattr(sections[row.section], row.name), said[row.key].origin if row.key in said else DEFAULT
        )
        for row in TABLE
    )
    runtimes: dict[str, Mapping[str, Any]] = {}
    table = tables.get(RUNTIMES, {})
    for name, runtime in table.items() if isinstance(table, dict) else ():  # what is no table is told already
        if isinstance(runtime, dict):
            runtimes[name] = runtime
        else:
            problems.append(f"{file}: [runtimes] {name} is no runtime; write [runtimes.{name}] and its settings below")
    return EffectiveSettings(tuple(resolved), sections, runtimes, tuple(problems))


def _read_file(file: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        problems.append(
            Text("{file} cannot be read: {why}; check its permissions", file=file, why=os_error_text(error))
        )
    except UnicodeDecodeError:
        problems.append(Text("{file} is not UTF-8 text; write it anew, or remove it for the defaults", file=file))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problems.append(
            Text("{file} is not TOML: {why}; correct that line", file=file, why=" ".join(str(error).split()))
        )
    return {}


def _unknown_keys(file: Path, tables: Mapping[str, Any]) -> Iterator[str]:
    for section, table in tables.items():
        if section not in SECTIONS:
            homes = [row.section for row in TABLE if row.name == section]
            outside = f"{section} stands outside a section; move it below [{homes[0]}]" if homes else ""
            yield placed(file, outside or _no_such(section, SECTIONS, "section"))
        elif not isinstance(table, dict):
            yield Text(
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
    """Yield a problem for each variable that looks like a mistyped setting; other variables are ignored."""
    known = [row.variable for row in TABLE]
    for name in sorted(set(environ) - {*known, *others, _OF_BOTS}):
        begins = name.startswith(tuple(f"ARENA_{section.upper()}_" for section in SECTIONS))
        near = nearest(name, known, _ALMOST) if name.startswith("ARENA_") else None
        if near is not None:
            yield Text("{name} sets nothing; did you mean {guess}? Otherwise unset it", name=name, guess=near)
        elif begins:
            yield Text(
                "{name} sets nothing; `arena serve --check` lists the settings, and docs/deploy.md their variables",
                name=name,
            )


def _no_such(name: str, known: Any, what: str = "setting") -> str:
    homes = [row.section for row in TABLE if row.name == name]
    if homes and what == "setting":
        return f"{name!r} is a setting of [{homes[0]}]; write {homes[0]}.{name} or move it there"
    near = nearest(name, known, 0.4)
    if near is not None:
        return f"there is no {what} {name!r}; did you mean {near!r}?"
    return f"there is no {what} {name!r}; there are {', '.join(sorted(known))}"


@dataclass(frozen=True, slots=True)
class _Said:
    """The value of a setting from the source that takes precedence."""

    value: Any
    origin: str
    place: str
    """The place of the value, with the value itself, for messages."""


def _find(
    row: SettingDefinition, file: Path, tables: Mapping[str, Any], flags: Mapping[str, str], environ: Mapping[str, str]
) -> _Said | None:
    if row.key in flags:
        origin = row.flag or f"--set {row.key}"
        return _Said(flags[row.key], origin, f"{origin} {flags[row.key]!r}")
    if text := environ.get(row.variable):  # an empty variable counts as unset
        return _Said(text, row.variable, f"{row.variable}={text!r}")
    section = tables.get(row.section)
    if isinstance(section, dict) and row.name in section:
        value = section[row.name]
        return _Said(value, file.name, f"{file}: [{row.section}] {row.name} = {value!r}")
    return None


def _section(
    section: str, model: type[SettingsSection], said: dict[str, _Said], problems: list[str]
) -> SettingsSection:
    """Return a section; a wrong value becomes a problem and is replaced by the default."""
    try:
        return model(**{row.name: said[row.key].value for row in TABLE if row.section == section and row.key in said})
    except ValidationError as error:
        for key in dict.fromkeys(f"{section}.{one['loc'][0]}" for one in error.errors()):
            row = _ROWS[key]
            problems.append(
                Text(
                    "{place} is not {what}; the default is {usual}",
                    place=said.pop(key).place,
                    what=row.words,
                    usual=row.format(row.default),
                )
            )
        return _section(section, model, said, problems)


def settings_template() -> str:
    """Return the text of a settings file in which every setting is commented out."""
    sections = [
        "\n".join([f"[{name}]", *(f"# {row.help}\n# {setting_line(row)}" for row in rows), ""])
        for name, rows in groupby(TABLE, key=lambda row: row.section)
    ]
    return "\n".join([_TEMPLATE_HEAD, *sections]) + _TEMPLATE_RUNTIMES


def setting_line(row: SettingDefinition) -> str:
    """Return the line of a settings file that gives a setting its default."""
    return f"{row.name} = {row.format(row.default)}"
