from __future__ import annotations

import pytest
from sqlalchemy import insert

from arena.match.worker_report import SeatLogText
from ratings.errors import AdmissionError, BotError, NotFoundError
from ratings.ledger import retention
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.ledger.retention import RetentionLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import find_owner, list_notices
from ratings.read.bots import held_versions, is_held
from ratings.read.matches import replay_of, replays
from ratings.read.retention import DAY_US, Limits, planned_removals, removals
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.identifiers import now_us
from ratings.store.sessions import write
from ratings.values.states import RemovalKind
from tests.ratings import book

pytestmark = pytest.mark.both_databases

NEVER = Limits()
MINUTE_US = 60 * 1_000_000


def play_at(database: Database, tournament: str, ended_at_us: list[int], **changes: object) -> list[str]:
    """Play all matches of a tournament, each with logs, so that they ended at these instants in turn; their ids."""
    matches = book.take(database, tournament)
    for number, match in enumerate(matches):
        instant = ended_at_us[number % len(ended_at_us)]
        logs = [SeatLogText(seat, b"log of %d" % seat) for seat in (0, 2)]
        assert book.record(database, match, started_at_us=instant, duration_us=0, **{"seat_logs": logs, **changes})
    return [match.match_id for match in matches]


def carry_out(database: Database, kind: RemovalKind, before_us: int, at_us: int | None = None) -> int:
    """Announce and do a removal, piece by piece; how many went."""
    ledger = RetentionLedger(database)
    removal = ledger.announce(kind, before_us=before_us, why="old", due_at_us=before_us, notices=[])
    gone, after = 0, ""
    while True:
        piece = ledger.remove_piece(removal.id, after, at_us)
        gone += piece.items
        if piece.last is None:
            return gone
        after = piece.last


def later(days: int) -> int:
    return now_us() + days * DAY_US


def test_nothing_is_planned_without_limits(database: Database, tournament: str) -> None:
    play_at(database, tournament, [now_us()])
    assert planned_removals(database, NEVER, later(10_000)) == []


def test_what_is_older_than_the_limit_goes_and_what_is_younger_stays(
    database: Database, tournament: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "PIECE", 2)
    start = now_us()
    ids = play_at(database, tournament, [start, start + 20 * DAY_US])
    at_us = start + 31 * DAY_US
    logs, played = planned_removals(database, Limits(logs_days=30, replays_days=30), at_us)
    assert (logs.kind, logs.items, played.kind, played.items) == (RemovalKind.LOGS, 6, RemovalKind.REPLAYS, 6)
    assert logs.size_bytes > 0
    for planned in (logs, played):
        assert carry_out(database, planned.kind, planned.before_us) == 6
    assert planned_removals(database, Limits(logs_days=30, replays_days=30), at_us) == []
    kept = [stored is not None for _, stored in replays(database)]
    assert sorted(kept) == [False] * 6 + [True] * 6
    assert replay_of(database, ids[1])
    with pytest.raises(NotFoundError, match=r"was removed by retention on \d{4}-\d\d-\d\d; its result and digests are"):
        replay_of(database, ids[0])
    assert book.count(database, "seat_log") == 12
    assert check(database) == []
    assert {removal.items for removal in removals(database)} == {6}
    assert removals(database, pending=True) == []


def test_the_oldest_go_until_nine_tenths_of_the_limit_are_left(database: Database, tournament: str) -> None:
    start = now_us()
    play_at(database, tournament, [start + number * MINUTE_US for number in range(12)], replay=b"x" * 100)
    assert planned_removals(database, Limits(replays_bytes=1200), later(1)) == []
    (planned,) = planned_removals(database, Limits(replays_bytes=1000), later(1))
    assert (planned.items, planned.size_bytes, planned.is_by_size) == (3, 300, True)
    assert "more than 0.001 MB" in planned.why
    assert carry_out(database, RemovalKind.REPLAYS, planned.before_us) == 3
    removed = [match.started_at_us for match, stored in replays(database) if stored is None]
    assert removed == [start, start + MINUTE_US, start + 2 * MINUTE_US]


def test_removed_replays_give_their_owner_room_for_notes(database: Database) -> None:
    versions = [*book.add_bots(database, ("ada", "bob"), owner="lovelace").values()]
    versions += book.add_bots(database, ["cyd"]).values()
    tournament = book.create(database, versions, rates_same_owner=True)
    start = now_us()
    play_at(database, tournament, [start, start + DAY_US, start + DAY_US], note_bytes=(100, 100, 100))
    assert find_owner(database, "lovelace").note_bytes == 600
    carry_out(database, RemovalKind.LOGS, later(9))
    assert find_owner(database, "lovelace").note_bytes == 600
    assert carry_out(database, RemovalKind.REPLAYS, start + MINUTE_US) == 1
    assert find_owner(database, "lovelace").note_bytes == 400
    assert carry_out(database, RemovalKind.REPLAYS, later(9)) == 2
    assert find_owner(database, "lovelace").note_bytes == 0


def test_a_tournament_that_is_played_and_an_annulled_match_keep_their_replays(
    database: Database, bots: dict[str, str]
) -> None:
    over = book.create(database, bots.values(), blocks=book.singles(bots.values()))
    played = book.create(database, bots.values(), name="on", blocks=book.singles(bots.values()))
    ids = play_at(database, over, [now_us()])
    for match in book.take(database, played, limit=3):
        book.record(database, match, started_at_us=now_us())
    ServiceLedger(database).annul_match(ids[0], why="the host was slow", actor="operator")
    (planned,) = planned_removals(database, Limits(replays_days=1), later(2))
    assert planned.items == len(ids) - 1
    assert carry_out(database, RemovalKind.REPLAYS, later(1)) == len(ids) - 1
    assert replay_of(database, ids[0])
    assert book.count(database, "replay") == 1 + 3
    assert check(database) == []


def test_an_open_season_keeps_its_replays_until_it_is_closed(database: Database, tournament: str) -> None:
    play_at(database, tournament, [now_us()])
    with write(database) as session:
        pool = session.connection().execute(tables.pool.select()).one().id
        ladder = {"id": "l", "name": "l", "pool_id": pool, "settings": {}, "opened_at_us": 1}
        session.connection().execute(insert(tables.ladder), ladder)
        season = {"ladder_id": "l", "number": 1, "name": "s", "tournament_id": tournament, "opened_at_us": 1}
        session.connection().execute(insert(tables.season), season)
    assert planned_removals(database, Limits(replays_days=1), later(9)) == []
    assert carry_out(database, RemovalKind.REPLAYS, later(8)) == 0
    with write(database) as session:
        session.connection().execute(tables.season.update().values(closed_at_us=2))
    assert carry_out(database, RemovalKind.REPLAYS, later(8)) == 12


def test_a_piece_looks_again_at_what_may_go(
    database: Database, tournament: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match is annulled between the look and the removal."""
    ids = play_at(database, tournament, [now_us()])
    original = retention._candidates

    def annul_meanwhile(*arguments: object) -> object:
        found = original(*arguments)  # type: ignore[arg-type]
        ServiceLedger(database).annul_match(ids[3], why="late", actor="operator")
        return found

    monkeypatch.setattr(retention, "_candidates", annul_meanwhile)
    carry_out(database, RemovalKind.REPLAYS, later(1))
    assert replay_of(database, ids[3])


def test_files_go_of_versions_withdrawn_long_ago_that_nothing_needs(database: Database, bots: dict[str, str]) -> None:
    ledger = ServiceLedger(database)
    tournament = book.create(database, [bots["ada"], bots["bob"], bots["cyd"]])
    play_at(database, tournament, [now_us()])
    for name in ("ada", "dan"):
        ledger.withdraw_version(bots[name], actor="operator")
    limits = Limits(archives_days=10)
    assert planned_removals(database, limits, later(9)) == []
    (planned,) = planned_removals(database, limits, later(11))
    assert (planned.kind, planned.items) == (RemovalKind.ARCHIVES, 1)  # a replay of ada's is kept
    assert carry_out(database, RemovalKind.ARCHIVES, planned.before_us) == 1
    assert held_versions(database) == ["ada1", "bob1", "cyd1"]
    assert not is_held(database, "dan1")
    assert carry_out(database, RemovalKind.REPLAYS, later(1)) == 3
    assert carry_out(database, RemovalKind.ARCHIVES, later(1)) == 1
    assert held_versions(database) == ["bob1", "cyd1"]
    assert check(database) == []


@pytest.mark.parametrize("kind", [RemovalKind.ARCHIVES, RemovalKind.REPLAYS])
def test_a_piece_begins_behind_the_last_of_the_piece_before(
    database: Database, bots: dict[str, str], kind: RemovalKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "PIECE", 3)
    if kind is RemovalKind.ARCHIVES:
        for version in bots.values():
            ServiceLedger(database).withdraw_version(version, actor="operator")
        ids = sorted(bots.values())
    else:
        ids = sorted(play_at(database, book.create(database, bots.values()), [now_us()]))
    ledger = RetentionLedger(database)
    removal = ledger.announce(kind, before_us=later(1), why="old", due_at_us=1, notices=[])
    piece = ledger.remove_piece(removal.id, after=ids[0])
    assert (piece.items, piece.last) == (3, ids[3])
    while piece.last is not None:
        piece = ledger.remove_piece(removal.id, after=piece.last)
    assert carry_out(database, kind, later(1)) == 1, "the one that was passed over"


def test_a_refused_version_comes_back_when_it_is_submitted_again(database: Database) -> None:
    ledger = ServiceLedger(database)
    version, _ = Ledger(database).add_version(bot="fox", owner="eve", content_hash="f1", manifest={})
    admission = ledger.request_admission(version.id)
    assert carry_out(database, RemovalKind.ARCHIVES, later(1)) == 0  # it is queued
    assert ledger.take_admission() is not None
    ledger.finish_admission(admission.id, is_admitted=False, summary="too slow", findings=[])
    assert carry_out(database, RemovalKind.ARCHIVES, later(1)) == 1
    with pytest.raises(AdmissionError, match="its files were removed by retention; submit it again"):
        ledger.request_admission(version.id)
    with pytest.raises(BotError, match="are not here; add it again"):
        book.create(database, [version.id, *book.add_bots(database, ("ada", "bob")).values()])
    again, is_new = Ledger(database).add_version(bot="fox", owner="eve", content_hash="f1", manifest={})
    assert (again.id, is_new) == (version.id, False)
    assert is_held(database, "f1")
    assert ledger.request_admission(version.id).version_id == version.id


def test_an_active_version_keeps_its_files(database: Database, bots: dict[str, str]) -> None:
    assert carry_out(database, RemovalKind.ARCHIVES, later(1000)) == 0
    assert len(held_versions(database)) == len(bots)


def test_what_is_announced_is_told_to_those_it_concerns(database: Database) -> None:
    Ledger(database).add_version(bot="fox", owner="eve", content_hash="f1", manifest={})
    owner = ServiceLedger(database).set_owner_limits("eve", {})
    ledger = RetentionLedger(database)
    notices = [(None, "old logs go"), (owner.id, "your fox goes")]
    removal = ledger.announce(RemovalKind.LOGS, before_us=5, why="old", due_at_us=9, notices=notices)
    assert [one.sentence for one in list_notices(database).items] == ["old logs go"]
    assert {one.sentence for one in list_notices(database, owner_id=owner.id).items} == {"old logs go", "your fox goes"}
    (pending,) = removals(database, pending=True)
    assert pending.model_dump() == removal.model_dump()
