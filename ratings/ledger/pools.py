"""Which matches are rated together, and by which name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlmodel import Session

from ratings.statistics.skill import SkillSettings
from ratings.store.identifiers import now_us
from ratings.store.models import PoolRecord
from ratings.store.tables import AnyRow
from ratings.values.pools import Pool


def pool_of(
    game: str,
    rules_version: str,
    seats: int,
    options: Mapping[str, Any] | None = None,
    time_control: str = "none",
    cores: int = 1,
    remote: bool = False,
) -> Pool:
    """Return the pool of the matches that have all this in common.

    Its name is the SHA-256, in hexadecimal digits, of their canonical JSON: keys sorted, no spaces, ASCII. What came
    after the first schema is in it only if it is not the default, so that old pools keep their names.
    """
    key = {
        "game": game,
        "rules_version": rules_version,
        "seats": seats,
        "options": dict(options or {}),
        "time_control": time_control,
        "cores": cores,
        **({"remote": True} if remote else {}),
    }
    canonical = json.dumps(key, sort_keys=True, separators=(",", ":"), allow_nan=False)
    pool_id = hashlib.sha256(canonical.encode("ascii")).hexdigest()
    return Pool(pool_id, game, rules_version, seats, options or {}, time_control, cores, remote)


def pool_for(session: Session, pool: Pool, settings: SkillSettings | None = None) -> PoolRecord:
    """Return the pool as it is stored; it is written if it is missing, and `settings` only count then."""
    stored = session.get(PoolRecord, pool.pool_id)
    if stored is None:
        constants = asdict(settings or SkillSettings())
        fields = {**asdict(pool), "options": dict(pool.options)}
        stored = PoolRecord(id=fields.pop("pool_id"), created_at_us=now_us(), **fields, **constants)
        session.add(stored)
        session.flush()
    return stored


def settings_of(pool: PoolRecord | AnyRow) -> SkillSettings:
    """Return the TrueSkill constants of a pool, or of a row that has its columns."""
    return SkillSettings(pool.mu, pool.sigma, pool.beta, pool.tau, pool.draw_probability)
