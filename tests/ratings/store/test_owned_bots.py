"""A database from before there was a service: its bots get the names, the events and the active versions they need."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.read.active_versions import active_version, bot_events
from ratings.read.bots import find_version, list_bots
from ratings.store import schema
from ratings.store.database import open_database, upgrade
from tests.support.raw_database import make_empty, raw

OWNERS = "INSERT INTO owner (id, name, created_at_us) VALUES ('o1', 'ada', 1), ('o2', 'Grace Hopper', 1)"
BOTS = """
    INSERT INTO bot (id, name, owner_id, created_at_us, disabled_at_us) VALUES
    ('b1', 'fox', 'o1', 2, NULL), ('b2', 'owl', NULL, 2, 25), ('b3', 'elk', 'o2', 2, NULL)
"""
VERSIONS = """
    INSERT INTO version (id, bot_id, number, content_hash, manifest, created_at_us) VALUES
    ('v1', 'b1', 1, 'aa', '{}', 10), ('v2', 'b2', 1, 'aa', '{}', 20), ('v3', 'b2', 2, 'bb', '{}', 30),
    ('v4', 'b3', 1, 'cc', '{}', 40)
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    make_empty(path)
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    with raw(path) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        for statement in (OWNERS, BOTS, VERSIONS):
            connection.exec_driver_sql(statement)
    return path


@pytest.mark.both_databases
def test_its_bots_are_named_after_their_owners_the_log_tells_what_is_known_and_they_go_on(old: Path) -> None:
    upgrade(old)
    database = open_database(old)
    assert [(row.bot.name, row.owner) for row in list_bots(database).items] == [
        ("Grace Hopper/elk", "Grace Hopper"),
        ("owl", None),
        ("ada/fox", "ada"),
    ]
    assert find_version(database, "ada/fox@aa").version.id == "v1"
    assert check(database) == []
    told = [(row.event.kind.value, row.number, row.event.at_us) for row in bot_events(database, "owl").items]
    assert told == [
        ("promoted", 2, 30),
        ("submitted", 2, 30),
        ("disabled", None, 25),
        ("promoted", 1, 20),
        ("submitted", 1, 20),
    ]
    assert [row.event.kind.value for row in bot_events(database, "ada/fox").items] == ["submitted"]
    active = active_version(database, "owl")
    assert active is not None
    assert (active.id, active.predecessor) == ("v3", 1)
    assert active_version(database, "ada/fox") is None
    version, is_new = Ledger(database).add_version(bot="fox", owner="ada", content_hash="dd", manifest={})
    assert (version.bot_id, version.number, is_new) == ("b1", 2, True)
    assert len(bot_events(database, "ada/fox").items) == 2
    database.close()
