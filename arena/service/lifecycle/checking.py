"""`arena serve --check`: checks everything that can be checked without serving, certificates included."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.hosting.errors import HostingError
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeSettingsError, parse_runtimes
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.rpc.errors import CertificateError
from arena.service.home import Home, holder_of
from arena.service.lifecycle.bot_programs import policy_of
from arena.service.maintenance.disk_forecast import DiskForecast, forecast
from arena.service.server.self_signed import expiry_of, find_certificate
from arena.service.settings import EffectiveSettings, RetentionSection
from arena.service.task_supervision import sandbox_problem
from arena.tournament.rate_limit import rate_of
from engine.translatable import Text, placed
from ratings.errors import EmptyDatabaseError, RatingsError
from ratings.read.ladders import open_ladders
from ratings.read.retention import Volume, volume
from ratings.statistics.errors import SkillError
from ratings.statistics.skill import check_rating_method
from ratings.store.database import is_there, open_database
from ratings.values.pools import RatingMethod

WARNED_BEFORE = timedelta(days=60)
_OTHERS = "who pinned the old one gives the new fingerprint with `arena login ADDRESS --name NAME --fingerprint NEW`"
_OWN = f"remove {{}} and start with `arena serve --tls-self-signed`; {_OTHERS}"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found."""

    effective: EffectiveSettings
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    forecast: DiskForecast


def check(home: Home, effective: EffectiveSettings) -> CheckReport:
    """Look at settings, database and disk; nothing is changed, and a service may run meanwhile."""
    problems = list(effective.problems)
    found, paces = Volume(), list[int]()
    usual_pace = int(effective.value("service.matches_per_day"))
    try:
        if is_there(home.book):
            with suppress(EmptyDatabaseError):  # it gets its tables when the service starts
                database = open_database(home.book, makes=False)
                try:
                    found = volume(database)
                    paces = [rate_of(one.ladder.settings, usual_pace) for one in open_ladders(database)]
                finally:
                    database.close()
    except RatingsError as error:
        problems.append(str(error))
    problems += _look_at_runtimes(home, effective)
    try:
        check_rating_method(RatingMethod(effective.value("service.rating_method")))
    except SkillError as error:
        problems.append(placed("service.rating_method", error))
    holder = holder_of(home.lock)
    notes: list[str] = (
        [] if holder is None else [Text("process {pid} serves this home now", pid=holder.get("pid", "?"))]
    )
    policy = policy_of(
        str(effective.value("service.sandbox")), allow_reduced=bool(effective.value("service.allow_reduced_sandbox"))
    )
    # That concerns nobody as long as there are no owners.
    if problem := sandbox_problem(StoredPrograms(VersionStore(home.store), policy)):
        notes.append(Text("bots of owners would wait: {why}", why=problem))
    if (
        effective.value("service.play_address")
        and not effective.value("service.tls_certificate")
        and find_certificate(home.tls) is None
    ):
        notes.append("remote bots need a certificate: start with --tls-self-signed, or set service.tls_certificate")
    wrong, soon = check_certificate(home, str(effective.value("service.tls_certificate")))
    kept: RetentionSection = effective.sections["retention"]
    return CheckReport(effective, (*problems, *wrong), (*notes, *soon), forecast(home, found, paces, usual_pace, kept))


def _look_at_runtimes(home: Home, effective: EffectiveSettings) -> list[str]:
    """Return what is wrong with the definitions of runtimes, or else with what they name on this machine."""
    try:
        runtimes = RuntimeCatalog(parse_runtimes(effective.runtimes, place=str(home.settings_file)))
    except RuntimeSettingsError as error:
        return [str(error)]
    problems = []
    for name in runtimes.names:
        try:
            runtimes.get(name)
        except HostingError as error:
            problems.append(str(error))
    return problems


def check_certificate(home: Home, named: str, now: datetime | None = None) -> tuple[list[str], list[str]]:
    """Return what is wrong with the certificate now, and what soon will be; `named` is that of the settings, if any."""
    own = find_certificate(home.tls)
    file = Path(named) if named else None if own is None else own.certificate
    if file is None:
        return [], []
    try:
        left = expiry_of(file) - (now or datetime.now(UTC))
    except CertificateError as error:
        return [str(error)], []
    remedy = f"have a new one written there, then start the service anew; {_OTHERS}" if named else _OWN.format(home.tls)
    if left <= timedelta(0):
        return [
            Text(
                "the certificate {file} has expired, so nobody can call the service; {remedy}", file=file, remedy=remedy
            )
        ], []
    if left <= WARNED_BEFORE:
        return [], [
            Text("the certificate {file} expires in {days} days; {remedy}", file=file, days=left.days, remedy=remedy)
        ]
    return [], []
