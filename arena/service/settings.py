"""The settings of a service: flags win over ARENA_* variables, these over the file, the file over the defaults.

Each setting is a field of one of the sections below: its name, its kind, its default and its help. No I/O but reading
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
from arena.service.errors import SettingsError
from engine.os_errors import os_error_text
from engine.text import Text, nearest, placed
from ratings.store.urls import without_password
from ratings.values.owners import MOST, ChallengeLimits, OwnerLimits

Value = Any
"""A value as the typed settings hold it."""
RUNTIMES = "runtimes"
"""The section whose tables `arena.hosting.runtimes` reads: one for each runtime."""
DEFAULT = "default"
_OF_BOTS: Final = "ARENA_ADDRESS"
"""A variable that bots are given, and that is nearly one of ours."""
_ALMOST: Final = 0.85
"""How near to the variable of a setting another one is a mistyped one."""
_SHARE: Final = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)%?", re.ASCII)
_TEMPLATE_HEAD: Final = """\
# The settings of this service; what is commented out is the default. `arena serve --check` tells what takes effect.
# A flag of `arena serve` wins over a variable ARENA_..., and that over this file.
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
    """What pydantic does not know of a kind of values."""

    words: Text
    """What a value must be, for messages."""
    format: Callable[[Any], str] = json.dumps
    """Returns the value as it is written in a TOML file."""


def _parse_share(said: Any) -> float:
    """Return `2`, `2.5` or `"2%"` as the share that so many per cent are."""
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
    SettingKind(Text("service.address_such_127_0_0", 'an address such as "127.0.0.1:7733"')),
]
PlainText = Annotated[str, AfterValidator(_check_text), SettingKind(Text("service.text_quotes", "a text in quotes"))]
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda said: [part for part in said.split(",") if part] if isinstance(said, str) else said),
    AfterValidator(_check_names),
    SettingKind(Text("service.list_texts", "a list of texts")),
]
Share = Annotated[
    float,
    BeforeValidator(_parse_share),
    SettingKind(Text("service.part_all_such_2", 'a part of all such as "2%"'), lambda value: f'"{value * 100:g}%"'),
]
Megabytes = Annotated[
    Annotated[int, Field(ge=0)] | None,
    BeforeValidator(lambda said: None if said == "auto" else said),
    SettingKind(
        Text("service.auto_whole_number_megabytes", '"auto" or a whole number of megabytes'),
        lambda value: json.dumps("auto" if value is None else value),
    ),
]


def _setting(default: Any, help_: str, *, variable: str | None = None) -> Any:
    """Return a field; `variable` is that of the environment, where it is no usual one."""
    return Field(default, description=help_, json_schema_extra={"variable": variable})


def _number(default: float, help_: str, *, least: float = 0, most: float = 10**12) -> Any:
    return Field(default, description=help_, ge=least, le=most)


class SettingsSection(BaseModel):
    """Settings that stand below one heading of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_truth_values(cls, said: Any, info: ValidationInfo) -> Any:
        """Refuse `true` where a number is meant, which pydantic takes for 1."""
        if isinstance(said, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError
        return said


class ServiceSection(SettingsSection):
    """Where the service listens, and how it plays."""

    # fmt: off
    address: Address = _setting("127.0.0.1:7733",
        'Where owners connect; "" = only the socket of this machine. Every address but loopback needs a certificate.',
        variable="ARENA_SERVE_ADDRESS")
    admin_address: Address = _setting("127.0.0.1:7734",
        'Where metrics and health are served; "" = nowhere. Never open it to the internet.')
    web_address: Address = _setting("127.0.0.1:7780",
        'Where browsers find the pages; "" = nowhere. Every address but loopback needs a certificate, and uses https.',
        variable="ARENA_SERVE_WEB_ADDRESS")
    web_names: Names = _setting((),
        "Names by which browsers reach web_address on loopback, through a proxy; all other names are refused.")
    database: PlainText = _setting("",
        'The database; "" = arena.db in the home, or a URL, postgresql://HOST/NAME, which several services may share.',
        variable="ARENA_SERVE_DATABASE")
    tls_certificate: PlainText = _setting("", 'A certificate (PEM file); "" = that of --tls-self-signed, if any.')
    tls_key: PlainText = _setting("", "The key of tls_certificate (PEM).")
    tls_hosts: Names = _setting((),
        "Names and addresses that --tls-self-signed puts into its certificate, besides those of this machine.")
    workers: int = _number(0, "Number of matches to play at once; 0 = one for each processor core.", most=256)
    executor: Literal["local", "ray"] = _setting("local",
        "Where matches are played: local = on this machine, ray = on the machines of a Ray cluster.")
    ray_address: PlainText = _setting("auto",
        "The head node of the Ray cluster, as HOST:PORT; auto = RAY_ADDRESS, or the one on this machine.")
    sandbox: Literal["auto", "strict", "standard", "reduced", "none"] = _setting("auto",
        "Sandbox of the bots: auto = the bots of owners run in one, the operator's own do not.")
    allow_reduced_sandbox: bool = _setting(False, "Accept the weaker sandbox where the standard one does not work.")
    leak_checks: Share = _setting(0.02, "Share of the matches after which a deterministic bot is asked again.")
    warm_memory: Megabytes = _setting(None, "Megabytes for idle bots; auto = a quarter of the machine's memory.")
    stop_grace: float = _number(30.0, "Seconds that running matches get to finish when the service stops.", most=86_400)
    matches_per_day: int = _number(10_000,
        "Matches per day of a ladder that has no number of its own; 0 = as many as the machine can play.")
    play_address: Address = _setting("",
        'Where remote bots connect, such as "0.0.0.0:7735"; "" = no remote bots. Needs a certificate.')
    remote_patience: float = _number(60.0,
        "Seconds that a match waits for a remote bot that is not connected.", least=1, most=86_400)
    remote_absence: float = _number(45.0,
        "Seconds after which ladders continue without a remote bot that is not connected.", least=1, most=86_400)
    people: int = _number(8,
        "Number of people who may play in their browsers at once, if there are pages; 0 = none.", most=64)
    people_idle: float = _number(1800.0,
        "Seconds that a person may take for a decision; then the seat resigns. The page warns beforehand.",
        least=30, most=86_400)
    people_per_visitor: int = _number(4,
        "Seats that one visitor may hold at once, at all tables together.", least=1, most=64)
    people_per_hour: int = _number(30, "Tables that one address may open in an hour.", least=1, most=10_000)
    people_rated: bool = _setting(False, "Let people play rated matches, in pools of remote bots.")
    # fmt: on


class WeightsSection(SettingsSection):
    """How the slots are shared while everybody wants them."""

    # fmt: off
    admission: float = _number(4.0, "Share of the slots for admissions, which also come first.", least=0.001, most=1000)
    ladder: float = _number(2.0, "Share of the slots for all ladders together.", least=0.001, most=1000)
    tournament: float = _number(3.0, "Share of the slots for all tournaments together.", least=0.001, most=1000)
    comparison: float = _number(1.0, "Share of the slots for all comparisons together.", least=0.001, most=1000)
    # fmt: on


class LimitsSection(SettingsSection):
    """What one owner, or one address, may do."""

    # fmt: off
    uploads_per_hour: int = _number(_OWNERS.uploads_per_hour,
        "Uploads an owner may begin in an hour; 0 = no limit; so, too, for the next four settings.", most=MOST)
    versions: int = _number(_OWNERS.versions, "Versions an owner may have, all bots together.", most=MOST)
    archive_mb: int = _number(_OWNERS.archive_mb, "Megabytes of one archive; never more than 544.", most=MOST)
    stored_mb: int = _number(_OWNERS.stored_mb,
        "Megabytes an owner may have stored, all versions and unfinished uploads together.", most=MOST)
    concurrent_matches: int = _number(_OWNERS.concurrent_matches,
        "Matches with bots of one owner at the same time.", most=MOST)
    open_challenges: int = _number(_CHALLENGES.open_challenges,
        "Challenges of one owner that may be open at the same time; 0 = no limit.", most=MOST)
    challenge_matches: int = _number(_CHALLENGES.challenge_matches,
        "Matches of one challenge; 0 = no limit.", most=MOST)
    failed_logins_per_minute: int = _number(10, "Wrong tokens that one address may present in a minute.", least=1)
    # fmt: on

    @property
    def of_owners(self) -> OwnerLimits:
        """Return those of one owner."""
        return OwnerLimits(
            self.uploads_per_hour, self.versions, self.archive_mb, self.stored_mb, self.concurrent_matches
        )

    @property
    def of_challenges(self) -> ChallengeLimits:
        """Return those of challenges."""
        return ChallengeLimits(self.open_challenges, self.challenge_matches)


class AdmissionSection(SettingsSection):
    """What becomes of versions that are admitted."""

    # fmt: off
    promotion: Literal["none", "compare"] = _setting("none",
        "With compare, an admitted version replaces the active one after a test, unless the test finds it weaker.")
    promotion_loss: float = _number(0.03,
        "The loss that the test is to detect, as a share of the points between the two; 0.03 is about 20 Elo.",
        least=0.001, most=0.49)
    promotion_pairs: int = _number(200,
        "After this many steps of a comparison the test is undecided, and the new version replaces the old one.",
        least=12, most=100_000)
    # fmt: on


class RetentionSection(SettingsSection):
    """What is removed by age and size; 0 stands for never."""

    # fmt: off
    logs_days: int = _number(90, "Days for which the logs of seats are kept; 0 = for ever.")
    logs_mb: int = _number(4096, "Megabytes of logs of seats; the oldest are removed first; 0 = no limit.")
    replays_days: int = _number(0, "Days for which replays are kept; 0 = for ever.")
    replays_mb: int = _number(0, "Megabytes of replays; the oldest are removed first; 0 = no limit.")
    archives_days: int = _number(0, "Days for which unused versions keep their files; 0 = for ever.")
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
        """Return its full name, as people write it: `limits.versions`."""
        return f"{self.section}.{self.name}"

    @property
    def flag(self) -> str | None:
        """Return the option of `arena serve` that overrides everything; the other sections share `--set`."""
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
        """Return its value where nobody says another."""
        return self.declared.default

    @property
    def help(self) -> str:
        """Return what it is for."""
        return str(self.declared.description)

    @property
    def words(self) -> str:
        """Return what a value must be: `a whole number, 0 to 256`."""
        if self._kind:
            return self._kind.words
        kind = self.declared.annotation
        if kind is bool:
            return Text("service.true_false", "true or false")
        if choices := get_args(kind):
            return Text("service.one_of", "one of {words}", words=", ".join(choices))
        limits = {
            name: getattr(one, name) for one in self.declared.metadata for name in ("ge", "le") if hasattr(one, name)
        }
        least, most = limits["ge"], limits["le"]
        if kind is int:
            return Text("service.whole_number", "a whole number, {least} to {most}", least=least, most=most)
        return Text("service.a_number_to", "a number, {least} to {most}", least=f"{least:g}", most=f"{most:g}")

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
    sections: Mapping[str, Any]
    """Each section by its name, with the default where what was said is wrong."""
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
        return ServiceSettings(**self.sections, runtimes=self.runtimes)


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
    said = {row.key: found for row in TABLE if (found := _find(row, file, tables, flags, environ))}
    sections = {name: _section(name, model, said, problems) for name, model in _MODELS.items()}
    resolved = (_resolved(row, sections[row.section], said) for row in TABLE)
    return EffectiveSettings(tuple(resolved), sections, _runtimes(file, tables, problems), tuple(problems))


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
        near = nearest(name, known, _ALMOST) if name.startswith("ARENA_") else None
        if near is not None:
            yield Text(
                "service.sets_nothing_did_you_mean",
                "{name} sets nothing; did you mean {guess}? Otherwise unset it",
                name=name,
                guess=near,
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
    near = nearest(name, known, 0.4)
    if near is not None:
        return f"there is no {what} {name!r}; did you mean {near!r}?"
    return f"there is no {what} {name!r}; there are {', '.join(sorted(known))}"


@dataclass(frozen=True, slots=True)
class _Said:
    """What the highest authority says of a setting."""

    value: Any
    origin: str
    place: str
    """Where it stands, with the value, for messages."""


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
    """Return a section; what is wrong is a problem, is taken out of what was said, and its default takes effect."""
    try:
        return model(**{row.name: said[row.key].value for row in TABLE if row.section == section and row.key in said})
    except ValidationError as error:
        for key in dict.fromkeys(f"{section}.{one['loc'][0]}" for one in error.errors()):
            row = _ROWS[key]
            problems.append(
                Text(
                    "service.not_default",
                    "{place} is not {what}; the default is {usual}",
                    place=said.pop(key).place,
                    what=row.words,
                    usual=row.format(row.default),
                )
            )
        return _section(section, model, said, problems)


def _resolved(row: SettingDefinition, section: SettingsSection, said: Mapping[str, _Said]) -> ResolvedSetting:
    return ResolvedSetting(row, getattr(section, row.name), said[row.key].origin if row.key in said else DEFAULT)


def _runtimes(file: Path, tables: Mapping[str, Any], problems: list[str]) -> dict[str, Mapping[str, Any]]:
    table = tables.get(RUNTIMES, {})
    if not isinstance(table, dict):
        return {}  # told already
    for name, runtime in table.items():
        if not isinstance(runtime, dict):
            problems.append(f"{file}: [runtimes] {name} is no runtime; write [runtimes.{name}] and its settings below")
    return {name: runtime for name, runtime in table.items() if isinstance(runtime, dict)}


def settings_template() -> str:
    """Return the text of a settings file that changes nothing."""
    sections = [_template_section(name, list(rows)) for name, rows in groupby(TABLE, key=lambda row: row.section)]
    return "\n".join([_TEMPLATE_HEAD, *sections]) + _TEMPLATE_RUNTIMES


def _template_section(name: str, rows: list[SettingDefinition]) -> str:
    return "\n".join([f"[{name}]", *(f"# {row.help}\n# {setting_line(row)}" for row in rows), ""])


def setting_line(row: SettingDefinition) -> str:
    """Return the line of a settings file that gives a setting its default."""
    return f"{row.name} = {row.format(row.default)}"
