from __future__ import annotations

import hashlib
from typing import Any

import pytest

from ratings.errors import AmbiguousError, NotFoundError
from ratings.ledger.pools import pool_for, pool_of, settings_of
from ratings.read.pools import find_pool
from ratings.statistics.skill import SkillSettings
from ratings.store.database import Database
from ratings.store.models import PoolRecord
from ratings.store.sessions import write
from tests.ratings.book import pool_like

pytestmark = pytest.mark.both_databases

KEY = pool_of(game="chess", rules_version="1", seats=2, options={"b": 1, "a": [True, None]}, time_control="60+1")


def test_a_pool_is_named_by_the_hash_of_its_canonical_json() -> None:
    canonical = (
        '{"cores":1,"game":"chess","options":{"a":[true,null],"b":1},"rules_version":"1","seats":2,'
        '"time_control":"60+1"}'
    )
    assert KEY.pool_id == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"game": "go"},
        {"rules_version": "2"},
        {"seats": 3},
        {"options": {}},
        {"time_control": "none"},
        {"cores": 2},
        {"remote": True},
    ],
)
def test_every_part_of_the_key_makes_another_pool(change: dict[str, Any]) -> None:
    assert pool_like(KEY, **change).pool_id != KEY.pool_id


def test_a_pool_from_before_there_were_remote_bots_keeps_its_name() -> None:
    # As `printf %s JSON | sha256sum` has it for the JSON that the arena wrote before.
    old = pool_of(game="foreign_king", rules_version="1", seats=3, time_control="50ms")
    assert old.pool_id == "591ff2b70d64db668dc0e0422baddfc01c88ff71607920ead4e36492cbb315d4"
    remote = (
        '{"cores":1,"game":"foreign_king","options":{},"remote":true,"rules_version":"1","seats":3,'
        '"time_control":"50ms"}'
    )
    assert pool_like(old, remote=True).pool_id == hashlib.sha256(remote.encode()).hexdigest()


def test_a_pool_of_remote_bots_says_so(database: Database) -> None:
    with write(database) as session:
        assert pool_for(session, pool_like(KEY, remote=True)).remote
        assert not pool_for(session, KEY).remote


def test_the_order_of_options_makes_no_other_pool() -> None:
    assert pool_like(KEY, options={"a": [True, None], "b": 1}).pool_id == KEY.pool_id


def test_a_pool_is_made_once_and_keeps_its_constants(database: Database) -> None:
    with write(database) as session:
        made = pool_for(session, KEY, SkillSettings(draw_probability=0.3))
        assert pool_for(session, KEY) is made
        assert settings_of(made) == SkillSettings(draw_probability=0.3)
        assert (made.options, made.game) == ({"a": [True, None], "b": 1}, "chess")


def test_a_pool_is_found_by_any_part_of_its_id(database: Database) -> None:
    with write(database) as session:
        pool = pool_for(session, KEY)
        twin = {**pool.model_dump(), "id": pool.id[:10] + "x"}
        session.add(PoolRecord(**twin))
    for part in (pool.id[:11].upper(), pool.id[-6:], pool.id[5:20]):
        assert find_pool(database, part).id == pool.id
    with pytest.raises(AmbiguousError, match=f"fits 2 pools: .*{pool.id}.*; give more digits"):
        find_pool(database, pool.id[:8])
    for nothing in ("", "abc", "%%%%", "zzzz"):
        with pytest.raises(NotFoundError):
            find_pool(database, nothing)
