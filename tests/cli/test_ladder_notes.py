"""`ladder list` and `leaderboard` say why a ladder rests, or why nothing of it is rated."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.store.database import open_database
from tests.cli.support import Arena, write_bot

OPEN = ("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2")


def admit(db: Path, owner: str, bot: str) -> None:
    database = open_database(db)
    ledger = ServiceLedger(database)
    version, _ = Ledger(database).add_version(
        bot=bot, owner=owner, content_hash=f"{owner}{bot}", manifest={"games": ["*"]}
    )
    ledger.request_admission(version.id)
    taken = ledger.take_admission()
    assert taken is not None
    ledger.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[])
    database.close()


@pytest.fixture
def own(arena: Arena) -> Arena:
    """The command on a database with a ladder and no bots."""
    assert arena(*OPEN).code == 0
    return arena


def test_a_ladder_without_bots_says_what_it_waits_for(own: Arena) -> None:
    said = "king2: waits for bots: it takes 2, and 0 take part; hand one in: arena bot submit DIRECTORY\n"
    assert own("ladder", "list").out.endswith(said)
    assert own("leaderboard").out.endswith(said)
    assert "`arena ladder list` tells what is played" in own("leaderboard").out
    assert "demo" not in own("leaderboard").out


def test_bots_of_one_owner_alone_do_not_play_and_that_is_told(own: Arena, tmp_path: Path) -> None:
    admit(own.db, "ada", "fox")
    admit(own.db, "ada", "owl")
    said = "king2: waits for bots of other owners: those of one owner do not meet, and it takes bots of 2 owners"
    assert said in own("ladder", "list").out
    assert said in own("leaderboard").out
    assert own("ladder", "list", "--json").json[0]["note"].startswith("waits for bots of other owners")
    assert own("bot", "add", write_bot(tmp_path / "elk", "elk")).code == 0  # the operator's own plays with hers
    assert "waits for bots" not in own("ladder", "list").out


def test_a_ladder_may_let_them_meet(arena: Arena) -> None:
    assert arena(*OPEN, "--same-owner").code == 0
    admit(arena.db, "ada", "fox")
    admit(arena.db, "ada", "owl")
    assert "waits" not in arena("ladder", "list").out
    assert "nothing is rated" not in arena("ladder", "list").out


def test_a_ladder_from_before_there_was_the_choice_plays_on_as_it_did(own: Arena) -> None:
    with closing(sqlite3.connect(own.db)) as connection, connection:
        connection.execute("UPDATE tournament SET settings = json_remove(settings, '$.owners_apart')")
    admit(own.db, "ada", "fox")
    admit(own.db, "ada", "owl")
    said = "king2: nothing is rated: bots of one owner do not count against one another, and it takes bots of 2 owners"
    assert said in own("ladder", "list").out


def test_the_pace_that_counts_is_shown(own: Arena) -> None:
    assert own("ladder", "list", "--json").json[0]["a_day"] is None
    (own.db.parent / "settings.toml").write_text("[service]\nmatches_per_day = 48\n", encoding="utf-8")
    assert own("ladder", "list", "--json").json[0]["a_day"] == 48
    assert own(*OPEN[:2], "rex3", "--game", "rex_romanorum", "--seats", "3", "--matches-per-day", "0").code == 0
    assert [row["a_day"] for row in own("ladder", "list", "--json").json] == ["any", 48]
