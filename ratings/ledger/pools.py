"""Which matches are rated together, and by which name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlmodel import Session

from ratings.statistics.skill import SkillSettings
from ratings.store.ids import now_us
from ratings.store.models import Pool
from ratings.store.tables import AnyRow


@dataclass(frozen=True, slots=True)
class PoolKey:
    """What matches must have in common to be rated together."""

    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)
    time_control: str = "none"
    cores: int = 1
    remote: bool = False
    """Whether bots play in it that their authors run elsewhere: nobody vouches for their code or their clock."""

    def canonical(self) -> str:
        """Return the key's canonical JSON: keys sorted, no spaces, ASCII.

        What came after the first schema is in it only if it is not the default, so that old pools keep their names.
        """
        data = {**asdict(self), "options": dict(self.options)}
        if not self.remote:
            del data["remote"]
        return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)

    def pool_id(self) -> str:
        """Return the pool's name: the SHA-256 of the canonical JSON, in hexadecimal digits."""
        return hashlib.sha256(self.canonical().encode("ascii")).hexdigest()


def pool_for(session: Session, key: PoolKey, settings: SkillSettings | None = None) -> Pool:
    """Return the pool of that key, which is made if it is missing; `settings` only count then."""
    pool = session.get(Pool, key.pool_id())
    if pool is None:
        constants = asdict(settings or SkillSettings())
        fields = {**asdict(key), "options": dict(key.options)}
        pool = Pool(id=key.pool_id(), created_at_us=now_us(), **fields, **constants)
        session.add(pool)
        session.flush()
    return pool


def settings_of(pool: Pool | AnyRow) -> SkillSettings:
    """Return the TrueSkill constants of a pool, or of a row that has its columns."""
    return SkillSettings(pool.mu, pool.sigma, pool.beta, pool.tau, pool.draw_probability)
