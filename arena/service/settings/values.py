"""The settings of a service as typed values; what each means stands in `arena.service.settings.table`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ratings.values.owners import ChallengeLimits, OwnerLimits


@dataclass(frozen=True, slots=True)
class ServiceSection:
    """Where the service listens, and how it plays."""

    address: str
    admin_address: str
    web_address: str
    web_names: tuple[str, ...]
    database: str
    """The URL of one on a server; empty for the file in the home."""
    tls_certificate: str
    tls_key: str
    tls_hosts: tuple[str, ...]
    workers: int
    executor: str
    ray_address: str
    sandbox: str
    allow_reduced_sandbox: bool
    leak_checks: float
    """A share, 0 to 1."""
    warm_memory: int | None
    """In megabytes; `None` for a share of the machine's."""
    stop_grace: float
    """In seconds."""
    matches_per_day: int
    play_address: str
    remote_patience: float
    """In seconds."""
    remote_absence: float
    """In seconds."""
    people: int
    people_idle: float
    """In seconds."""
    people_per_visitor: int
    people_per_hour: int
    people_rated: bool


@dataclass(frozen=True, slots=True)
class WeightsSection:
    """How the slots are shared while everybody wants them."""

    admission: float
    ladder: float
    tournament: float
    comparison: float


@dataclass(frozen=True, slots=True)
class LimitsSection:
    """What one owner, or one address, may do."""

    uploads_per_hour: int
    versions: int
    archive_mb: int
    stored_mb: int
    concurrent_matches: int
    open_challenges: int
    challenge_matches: int
    failed_logins_per_minute: int

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


@dataclass(frozen=True, slots=True)
class AdmissionSection:
    """What becomes of versions that are admitted."""

    promotion: str
    promotion_loss: float
    promotion_pairs: int


@dataclass(frozen=True, slots=True)
class RetentionSection:
    """What is removed by age and size; 0 stands for never."""

    logs_days: int
    logs_mb: int
    replays_days: int
    replays_mb: int
    archives_days: int


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
