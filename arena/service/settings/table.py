"""Every setting of a service in one table: section, name, default, kind, help. Nothing else knows their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.service.settings.kinds import (
    ADDRESS,
    FLAG,
    MEGABYTES,
    NAMES,
    SHARE,
    TEXT,
    SettingKind,
    choice,
    number,
    whole,
)
from ratings.values.owners import MOST, ChallengeLimits, OwnerLimits

RUNTIMES = "runtimes"
"""The section whose tables `arena.hosting.runtimes` reads: one for each runtime."""


@dataclass(frozen=True, slots=True)
class SettingDefinition:
    """One setting of the service."""

    section: str
    name: str
    default: Any
    """As a TOML file would say it."""
    kind: SettingKind
    help: str
    variable: str = ""
    """The environment variable that overrides the file."""

    @property
    def key(self) -> str:
        """Return its full name, as people write it: `limits.versions`."""
        return f"{self.section}.{self.name}"

    @property
    def flag(self) -> str | None:
        """Return the option of `arena serve` that overrides everything; the other sections share `--set`."""
        return f"--{self.name.replace('_', '-')}" if self.section == "service" else None


def _row(section: str, name: str, default: Any, kind: SettingKind, help_: str, variable: str = "") -> SettingDefinition:
    usual = f"ARENA_{name.upper()}" if section == "service" else f"ARENA_{section.upper()}_{name.upper()}"
    return SettingDefinition(section, name, default, kind, help_, variable or usual)


_SERVICE = (
    _row("service", "address", "127.0.0.1:7733", ADDRESS,
         'Where owners connect; "" = only the socket of this machine. Anything but loopback needs a certificate.',
         "ARENA_SERVE_ADDRESS"),  # ARENA_ADDRESS is what bots are given
    _row("service", "admin_address", "127.0.0.1:7734", ADDRESS,
         'Where metrics and health are served; "" = nowhere. Never give it to the world.'),
    _row("service", "web_address", "127.0.0.1:7780", ADDRESS,
         'Where browsers find pages; "" = nowhere. Anything but loopback needs a certificate, and is https.',
         "ARENA_SERVE_WEB_ADDRESS"),  # for the same reason
    _row("service", "web_names", [], NAMES,
         "Names by which browsers reach web_address on loopback, through a proxy; other names are refused."),
    _row("service", "database", "", TEXT,
         'The database; "" = arena.db in the home, or a URL, postgresql://HOST/NAME, which several services may share.',
         "ARENA_SERVE_DATABASE"),  # ARENA_DB is what commands work on
    _row("service", "tls_certificate", "", TEXT, 'A certificate (PEM file); "" = that of --tls-self-signed, if any.'),
    _row("service", "tls_key", "", TEXT, "The key of tls_certificate (PEM)."),
    _row("service", "tls_hosts", [], NAMES,
         "Names and addresses that --tls-self-signed writes into its certificate, besides this machine's own."),
    _row("service", "workers", 0, whole(0, 256), "Matches at once; 0 = one for each processor core."),
    _row("service", "executor", "local", choice("local", "ray"),
         "Where matches are played: local = on this machine, ray = on the machines of a Ray cluster."),
    _row("service", "ray_address", "auto", TEXT,
         "The head of the Ray cluster, as HOST:PORT; auto = RAY_ADDRESS, or the one that runs here."),
    _row("service", "sandbox", "auto", choice("auto", "strict", "standard", "reduced", "none"),
         "How bots are kept: auto = an owner's in a sandbox, the operator's own not."),
    _row("service", "allow_reduced_sandbox", False, FLAG, "Let the weaker sandbox do where the standard one fails."),
    _row("service", "leak_checks", "2%", SHARE, "Part of the matches of which a deterministic bot is asked again."),
    _row("service", "warm_memory", "auto", MEGABYTES, "Megabytes for idle bots; auto = a quarter of the machine's."),
    _row("service", "stop_grace", 30, number(0, 86_400), "Seconds that running matches get when the service stops."),
    _row("service", "matches_per_day", 10_000, whole(),
         "The pace of a ladder that names none of its own; 0 = as fast as the machine plays."),
    _row("service", "play_address", "", ADDRESS,
         'Where remote bots connect, such as "0.0.0.0:7735"; "" = none are taken. Needs a certificate.'),
    _row("service", "remote_patience", 60, number(1, 86_400),
         "Seconds for which a match waits for a remote bot that is not connected."),
    _row("service", "remote_absence", 45, number(1, 86_400),
         "Seconds after which ladders go on without a remote bot that is not connected."),
    _row("service", "people", 8, whole(0, 64),
         "People who may sit at tables in their browsers at once, if there are pages; 0 = nobody."),
    _row("service", "people_idle", 1800, number(30, 86_400),
         "Seconds that a person may take for a decision; then the seat resigns, and the page says so beforehand."),
    _row("service", "people_per_visitor", 4, whole(1, 64),
         "Seats that one visitor may hold at once, all tables together."),
    _row("service", "people_per_hour", 30, whole(1, 10_000), "Tables that one address may open within an hour."),
    _row("service", "people_rated", False, FLAG, "Let people play rated matches, in pools of remote bots."),
)  # fmt: skip
_WEIGHTS = (
    _row("weights", "admission", 4, number(0.001, 1000), "Share of the slots for admissions, which also come first."),
    _row("weights", "ladder", 2, number(0.001, 1000), "Share of the slots for all ladders together."),
    _row("weights", "tournament", 3, number(0.001, 1000), "Share of the slots for all tournaments together."),
    _row("weights", "comparison", 1, number(0.001, 1000), "Share of the slots for all comparisons together."),
)
_OWNERS = OwnerLimits()
_CHALLENGES = ChallengeLimits()
_LIMIT = whole(0, MOST)
_LIMITS = (
    _row("limits", "uploads_per_hour", _OWNERS.uploads_per_hour, _LIMIT,
         "Uploads an owner may begin in an hour; 0 = no limit, also of the next four."),
    _row("limits", "versions", _OWNERS.versions, _LIMIT, "Versions an owner may have, all bots together."),
    _row("limits", "archive_mb", _OWNERS.archive_mb, _LIMIT, "Megabytes of one archive; never more than 544."),
    _row("limits", "stored_mb", _OWNERS.stored_mb, _LIMIT,
         "Megabytes an owner may have stored, all versions and unfinished uploads together."),
    _row("limits", "concurrent_matches", _OWNERS.concurrent_matches, _LIMIT,
         "Matches with bots of one owner at the same time."),
    _row("limits", "open_challenges", _CHALLENGES.open_challenges, _LIMIT,
         "Challenges of one owner that may be open at the same time; 0 = no limit."),
    _row("limits", "challenge_matches", _CHALLENGES.challenge_matches, _LIMIT,
         "Matches of one challenge; 0 = no limit."),
    _row("limits", "failed_logins_per_minute", 10, whole(1), "Wrong tokens that one address may show in a minute."),
)  # fmt: skip
_ADMISSION = (
    _row("admission", "promotion", "none", choice("none", "compare"),
         "With compare, an admitted version replaces the one that plays after a test, unless that finds it weaker."),
    _row("admission", "promotion_loss", 0.03, number(0.001, 0.49),
         "The loss that the test is to find, as a share of the points between the two; 0.03 is about 20 Elo."),
    _row("admission", "promotion_pairs", 200, whole(12, 100_000),
         "After so many steps of a comparison the test is undecided, and the new version replaces the old one."),
)  # fmt: skip
_RETENTION = (
    _row("retention", "logs_days", 90, whole(), "Days for which the logs of seats are kept; 0 = for ever."),
    _row("retention", "logs_mb", 4096, whole(), "Megabytes of logs of seats; the oldest go first; 0 = no limit."),
    _row("retention", "replays_days", 0, whole(), "Days for which replays are kept; 0 = for ever."),
    _row("retention", "replays_mb", 0, whole(), "Megabytes of replays; the oldest go first; 0 = no limit."),
    _row("retention", "archives_days", 0, whole(), "Days for which unused versions keep their files; 0 = for ever."),
)

TABLE = (*_SERVICE, *_WEIGHTS, *_LIMITS, *_ADMISSION, *_RETENTION)
SECTIONS = (*dict.fromkeys(row.section for row in TABLE), RUNTIMES)
